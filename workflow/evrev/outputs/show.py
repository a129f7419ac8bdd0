"""A recorded trajectory, for reading: what was asked, answered, shown, changed and committed, in order."""

from __future__ import annotations

from textwrap import indent

from evrev.formats.trajectory import Call, Trajectory, Use

INDENT = "    "


def show_trajectory(trajectory: Trajectory) -> str:
    """All of one trajectory as text: a heading, then each call with what the harness made of it."""
    use_of = {use.call: use for use in trajectory.uses}
    parts = [_heading(trajectory)]
    revised = trajectory.revision is None
    for call in trajectory.calls:
        if not revised and (call.phase == "revise" or call.name == "u1"):
            parts.append(_revision(trajectory))
            revised = True
        parts.append(_call(call, use_of.get(call.name)))
    return "\n\n".join(parts)


def _heading(trajectory: Trajectory) -> str:
    tokens = sum(call.usage.prompt + call.usage.completion for call in trajectory.calls)
    lines = [
        f"{trajectory.id}: {trajectory.status}",
        f"scenario {trajectory.scenario}, digest {trajectory.scenario_digest[:12]}",
        f"decoding: {trajectory.decoding.model_dump_json()}",
        f"{len(trajectory.calls)} calls, {tokens:,} tokens",
    ]
    if trajectory.failure is not None:
        lines.append(f"failed: {trajectory.failure.kind}: {trajectory.failure.message}")
    return "\n".join(lines)


def _revision(trajectory: Trajectory) -> str:
    revision = trajectory.revision
    if revision is None:
        return ""
    lines = [f"== revision: {revision.action} {revision.document}"]
    lines += [f"invalidated: {', '.join(revision.invalidated) or 'nothing'}"]
    lines += [f"rebuilt: {', '.join(revision.rebuilt) or 'nothing'}"]
    return "\n".join(lines)


def _call(call: Call, use: Use | None) -> str:
    usage = f"{call.usage.prompt} + {call.usage.completion} tokens"
    lines = [f"== {call.name} ({call.phase}, {call.kind}): {usage}, finish {call.finish_reason}"]
    for message in call.messages:
        lines += [f"{message.role}:", indent(message.content.rstrip("\n"), INDENT)]
    lines += ["reply:", indent(call.response, INDENT)]
    repairs = f" ({', '.join(call.parse.repairs)})" if call.parse.repairs else ""
    lines.append(f"read as: {call.parse.status}{repairs}{', at the output cap' if call.parse.capped else ''}")
    if call.parse.admitted is not None:
        lines.append(f"claims: {call.parse.admitted} admitted, {call.parse.rejected} turned away")
    return "\n".join(lines + (_use(use) if use else []))


def _use(use: Use) -> list[str]:
    rows = ", ".join(f"{read.row}@{read.version}" for read in use.read_set) or "nothing"
    lines = [f"snapshot {use.snapshot[:12]}; read set: {rows}"]
    if use.items is None:
        lines.append("items: none could be read")
    else:
        lines += [f"items: {len(use.items)}", *(f"{INDENT}{item}" for item in use.items)]
    blocked = f", because of {', '.join(use.blocked_by)}" if use.blocked_by else ""
    return [*lines, f"commit: {use.commit}{blocked}"]
