"""Answers to the questions of a result. The trap: an answer that rewrites a result; it makes a new classification, and
the old one says which took its place."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter
from pydantic import Field, StringConstraints
from starlette.responses import Response

from pcs.base.database import Transaction
from pcs.classifications import answers
from pcs.classifications import service as classifications
from pcs.classifications.answers import GivenAnswer
from pcs.http.access import Access, access_for, answer
from pcs.http.bodies import BodyRoute
from pcs.http.openapi import creating
from pcs.http.submitted import refuse_on_request
from pcs.organizations import audit
from pcs.organizations.model import Scope
from pcs.organizations.people import Action
from pcs.products.attributes import LONGEST_VALUE, MOST
from pcs.wire.base import Answer, Text, Wire
from pcs.wire.classifications import Stub

router = APIRouter(route_class=BodyRoute, tags=["classifications"])

Words = Annotated[Text, StringConstraints(max_length=LONGEST_VALUE)]


class AnswerInput(Wire):
    """What is said to a question: one of its options, or other words."""

    question: Annotated[Text, Field(description="The id of a question of the result.")]
    option: Words | None = Field(default=None, description="One of the question's options.")
    text: Words | None = Field(default=None, description="Where none of them fits.")

    def said(self) -> GivenAnswer:
        """The same, as the service knows it."""
        return GivenAnswer(self.question, self.option or "", self.text or "")


class AnswersInput(Wire):
    """Answers to one or more questions of a result."""

    answers: Annotated[list[AnswerInput], Field(min_length=1, max_length=MOST)]


class AnswersAccepted(Answer):
    """The pending classification that takes the place of the one whose questions were answered."""

    supersedes: str
    classifications: list[Stub]
    estimated_completion_seconds: int = Field(description="Estimated from the length of the queue; not guaranteed.")


@router.post(
    "/classifications/{classification_id}/answers",
    status_code=202,
    response_model=AnswersAccepted,
    responses=creating(404, 409, charged=True),
)
async def answer_questions(
    classification_id: str, body: AnswersInput, access: Annotated[Access, access_for(Scope.CLASSIFICATIONS_WRITE)]
) -> Response:
    """Answer questions of a result: the goods are analysed again, in a new classification. One credit."""
    said = [each.said() for each in body.answers]

    async def work(transaction: Transaction) -> Response:
        old = await classifications.get(transaction, access.tenant, classification_id)
        refuse_on_request(access, [old.goods])
        successor = await answers.answer(transaction, access.tenant, old.id, said, now=access.now)
        await audit.record(
            transaction, access.actor, Action.ANSWERED, subject=old.id, detail=successor.id, now=access.now
        )
        seconds = await access.service.estimates.seconds(transaction, access.tenant.environment, now=access.now)
        body = AnswersAccepted(
            supersedes=old.id, classifications=[Stub.of(successor)], estimated_completion_seconds=seconds
        )
        return answer(body, 202)

    return await access.write_once(work)
