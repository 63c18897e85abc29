"""An assessment, top to bottom: ask whether it is wanted, ask the model in its way, check, merge; whatever goes wrong
with the model, the engine's answer stands and says so. The trap: one that outlives its limit; all of it has one."""

from __future__ import annotations

import asyncio
import dataclasses
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from pcs.engine.determination import Determination, Step
from pcs.engine.product import Product
from pcs.engine.result import Result
from pcs.reviewer import loop, prompts
from pcs.reviewer.answers import AssessmentAnswer
from pcs.reviewer.asking import Asking
from pcs.reviewer.calibration import Calibration, Word
from pcs.reviewer.checks import line_of
from pcs.reviewer.conversation import LanguageModel, Replies
from pcs.reviewer.law import Law
from pcs.reviewer.lookups import Lookups
from pcs.reviewer.merging import after, changed, confirmed, stood
from pcs.reviewer.model import Assessed, AssessmentError, AssessmentLimits, Budget, Ending, Fault, Record, Way
from pcs.reviewer.pictures import Look
from pcs.reviewer.pipeline import Pipeline
from pcs.tariff.code import Code
from pcs.tariff.revision import ScheduleName

Evidence = Callable[[Product, ScheduleName], tuple[Law, Sequence[Code]]]
"""What an assessment may look at: the law, and the headings that come into question. Blocks."""


class RevisionChangedError(RuntimeError):
    """The law is another revision's than the determination: the analysis must be done anew."""


@dataclass(frozen=True, slots=True)
class Reviewer:
    """A model, the terms on which it is asked, and how right it was known to be on them."""

    model: LanguageModel
    terms: AssessmentLimits
    calibration: Calibration = field(default_factory=Calibration)

    async def assess(
        self,
        product: Product,
        determination: Determination,
        law: Law,
        candidates: Sequence[Code],
        replies: Replies,
        *,
        look: Look | None = None,
    ) -> Assessed:
        """The determination after its assessment; as it was where none is wanted.

        `candidates` are headings that come into question, best first; `look` fetches the pictures of the goods, where
        there are any that the model is to see. Raises RevisionChangedError.
        """
        result = determination.result
        if result is None or not self.terms.wants(determination):
            return Assessed(determination, None)
        if law.schedule.revision != determination.revision:
            msg = f"{determination.revision.name} is not {law.schedule.revision.name}"
            raise RevisionChangedError(msg)
        asking = Asking(self.model, replies, self.terms, law)
        lookups = Lookups(law)
        started = time.perf_counter()
        try:
            async with asyncio.timeout(self.terms.seconds):
                if look is not None:
                    await asking.look(look)
                verdict = await self._asked(asking, lookups, product, result, candidates)
        except TimeoutError:
            return self._stood(determination, result, Fault.TIME_OUT, asking, started)
        except AssessmentError as error:
            return self._stood(determination, result, error.fault, asking, started)
        ending, merged = self._merged(result, verdict, asking, product)
        record = dataclasses.replace(self._record(ending, result, asking), certain=verdict.is_certain)
        said = f"{result.code} {ending}" if ending is Ending.CONFIRMED else f"{result.code} changed to {merged.code}"
        last = self._last(asking, said, started)
        return Assessed(after(determination, merged, asking.steps, last), record)

    async def _asked(
        self, asking: Asking, lookups: Lookups, product: Product, engine: Result, candidates: Sequence[Code]
    ) -> AssessmentAnswer:
        if self.terms.way is Way.TOOLS:
            return await loop.run(asking, lookups, product, engine, candidates)
        return await Pipeline(asking, lookups, product, engine).run(candidates)

    def _merged(
        self, engine: Result, verdict: AssessmentAnswer, asking: Asking, product: Product
    ) -> tuple[Ending, Result]:
        lookups = Lookups(asking.law)
        line = line_of(lookups, verdict.code)
        assert line is not None
        if line.code == engine.code:
            return Ending.CONFIRMED, confirmed(engine, verdict, lookups, model=self.terms.model)
        word = Word.of(Ending.CHANGED, certain=verdict.is_certain)
        known = None if asking.pictures else self.calibration.of(lookups.law.name, word)  # counted on words alone
        merged = changed(engine, verdict, lookups, product=product, model=self.terms.model, known=known)
        return Ending.CHANGED, merged

    def _stood(
        self, determination: Determination, engine: Result, fault: Fault, asking: Asking, started: float
    ) -> Assessed:
        last = self._last(asking, f"{fault}; the engine's answer is kept", started)
        merged = after(determination, stood(engine, fault, model=self.terms.model), asking.steps, last)
        return Assessed(merged, self._record(Ending.STOOD, engine, asking, fault))

    def _last(self, asking: Asking, said: str, started: float) -> Step:
        dropped = sum(asking.dropped.values())
        spent = f"{asking.requests} requests, {asking.spent.input} and {asking.spent.output} tokens"
        outcome = f"{said}; {spent}; {dropped} references named that were not shown"
        return Step("assessment: end", outcome, round((time.perf_counter() - started) * 1000, 3))

    def _record(self, ending: Ending, engine: Result, asking: Asking, fault: Fault | None = None) -> Record:
        terms = self.terms
        return Record(
            model=terms.model,
            way=terms.way,
            prompts=prompts.VERSION,
            ending=ending,
            engine_code=str(engine.code),
            requests=asking.requests,
            tokens=asking.spent,
            cost=terms.prices.cost(asking.spent),
            currency=terms.prices.currency,
            fault=fault,
            dropped={kind: count for kind, count in asking.dropped.items() if count},
            pictures=len(asking.pictures),
        )


@dataclass(frozen=True, slots=True)
class Assessments:
    """All that an installation's assessments need."""

    reviewer: Reviewer
    evidence: Evidence
    budget: Budget
