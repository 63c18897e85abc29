"""The result document: written once, when an analysis ends, and read ever after by polling, webhooks and exports.

The trap: building it anew on each read would let a later version of the service rewrite what customers were told."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from pcs.engine.determination import Alternative, CitedRuling, Determination, Level
from pcs.tariff.revision import ScheduleName

_NAMES = {
    ScheduleName.US_HTS: ("hts_code", "hts_description"),
    ScheduleName.EU_CN: ("cn_code", "cn_description"),
}
_BRIEF = ("hts_code", "hts_description", "cn_code", "cn_description", "supporting_rulings", "reasoning")


def result_document(determination: Determination) -> dict[str, Any]:
    """A determination with a code, in the interface's fields and those that service.md, section 7, adds."""
    code, description = _NAMES[determination.revision.schedule]
    return {
        code: determination.code,
        description: determination.description,
        "supporting_rulings": [ruling.reference for ruling in determination.rulings],
        "reasoning": determination.reasoning,
        "confidence": determination.confidence,
        "confident_digits": determination.confident_digits,
        "alternatives": [_alternative(alternative) for alternative in determination.alternatives],
        "hierarchy": [_level(level) for level in determination.hierarchy],
        "gri_applied": list(determination.gri_applied),
        "rulings": [_ruling(ruling) for ruling in determination.rulings],
        "duty": {
            "general": determination.duty_general,
            "special": determination.duty_special,
            "other": determination.duty_other,
        },
        "units": list(determination.units),
        "schedule_revision": determination.revision.name,
        "missing_information": list(determination.missing_information),
        "needs_review": determination.needs_review,
    }


def brief_result(result: dict[str, Any]) -> dict[str, Any]:
    """The part of a stored result that the interface itself names."""
    return {name: result[name] for name in _BRIEF if name in result}


def steps_document(determination: Determination) -> list[dict[str, Any]]:
    """How the analysis went, beside the result."""
    return [asdict(step) for step in determination.steps]


def _level(level: Level) -> dict[str, Any]:
    return {"code": level.code, "description": level.text, "confidence": level.confidence}


def _alternative(alternative: Alternative) -> dict[str, Any]:
    return {
        "code": alternative.code,
        "description": alternative.description,
        "confidence": alternative.confidence,
        "separated_by": alternative.separated_by,
    }


def _ruling(ruling: CitedRuling) -> dict[str, Any]:
    return {
        "id": ruling.reference,
        "date": ruling.date.isoformat() if ruling.date else None,
        "url": ruling.url,
        "subject": ruling.subject,
        "status": ruling.status,
        "codes": list(ruling.codes),
        "relevance": ruling.relevance,
    }
