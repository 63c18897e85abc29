"""Records of goods that nobody has analysed."""

from typing import Any

from pcs.evidence.record import FORMAT


def record_fields(**product: Any) -> dict[str, Any]:
    """A record of goods that nobody has analysed."""
    classification = {
        "id": "clf_1",
        "status": "completed",
        "schedule": "EU-CN",
        "product": product,
        "final": None,
        "created_at": "2026-11-23T05:00:00Z",
    }
    return {
        "format": FORMAT,
        "organization": "Importer Ltd",
        "environment": "live",
        "classification": classification,
        "path": [],
        "notes": [],
        "history": [],
        "before": None,
    }
