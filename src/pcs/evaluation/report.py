"""The report of an evaluation: Markdown to read, JSON to keep and compare with later as the baseline column.

Targets, where given, stand beside what was reached: shares in percent under `sets`, name and digits (`4`, `6` or
`full`), the calibration error that no set may exceed at any level under `ece`. The trap: a figure of all sets together;
there is none."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import Any

from pcs.evaluation.metrics import SetFigures, Share
from pcs.evaluation.sureness import THRESHOLDS, LevelFigures

_NONE = "-"
_RIGHT = "set | cases | 4 digits | 6 digits | full code | top 5 at 4 | top 5 full | answered | ms p50 / p99"
_SURE = "set | level | ECE | by chance | AUC | nine of ten | " + " | ".join(f"{each:g} or more" for each in THRESHOLDS)
_SURE_SAYS = """
How far each level's confidence can be trusted: the calibration error, and what it would be by chance on as many
answers, were each right as often as it says; the AUC; what share of the cases can be taken, surest first, with nine of
ten right; what share of the answers reaches each confidence, and of those how many are right, in percent.
"""
_LIKELY = "set | headings | median | subheadings | median"
_LIKELY_SAYS = """
Prediction sets: how many of the answers' hold the right code, in percent, and the median of how many codes they hold.
"""


def as_json(summaries: Mapping[str, SetFigures], *, revisions: Mapping[str, str]) -> dict[str, Any]:
    """Plain JSON values: `revisions` (schedule -> revision) and `sets` (name -> figures, shares 0 to 1)."""
    return {"revisions": dict(revisions), "sets": {name: asdict(summary) for name, summary in summaries.items()}}


def as_markdown(
    summaries: Mapping[str, SetFigures],
    *,
    baseline: Mapping[str, Any] | None = None,
    targets: Mapping[str, Any] | None = None,
) -> str:
    """Three tables: first answers in percent with 95 % intervals, the target and the baseline beside each; how far the
    confidence of each level can be trusted; the prediction sets. Then the worst confusions."""
    before, wanted = (baseline or {}).get("sets", {}), (targets or {}).get("sets", {})
    right = [_row(name, summary, before.get(name), wanted.get(name, {})) for name, summary in summaries.items()]
    sure = [
        _sure(name, level, found, (targets or {}).get("ece"))
        for name, summary in summaries.items()
        for level, found in summary.sureness.items()
    ]
    likely = [_likely(name, summary) for name, summary in summaries.items()]
    tables = [*_table(_RIGHT, right), _SURE_SAYS, *_table(_SURE, sure), _LIKELY_SAYS, *_table(_LIKELY, likely)]
    return "\n".join([*tables, *_confusions(summaries)])


def _table(titles: str, rows: list[str]) -> Iterator[str]:
    yield f"| {titles} |"
    yield "|" + "---|" * len(titles.split(" | "))
    yield from (f"| {row} |" for row in rows)


def _row(name: str, summary: SetFigures, before: Mapping[str, Any] | None, wanted: Mapping[str, float]) -> str:
    full = max(summary.top_five)
    cells = [
        name,
        str(summary.cases),
        _cell(summary.first[4], wanted.get("4"), before and before["first"].get("4")),
        _cell(summary.first[6], wanted.get("6"), before and before["first"].get("6")),
        _cell(summary.exact, wanted.get("full"), before and before["exact"]),
        _percent(summary.top_five[4].value),
        _percent(summary.top_five[full].value),
        _percent(summary.answered),
        f"{summary.median_ms:.1f} / {summary.p99_ms:.1f}",
    ]
    return " | ".join(cells)


def _cell(share: Share, target: float | None, before: Mapping[str, float] | None) -> str:
    text = f"{_percent(share.value)} ({share.low * 100:.0f}-{share.high * 100:.0f})"
    if target is not None:
        text += f" of {target:g}, {'met' if share.value * 100 >= target else 'missed'}"
    return text if before is None else f"{text}, was {before['value'] * 100:.1f}"


def _sure(name: str, level: str, found: LevelFigures, most: float | None) -> str:
    error = f"{found.calibration_error:.3f}"
    if most is not None:
        error += f" of {most:g}, {'met' if found.calibration_error <= most else 'missed'}"
    reached = [f"{_percent(each.share)}: {_percent(each.right)}" for each in found.at_least]
    area = _NONE if found.auc is None else f"{found.auc:.3f}"
    return " | ".join([name, level, error, f"{found.by_chance:.3f}", area, _percent(found.nine_of_ten), *reached])


def _likely(name: str, summary: SetFigures) -> str:
    sets = [summary.likely.get(kind) for kind in ("4", "6")]
    cells = [[_percent(each.coverage), f"{each.median_size:g}"] if each else [_NONE, _NONE] for each in sets]
    return " | ".join([name, *cells[0], *cells[1]])


def _confusions(summaries: Mapping[str, SetFigures]) -> Iterator[str]:
    for name, summary in summaries.items():
        pairs = ", ".join(f"{right} -> {found} ({count})" for right, found, count in summary.confusions)
        yield f"\nWorst confusions in {name}: {pairs or 'none'}"


def _percent(share: float | None) -> str:
    return _NONE if share is None else f"{share * 100:.1f}"
