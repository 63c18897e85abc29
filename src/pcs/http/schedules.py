"""Schedules on the wire: which revision answers, and what it says of a code. The trap: opening a revision takes a
moment of processor time, so it is done off the event loop."""

from __future__ import annotations

import asyncio
import datetime as dt
from functools import partial
from typing import Annotated

from fastapi import APIRouter, Path, Query
from pydantic import Field
from starlette.responses import Response

from pcs.base.countries import country_code
from pcs.base.errors import InvalidRequestError, NotFoundError, Violation
from pcs.http.access import Access, access_for, answer
from pcs.http.openapi import refusing
from pcs.http.wordings import Reader as ReaderLanguage
from pcs.organizations.model import Scope
from pcs.schedules.entries import Branch, CodeEntry, ScheduleState
from pcs.schedules.model import StoredRevision
from pcs.tariff.code import Code
from pcs.tariff.notes import Note
from pcs.tariff.provisions import Entry
from pcs.tariff.revision import ScheduleName
from pcs.tariff.schedule import Duty
from pcs.wire.base import CODE, Answer, Day, Text
from pcs.wire.results import AdditionalDutyOutput, SpecialRateOutput

router = APIRouter(tags=["schedules"])

Reader = Annotated[Access, access_for(Scope.CLASSIFICATIONS_READ)]


class RevisionOutput(Answer):
    """A stored revision. `lines` counts the declarable lines outside chapters 98 and 99."""

    revision: str
    hs_edition: str = Field(description="The edition of the Harmonized System that it is made on.")
    digest: str
    in_force_from: dt.date | None
    lines: int
    current: bool

    @classmethod
    def of(cls, stored: StoredRevision, *, current: str) -> RevisionOutput:
        """The wire shape of a stored revision."""
        revision = stored.revision
        return cls(
            revision=revision.name,
            hs_edition=revision.hs_edition,
            digest=revision.digest,
            in_force_from=revision.in_force_from,
            lines=stored.lines,
            current=revision.digest == current,
        )


class ScheduleOutput(Answer):
    """A schedule and its current revision. `starter` says that no official data is loaded. `damaged` is there only if
    the stored data cannot be read: the fault and the command that fixes it; nothing is classified until then."""

    schedule: str
    schedule_revision: str
    digest: str
    in_force_from: dt.date | None
    lines: int
    starter: bool
    languages: list[str] = Field(description="In which official words are loaded, ISO 639-1; the revision's own first.")
    revisions: list[RevisionOutput]
    damaged: str | None = None

    @classmethod
    def of(cls, state: ScheduleState) -> ScheduleOutput:
        """The wire shape of a schedule's state."""
        revision = state.revision
        optional = {"damaged": state.damaged} if state.damaged else {}
        return cls(
            schedule=revision.schedule.value,
            schedule_revision=revision.name,
            digest=revision.digest,
            in_force_from=revision.in_force_from,
            lines=state.lines,
            starter=revision.is_starter,
            languages=list(state.languages),
            revisions=[RevisionOutput.of(stored, current=revision.digest) for stored in state.stored],
            **optional,
        )


class ScheduleList(Answer):
    """All schedules; there is never a second page."""

    data: list[ScheduleOutput]
    has_more: bool
    next_cursor: str | None


class StepOutput(Answer):
    """A level of the path; a group has no code."""

    code: str | None
    text: str


class BranchOutput(Answer):
    """A subdivision of a code. A group has no code and carries its own `children`."""

    code: str | None
    text: str
    text_language: str | None = Field(default=None, description="Only where it is not `description_language`.")
    declarable: bool
    children: list[BranchOutput]

    @classmethod
    def of(cls, branch: Branch, language: str) -> BranchOutput:
        """The wire shape of a branch below a code whose words are in a language."""
        children = [cls.of(below, language) for below in branch.branches]
        other = {} if branch.language == language else {"text_language": branch.language}
        return cls(code=branch.code, text=branch.text, declarable=branch.declarable, children=children, **other)


class CodeDutyOutput(Answer):
    """Rates of duty in the publisher's words."""

    general: str
    special: str
    other: str

    @classmethod
    def of(cls, duty: Duty) -> CodeDutyOutput:
        """The wire shape of a rate."""
        return cls(general=duty.general, special=duty.special, other=duty.other)


class FootnoteOutput(Answer):
    """A footnote of the code or of what stands above it, as published, and the columns that it stands at."""

    columns: list[str]
    text: str


