"""One assessment's questions: each is asked, read into its form and checked, with one repair turn. The trap: a model
that never comes to the point; a second bad answer ends the assessment, and so does the limit of tokens."""

from __future__ import annotations

import json
import re
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from pydantic import ValidationError

from pcs.base.text import shortened
from pcs.engine.determination import Step
from pcs.reviewer.answers import Form, schema_of
from pcs.reviewer.conversation import (
    ANSWER,
    LanguageModel,
    Replies,
    Reply,
    Request,
    Said,
    Stop,
    Tool,
    ToolCall,
    ToolResult,
    Turn,
)
from pcs.reviewer.law import Law
from pcs.reviewer.model import AssessmentError, AssessmentLimits, Fault, PicturesRefusedError, Tokens
from pcs.reviewer.pictures import Look, Picture
from pcs.reviewer.prompts import PICTURES, REPAIR, system
from pcs.reviewer.replies import ask_once

_FENCED = re.compile(r"```(?:json)?\s*+(.*?)```", re.DOTALL)
_MOST_PROBLEMS = 8
_LONGEST_PROBLEM = 1_000

Check = Callable[[Form], list[str]]


@dataclass
class Asking:
    """What one assessment has asked and spent so far. `dropped` counts what a model named and nobody had shown it."""

    model: LanguageModel
    replies: Replies
    terms: AssessmentLimits
    law: Law
    spent: Tokens = field(default_factory=Tokens)
    requests: int = 0
    dropped: Counter[str] = field(default_factory=Counter)
    steps: list[Step] = field(default_factory=list)
    pictures: tuple[Picture, ...] = ()

    async def look(self, look: Look) -> None:
        """Fetch the pictures of the goods, which every question then comes with. Raises AssessmentError where no
        request may be paid for, so that nothing is fetched for nobody."""
        await self.replies.allow()
        started = time.perf_counter()
        looked = await look()
        self.pictures = looked.pictures
        self.note("look at the pictures", str(looked), started)

    async def ask(
        self, question: str, form: type[Form], *, check: Check[Form] | None = None, most_tokens: int | None = None
    ) -> Form:
        """The answer to one question, in its form. Raises AssessmentError."""
        schema = schema_of(form)
        turns: tuple[Turn, ...] = (Said(question),)
        fault = Fault.MALFORMED
        for _ in range(2):
            reply = await self.send(turns, schema, most_tokens=most_tokens)
            answer, faults, fault = read(reply, form, check)
            if answer is not None:
                return answer
            turns = (*turns, reply, *repairs(reply, faults))
        raise AssessmentError(fault)

    async def send(
        self,
        turns: tuple[Turn, ...],
        schema: dict[str, Any],
        *,
        tools: tuple[Tool, ...] = (),
        most_tokens: int | None = None,
    ) -> Reply:
        """One request and its reply, paid for once. Raises AssessmentError."""
        if self.spent.total >= self.terms.tokens:
            raise AssessmentError(Fault.TOO_MANY_TOKENS)
        most = min(most_tokens or self.terms.answer_tokens, self.terms.answer_tokens)
        request = Request(system(self.law, None if tools else schema), turns, schema, tools, most)
        reply = await self._reply(request)
        self.requests += 1
        self.spent += reply.tokens
        if reply.stop is Stop.REFUSED:
            raise AssessmentError(Fault.REFUSED)
        return reply

    async def _reply(self, request: Request) -> Reply:
        """The reply to a request with the pictures; where its server refuses it so, asked once without them, and so is
        all that follows."""
        if self.pictures:
            started = time.perf_counter()
            try:
                return await self._once(request.showing(self.pictures, PICTURES))
            except PicturesRefusedError:
                reply = await self._once(request)
            if self.pictures:
                self.note("look at the pictures", "the model's server refuses pictures; asked without them", started)
            self.pictures = ()
            return reply
        return await self._once(request)

    async def _once(self, request: Request) -> Reply:
        return await ask_once(self.model, self.terms.model, self.replies, request)

    def note(self, name: str, outcome: str, started: float) -> None:
        """Keep a step; `started` is by time.perf_counter()."""
        self.steps.append(Step(f"assessment: {name}", outcome, round((time.perf_counter() - started) * 1000, 3)))


def read(reply: Reply, form: type[Form], check: Check[Form] | None = None) -> tuple[Form | None, list[str], Fault]:
    """The answer in a reply, or what is wrong with it and what kind of fault that is."""
    try:
        answer = form.model_validate(_parsed(answer_text(reply)))
    except ValidationError as error:
        return None, [_fault(one["loc"], one["msg"]) for one in error.errors()], Fault.MALFORMED
    except (ValueError, RecursionError):
        cut_off = " It was cut off: be brief." if reply.stop is Stop.LENGTH else ""
        return None, [f"It is not one JSON object.{cut_off}"], Fault.MALFORMED
    found = check(answer) if check else []
    return (None if found else answer), found, Fault.FAILED_CHECK


def _fault(place: Sequence[str | int], message: str) -> str:
    """What is wrong with a form, with the place named; where that is the form as a whole, so does this.

    >>> _fault(("sureness",), "Field required"), _fault((), "Input should be an object")
    ('`sureness`: Field required', 'The answer as a whole: Input should be an object')
    """
    return f"`{'.'.join(map(str, place))}`: {message}" if place else f"The answer as a whole: {message}"


def repairs(reply: Reply, faults: Sequence[str]) -> tuple[Turn, ...]:
    """The turns that ask for the answer once more: each call of the reply is answered, as both formats want it."""
    told = REPAIR.format(
        problems="\n".join(f"- {shortened(fault, _LONGEST_PROBLEM)}" for fault in faults[:_MOST_PROBLEMS])
    )
    if not reply.calls:
        return (Said(told),)
    return tuple(ToolResult(call.id, told) for call in reply.calls)


def answer_text(reply: Reply) -> str:
    """Where the answer stands: in the call that gives it, or else in the text."""
    given = answer_call(reply)
    return given.arguments if given else reply.text


def answer_call(reply: Reply) -> ToolCall | None:
    """The call that gives the answer."""
    return next((call for call in reply.calls if call.tool == ANSWER), None)


def _parsed(text: str) -> object:
    """The JSON of a text: all of it, or what stands in a fence, or from its first brace to its last."""
    fenced = _FENCED.search(text)
    braces = text[text.find("{") : text.rfind("}") + 1]
    for candidate in (text, fenced[1] if fenced else "", braces):
        try:
            return json.loads(candidate)
        except (ValueError, RecursionError):
            continue
    msg = "no JSON"
    raise ValueError(msg)
