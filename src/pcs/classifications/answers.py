"""Answers to the questions of a result: the goods with what was said are analysed again, as a new classification that
supersedes the old one, whose result stays as it was.

The trap: two people who answer at once; one answer takes the old one's place, and the other is told, uncharged."""

from __future__ import annotations

import dataclasses
import datetime as dt
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pcs.base import ids
from pcs.base.database import Transaction
from pcs.base.errors import InvalidRequestError, Violation
from pcs.base.tenancy import Tenant
from pcs.classifications import consistency, service, store
from pcs.classifications.model import Classification, NotAnswerableError, Status
from pcs.engine.result import OpenQuestion
from pcs.products.attributes import checked


@dataclass(frozen=True, slots=True)
class GivenAnswer:
    """What was said to a question, by its id: one of its options, or other words."""

    question: str
    option: str = ""
    text: str = ""


async def answer(
    transaction: Transaction, tenant: Tenant, classification_id: str, said: Sequence[GivenAnswer], *, now: dt.datetime
) -> Classification:
    """The pending classification that takes the place of the one whose questions were answered; one credit.

    Raises NotFoundError, NotAnswerableError, InvalidRequestError, InsufficientCreditsError.
    """
    before = await service.get(transaction, tenant, classification_id)
    variants = await consistency.hold(transaction, before, before.result)
    await store.hold(transaction, tenant, classification_id)
    old = await service.get(transaction, tenant, classification_id)
    if old.superseded_by:
        raise _superseded(old.id)
    if old.result is None or not old.result.questions:
        msg = "The classification has no questions to answer: only a result that asks something can be answered."
        raise NotAnswerableError(msg)
    attributes = _attributes(old, _told(old.result.questions, said))
    [new_id] = ids.new_ids(ids.CLASSIFICATION, 1)
    successor = Classification(
        id=new_id,
        tenant=tenant,
        product_id=old.product_id,
        schedule=old.schedule,
        status=Status.PENDING,
        goods=dataclasses.replace(old.goods, attributes=attributes),
        created_at=now,
        webhook_url=old.webhook_url,
        supersedes=old.id,
    )
    await service.store_pending(transaction, tenant, [successor], in_batch=False, now=now)
    await store.supersede(transaction, tenant, old.id, successor.id)
    if old.assigned_to:
        await store.assign(transaction, tenant, successor.id, old.assigned_to)
    await consistency.leave(transaction, old, variants)
    return successor


def _superseded(classification_id: str) -> NotAnswerableError:
    msg = f"The questions of {classification_id} were answered already: another classification took its place."
    return NotAnswerableError(msg)


def _told(questions: Sequence[OpenQuestion], said: Sequence[GivenAnswer]) -> list[tuple[OpenQuestion, str]]:
    """Each question with what was said to it. Raises InvalidRequestError with every violation."""
    known = {question.id: question for question in questions}
    violations = [wrong for place, each in enumerate(said) for wrong in _wrong(place, each, known.get(each.question))]
    first = {each.question: place for place, each in reversed(list(enumerate(said)))}
    violations += [
        Violation(f"answers[{place}].question", "was answered twice")
        for place, each in enumerate(said)
        if first[each.question] != place
    ]
    if violations:
        raise InvalidRequestError(*violations)
    return [(known[each.question], each.option or each.text) for each in said]


def _wrong(place: int, said: GivenAnswer, question: OpenQuestion | None) -> Iterator[Violation]:
    if question is None:
        yield Violation(f"answers[{place}].question", "is not the id of a question of this result")
    elif bool(said.option) == bool(said.text):
        yield Violation(f"answers[{place}]", "must have either an option or a text")
    elif said.option and said.option not in question.options:
        yield Violation(f"answers[{place}].option", f"must be one of: {', '.join(question.options)}")


def _attributes(old: Classification, told: Sequence[tuple[OpenQuestion, str]]) -> dict[str, str]:
    """The goods' attributes with what was told; what several questions of one name were told stands together."""
    kept = dict(old.goods.attributes)
    for question, value in told:
        before = kept.get(question.attribute)
        kept[question.attribute] = f"{value}; {before}" if before else value
    try:
        return checked(kept.items())
    except ValueError as error:
        raise InvalidRequestError(Violation("answers", f"make attributes that {error}")) from error
