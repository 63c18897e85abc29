"""Answers to the questions of a result, on its page. The trap: a form sent twice that costs twice; the first makes the
successor, and whoever comes second is told so."""

from __future__ import annotations

from starlette.responses import Response

from pcs.base.errors import InvalidRequestError, Violation
from pcs.classifications import answers
from pcs.classifications import service as classifications
from pcs.classifications.answers import GivenAnswer
from pcs.classifications.model import Classification
from pcs.dashboard.classifications import ONE, show_one
from pcs.dashboard.visit import Visit, action
from pcs.organizations import audit
from pcs.organizations.people import Action, Permission
from pcs.products.intake import tidy_text


async def answer(visit: Visit) -> Response:
    """Analyse again with what was said. Raises NotFoundError, NotAnswerableError, InvalidRequestError or
    InsufficientCreditsError."""
    classification_id = visit.request.path_params["classification_id"]
    async with visit.service.database.begin() as transaction:
        old = await classifications.get(transaction, visit.tenant, classification_id)
        successor = await answers.answer(transaction, visit.tenant, old.id, _said(visit, old), now=visit.now)
        await audit.record(
            transaction, visit.actor, Action.ANSWERED, subject=old.id, detail=successor.id, now=visit.now
        )
    return visit.go(f"/classifications/{successor.id}", done="answered")


def _said(visit: Visit, old: Classification) -> list[GivenAnswer]:
    """What was said to each question: words that were written before an option that was chosen."""
    asked = old.result.questions if old.result else ()
    said = []
    for question in asked:
        text = tidy_text(visit.text(f"text:{question.id}"))
        said.append(GivenAnswer(question.id, "" if text else visit.text(f"option:{question.id}"), text))
    given = [each for each in said if each.option or each.text]
    if asked and not given:
        raise InvalidRequestError(Violation("answers", "need at least one"))
    return given


ROUTES = (action(f"{ONE}/answers", answer, shown=show_one, needs=Permission.CLASSIFY),)
