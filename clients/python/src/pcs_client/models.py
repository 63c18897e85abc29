"""What the service sends and takes. The trap: a client that breaks when the service adds a field; unknown ones are
kept."""

from __future__ import annotations

import datetime as dt
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

Schedule = Literal["US-HTS", "EU-CN"]
Status = Literal["pending", "processing", "completed", "failed"]
FINAL = frozenset({"completed", "failed"})


class Model(BaseModel):
    """A shape of the interface; what it does not name is in `model_extra`."""

    model_config = ConfigDict(extra="allow", frozen=True)


class ProductFields(Model):
    """Goods as you submit them. The more is said of materials, use and make, the surer the code."""

    name: str
    description: str | None = None
    identifier: str | None = None
    country_of_origin: str | None = None
    language: str | None = None
    declared_codes: dict[Schedule, str] | None = None
    attributes: dict[str, str] | None = None
    entry_date: dt.date | None = None
    metadata: dict[str, str] | None = None
    image_urls: list[str] | None = None


class Result(Model):
    """The result of a completed classification."""

    hts_code: str | None = None
    hts_description: str | None = None
    cn_code: str | None = None
    cn_description: str | None = None
    supporting_rulings: list[str]
    reasoning: str
    confidence: float | None = None
    confident_digits: int | None = None
    likely_headings: list[str] = []
    likely_subheadings: list[str] = []
    alternatives: list[dict[str, Any]] = []
    hierarchy: list[dict[str, Any]] = []
    duty_column: int | None = None
    special_rates: list[dict[str, Any]] = []
    additional_duties: list[dict[str, Any]] = []
    missing_information: list[str] = []
    questions: list[dict[str, Any]] = []
    needs_review: bool = False
    language: str = "en"
    reading: dict[str, Any] = {}
    schedule_revision: str | None = None
    hs_edition: str | None = None

    @property
    def code(self) -> str:
        """The code, whichever schedule it is of."""
        return self.hts_code or self.cn_code or ""

    @property
    def description(self) -> str:
        """The code's words, whichever schedule it is of."""
        return self.hts_description or self.cn_description or ""


class ClassificationError(Model):
    """Why a classification failed."""

    code: str
    message: str


class Classification(Model):
    """One product under one schedule: a stub, an item of a batch, or the whole record."""

    id: str
    status: Status
    schedule: Schedule
    product_id: str | None = None
    product_identifier: str | None = None
    created_at: dt.datetime | None = None
    completed_at: dt.datetime | None = None
    product: dict[str, Any] | None = None
    metadata: dict[str, str] = {}
    result: Result | None = None
    usage: dict[str, Any] | None = None
    error: ClassificationError | None = None
    final: dict[str, Any] | None = None
    review: dict[str, Any] | None = None
    supersedes: str | None = None
    superseded_by: str | None = None

    @property
    def is_final(self) -> bool:
        """Whether nothing changes any more."""
        return self.status in FINAL


class Product(Model):
    """A stored product; with its classifications where it was read by its id."""

    id: str
    name: str
    description: str | None = None
    identifier: str | None = None
    country_of_origin: str | None = None
    language: str | None = None
    declared_codes: dict[Schedule, str] | None = None
    attributes: dict[str, str] | None = None
    metadata: dict[str, str] = {}
    image_urls: list[str] = []
    created_at: dt.datetime
    classifications: list[Classification] = []


class Submitted(Model):
    """A product and its pending classifications."""

    product_id: str
    product: Product
    classifications: list[Classification]
    estimated_completion_seconds: int


class Reanalysed(Model):
    """The pending classification that takes the place of the one whose questions were answered."""

    supersedes: str
    classifications: list[Classification]
    estimated_completion_seconds: int


class Summary(Model):
    """How far a batch is."""

    total: int
    completed: int
    failed: int
    pending: int


class Batch(Model):
    """A batch and where each of its classifications stands."""

    batch_id: str
    status: Literal["processing", "completed"]
    summary: Summary
    created_at: dt.datetime
    classifications: list[Classification] = []

    @property
    def is_final(self) -> bool:
        """Whether nothing changes any more."""
        return self.status == "completed"


class RowProblem(Model):
    """A row of a file that was left out, and why."""

    row: int
    message: str


class Upload(Model):
    """A file of products and how far it is."""

    upload_id: str
    file_name: str
    status: Literal["processing", "completed"]
    rows: int
    accepted: int
    left_out: int
    problems: list[RowProblem]
    summary: Summary
    stopped: str | None

    @property
    def is_final(self) -> bool:
        """Whether nothing changes any more."""
        return self.status == "completed"


class Webhook(Model):
    """The organization-wide endpoint."""

    url: str
    secret_set: bool
    event_types: list[str]
    enabled: bool


class Filters(Model):
    """Which classifications to list; None asks for all."""

    status: Status | None = None
    schedule: Schedule | None = None
    identifier: str | None = None
    product_id: str | None = None
    batch_id: str | None = None
    created_after: dt.datetime | None = None
    created_before: dt.datetime | None = None
    needs_review: bool | None = None
    assigned_to: str | None = None
    inconsistent: bool | None = None
    metadata: dict[str, str] | None = None