class NoteOutput(Answer):
    """A legal note on the code. `codes` are those that it names."""

    reference: str
    family: str
    kind: str
    text: str
    codes: list[str]

    @classmethod
    def of(cls, note: Note) -> NoteOutput:
        """The wire shape of a note."""
        kinds = {"family": note.family.value, "kind": note.kind.value}
        return cls(reference=note.reference, text=note.text, codes=list(note.codes), **kinds)


class CodeOutput(Answer):
    """A code's entry in a revision. `implied`: the publication gives it only through a deeper row."""

    schedule: str
    schedule_revision: str
    code: str
    text: str
    description: str
    description_language: str = Field(description="The language of text, description and path, ISO 639-1.")
    declarable: bool
    implied: bool
    path: list[StepOutput]
    children: list[BranchOutput]
    duty: CodeDutyOutput | None
    duty_column: int | None = Field(description="The one the country of origin pays; null = not known, or no columns.")
    special_rates: list[SpecialRateOutput]
    additional_duties: list[AdditionalDutyOutput]
    footnotes: list[FootnoteOutput]
    units: list[str]
    notes: list[NoteOutput]

    @classmethod
    def of(cls, entry: CodeEntry) -> CodeOutput:
        """The wire shape of an entry."""
        node = entry.node
        return cls(
            schedule=entry.revision.schedule.value,
            schedule_revision=entry.revision.name,
            code=node.code or "",
            text=node.text,
            description=entry.description,
            description_language=entry.language,
            declarable=node.declarable,
            implied=node.implied,
            path=[StepOutput(code=step.code, text=step.text) for step in entry.path],
            children=[BranchOutput.of(branch, entry.language) for branch in entry.branches],
            duty=CodeDutyOutput.of(entry.duty) if entry.duty else None,
            duty_column=entry.duties.column,
            special_rates=[SpecialRateOutput.model_validate(each) for each in entry.duties.special],
            additional_duties=[AdditionalDutyOutput.model_validate(each) for each in entry.duties.additional],
            footnotes=[FootnoteOutput(columns=list(each.columns), text=each.text) for each in entry.footnotes],
            units=list(entry.units),
            notes=[NoteOutput.of(note) for note in entry.notes],
        )


@router.get("/schedules", response_model=ScheduleList, responses=refusing())
async def list_schedules(access: Reader) -> Response:
    """List the schedules and the current revision of each."""
    states = await asyncio.to_thread(access.service.library.states)
    return await _seen(
        access, ScheduleList(data=list(map(ScheduleOutput.of, states)), has_more=False, next_cursor=None)
    )


@router.get("/schedules/{schedule}/codes/{code}", response_model=CodeOutput, responses=refusing(400, 404))
async def get_code(  # noqa: PLR0913, PLR0917 (a parameter each thing that may be asked)
    access: Reader,
    schedule: str,
    code: Annotated[str, Path(json_schema_extra={"pattern": CODE.pattern})],
    revision: Annotated[Text | None, Query(description="A stored revision; the current one if left out.")] = None,
    country_of_origin: Annotated[
        Text | None, Query(description="ISO 3166-1 alpha-2: leaves out duties on goods of other countries.")
    ] = None,
    entry_date: Annotated[
        Day | None, Query(description="The day of customs entry; leaves out duties of other days.")
    ] = None,
    on: Annotated[
        Day | None,
        Query(description="Of the revision in force on this day unless `revision` names one, and its duties then."),
    ] = None,
    language: ReaderLanguage = None,
) -> Response:
    """Get a code's entry in a schedule: path, description, duties, footnotes, units, legal notes and subdivisions."""
    name, customs = schedule_named(schedule), Entry(_country(country_of_origin), entry_date or on)
    library, edition = access.service.library, revision
    if on is not None and not revision:
        edition = await asyncio.to_thread(library.key_on, name, on, access.now.date())
    look_up = partial(library.look_up, name, _code(code), edition, customs, language=language)
    entry = await asyncio.to_thread(look_up)
    return await _seen(access, CodeOutput.of(entry))


async def _seen(access: Access, body: Answer) -> Response:
    async with access.read():
        return answer(body)


def schedule_named(text: str) -> ScheduleName:
    """The schedule that a path names. Raises NotFoundError."""
    try:
        return ScheduleName(text)
    except ValueError:
        msg = f"There is no schedule {text}: there are {', '.join(name.value for name in ScheduleName)}."
        raise NotFoundError(msg) from None


def _country(text: str | None) -> str | None:
    try:
        return country_code(text) if text else None
    except ValueError as error:
        raise InvalidRequestError(Violation("country_of_origin", str(error))) from error


def _code(text: str) -> Code:
    try:
        return Code.parse(CODE.checked(text))
    except ValueError as error:
        raise InvalidRequestError(Violation("code", str(error))) from error
