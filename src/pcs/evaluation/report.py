"""The report of an evaluation: Markdown to read, JSON to keep and compare with later as the baseline column.

Targets, where given, stand beside what was reached: shares in percent under
`sets`, name and digits (`4`, `6` or `full`), the calibration error under `ece`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from pcs.evaluation.metrics import SetFigures, Share


def as_json(
    summaries: Mapping[str, SetFigures], *, revisions: Mapping[str, str], overall_error: float | None
) -> dict[str, Any]:
    """Plain JSON values: `revisions` (schedule -> revision), `sets` (name -> figures, shares 0 to 1) and the
    calibration error over all sets together."""
    return {
        "revisions": dict(revisions),
        "sets": {name: asdict(summary) for name, summary in summaries.items()},
        "calibration_error": overall_error,
    }


def as_markdown(
    summaries: Mapping[str, SetFigures],
    *,
    overall_error: float | None,
    baseline: Mapping[str, Any] | None = None,
    targets: Mapping[str, Any] | None = None,
) -> str:
    """A table of first answers in percent with 95 % intervals, the target and the baseline beside each, then the worst
    confusions."""
    head = "| set | cases | 4 digits | 6 digits | full code | top 5 at 4 | top 5 full | answered | ECE | ms p50 / p99 |"
    lines = [head, "|" + "---|" * 10]
    before = (baseline or {}).get("sets", {})
    wanted = (targets or {}).get("sets", {})
    lines += [_row(name, summary, before.get(name), wanted.get(name, {})) for name, summary in summaries.items()]
    if overall_error is not None:
        goal = f" (target at most {targets['ece']})" if targets else ""
        lines.append(f"\nExpected calibration error of the full code, all sets together: {overall_error:.3f}{goal}")
    for name, summary in summaries.items():
        pairs = ", ".join(f"{right} -> {found} ({count})" for right, found, count in summary.confusions)
        lines.append(f"\nWorst confusions in {name}: {pairs or 'none'}")
    return "\n".join(lines)


def _row(name: str, summary: SetFigures, before: Mapping[str, Any] | None, wanted: Mapping[str, float]) -> str:
    full = max(summary.top_five)
    cells = [
        _cell(summary.first[4], wanted.get("4"), before and before["first"].get("4")),
        _cell(summary.first[6], wanted.get("6"), before and before["first"].get("6")),
        _cell(summary.exact, wanted.get("full"), before and before["exact"]),
        f"{summary.top_five[4].value * 100:.1f}",
        f"{summary.top_five[full].value * 100:.1f}",
        f"{summary.answered * 100:.1f}",
        "-" if summary.calibration_error is None else f"{summary.calibration_error:.3f}",
        f"{summary.median_ms:.1f} / {summary.p99_ms:.1f}",
    ]
    return f"| {name} | {summary.cases} | " + " | ".join(cells) + " |"


def _cell(share: Share, target: float | None, before: Mapping[str, float] | None) -> str:
    text = f"{share.value * 100:.1f} ({share.low * 100:.0f}-{share.high * 100:.0f})"
    if target is not None:
        text += f" of {target:g}, {'met' if share.value * 100 >= target else 'missed'}"
    return text if before is None else f"{text}, was {before['value'] * 100:.1f}"
