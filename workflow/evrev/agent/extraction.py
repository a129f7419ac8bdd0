"""From the reply of an extraction call to claims; whatever a model returns, nothing here raises."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple, cast, get_args

from evrev.agent.rows import ClaimType
from evrev.formats.canonical import clean_text
from evrev.formats.trajectory import Parse
from evrev.replies import parse_reply

TYPES: frozenset[str] = frozenset(get_args(ClaimType))


class Claim(NamedTuple):
    """A well-formed claim, not yet admitted: `evidence` is the document it refers to."""

    type: ClaimType
    content: str
    evidence: str


@dataclass(frozen=True, slots=True)
class Claims:
    """The well-formed claims of a reply, how many had another shape, and how the reply was read."""

    claims: tuple[Claim, ...]
    malformed: int
    parse: Parse


def read_claims(text: str, finish_reason: str = "stop") -> Claims:
    """Read `{"claims": [{"type", "content", "evidence"}]}`.

    A claim that is no object, or whose fields are absent, empty or not text, is counted as malformed and
    left out. A type other than the four is kept as "other" and named: the recorded content is not lost for
    a label, and no label is guessed. A reply without a list of claims has failed, like one that is not
    JSON. The parse's `repairs` names each fault once.
    """
    reply = parse_reply(text, finish_reason)
    listed = reply.value.get("claims") if isinstance(reply.value, dict) else None
    if not isinstance(listed, list):
        shape = () if reply.status == "failed" else ("no_claims_list",)
        return Claims((), 0, Parse(status="failed", repairs=(*reply.repairs, *shape), capped=reply.capped))
    read = [_claim(claim) for claim in listed]
    claims = tuple(claim for claim, _ in read if claim is not None)
    faults = dict.fromkeys(fault for _, fault in read if fault is not None)
    parse = Parse(status=reply.status, repairs=(*reply.repairs, *faults), capped=reply.capped)
    return Claims(claims, len(read) - len(claims), parse)


def _claim(claim: Any) -> tuple[Claim | None, str | None]:
    if not isinstance(claim, dict):
        return None, "claim_not_an_object"
    fields = []
    for name in ("type", "content", "evidence"):
        value = claim.get(name)
        if not isinstance(value, str) or not value.strip():
            return None, f"claim_without_{name}"
        fields.append(clean_text(value).strip())
    type_, content, evidence = fields
    if type_ in TYPES:
        return Claim(cast(ClaimType, type_), content, evidence), None
    return Claim("other", content, evidence), "type_as_other"
