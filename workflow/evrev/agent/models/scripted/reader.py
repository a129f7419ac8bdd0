"""The client: reads a prompt, answers it, slips as declared, and counts tokens as a server would."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from evrev.agent.models import Completion, Decoding, Message, Usage, check_context
from evrev.agent.models.scripted.prompt import Entry, Prompt, read_prompt
from evrev.agent.models.scripted.slips import Slips, check_rates
from evrev.agent.models.scripted.wording import combined, summary_of
from evrev.formats.canonical import digest
from evrev.formats.settings import ModelEntry
from evrev.tokenizers import Counter, counter


class ScriptedReader:
    """Answers from the text of the prompt; knows no scenario, no vocabulary and no right answer.

    SettingsError: the entry declares an unknown kind of error.
    """

    def __init__(self, entry: ModelEntry) -> None:
        self._name = f"{entry.label} {entry.tokenizer}"
        self._rates = check_rates(entry.errors, where=f"config/models.yaml: {entry.label}: errors")
        self._context = entry.context_length
        self._counter: Counter = counter(entry.tokenizer)

    async def complete(self, messages: Sequence[Message], decoding: Decoding) -> Completion:
        """The reply. ContextOverflow if the prompt and `max_tokens` together pass the context length."""
        prompt_tokens = self._counter.prompt_tokens(messages)
        check_context(prompt_tokens, decoding.max_tokens, self._context)
        slips = Slips(self._rates, self._name, *_seed(decoding), digest([m.content for m in messages]))
        text = self._write(_answer(read_prompt(messages), slips), slips, decoding.max_tokens)
        tokens = self._counter.completion_tokens(text)
        if tokens <= decoding.max_tokens:
            return Completion(text, Usage(prompt=prompt_tokens, completion=tokens, cached=None), "stop")
        text = self._counter.head(text, decoding.max_tokens)
        return Completion(text, Usage(prompt=prompt_tokens, completion=decoding.max_tokens), "length")

    async def close(self) -> None:
        """Nothing to release."""

    def _write(self, answer: dict[str, Any], slips: Slips, cap: int) -> str:
        lacks_brace, runs_on = slips.lacks_brace(), slips.runs_on()
        text = json.dumps(answer, ensure_ascii=False)
        if runs_on:
            return self._repeat(answer, cap) or text
        return text[:-1] if lacks_brace else text

    def _repeat(self, answer: dict[str, Any], cap: int) -> str:
        """The answer with its end said over and over, past `cap` tokens; empty if it says nothing."""
        ((name, value),) = answer.items()
        if not value:
            return ""
        unit = value if isinstance(value, str) else value[-1]
        more = 2 * cap // self._counter.count(json.dumps(unit, ensure_ascii=False)) + 2
        repeated = " ".join([value] * more) if isinstance(value, str) else [*value, *[unit] * more]
        return json.dumps({name: repeated}, ensure_ascii=False)


def _seed(decoding: Decoding) -> tuple[object, ...]:
    # At temperature 0 a model's seed has no part in its reply.
    return (decoding.temperature, decoding.seed) if decoding.temperature > 0 else ()


def _answer(prompt: Prompt, slips: Slips) -> dict[str, Any]:
    if prompt.asked == "claims":
        claims = slips.keep(prompt.entries)
        return {
            "claims": [{"type": c.type, "content": c.content, "evidence": prompt.document} for c in claims]
        }
    if prompt.asked == "summary":
        return {"summary": summary_of(prompt.document, slips.keep(prompt.entries))}
    if prompt.asked == "global_summary":
        return {"summary": combined(slips.keep(prompt.summaries))}
    return {"items": _items(prompt, slips)}


def _items(prompt: Prompt, slips: Slips) -> list[str]:
    """What the permission allows, in the order shown, each wording once; an extra item stands last."""
    wanted = [entry for entry in prompt.entries if entry.type == prompt.wanted]
    allowed = _wordings(entry for entry in wanted if prompt.allows(entry))
    others = [w for w in _wordings(e for e in wanted if not prompt.allows(e)) if w not in allowed]
    return [*slips.keep(allowed), *slips.extra(others)]


def _wordings(entries: Iterable[Entry]) -> list[str]:
    return list(dict.fromkeys(entry.content for entry in entries))
