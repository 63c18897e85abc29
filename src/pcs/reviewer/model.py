"""An assessment: what may be asked, what it spent, how it ended. The trap: a model's prose before customers; it is
made of codes, references and words from closed lists, and every sentence about it is ours."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from decimal import Decimal
from enum import StrEnum
from typing import Any

from pcs.base.tenancy import Tenant
from pcs.engine.determination import Determination

MILLION = 1_000_000


class Way(StrEnum):
    """How an assessment is done: our own steps in a fixed order, or a loop in which the model uses our tools."""

    PIPELINE = "pipeline"
    TOOLS = "tools"


class Api(StrEnum):
    """Which wire format the model's server speaks; off asks nobody."""

    OFF = "off"
    OPENAI = "openai"
    ANTHROPIC = "anthropic"


class Ending(StrEnum):
    """How an assessment ended: the engine's code confirmed, another chosen, or no usable reply, so that it stands."""

    CONFIRMED = "confirmed"
    CHANGED = "changed"
    STOOD = "stood"


class Fault(StrEnum):
    """Why an assessment came to nothing, in the words that steps, metrics and reasons use."""

    TIME_OUT = "the model took too long"
    RATE_LIMIT = "the model's server asked to come back later"
    UNAVAILABLE = "the model's server failed"
    NOT_ALLOWED = "the model's server refused the request: its key, model name or settings are not accepted"
    REFUSED = "the model refused"
    MALFORMED = "the model's answer had no usable form, twice"
    FAILED_CHECK = "the model's answer failed its check, twice"
    TOO_MANY_TOKENS = "the assessment's limit of tokens was reached"
    BUDGET_SPENT = "the day's budget is spent"


class AssessmentError(Exception):
    """An assessment that cannot go on; the engine's answer stands."""

    def __init__(self, fault: Fault, detail: str = "") -> None:
        super().__init__(f"{fault}: {detail}" if detail else str(fault))
        self.fault = fault


class PicturesRefusedError(AssessmentError):
    """A request that its server refuses, as it may for the pictures in it."""


@dataclass(frozen=True, slots=True)
class Tokens:
    """What one or many requests took."""

    input: int = 0
    output: int = 0

    def __add__(self, other: Tokens) -> Tokens:
        return Tokens(self.input + other.input, self.output + other.output)

    @property
    def total(self) -> int:
        """Both ways."""
        return self.input + self.output


@dataclass(frozen=True, slots=True)
class Prices:
    """What a million tokens cost, in the operator's currency; zero where nothing is paid."""

    input: Decimal = Decimal(0)
    output: Decimal = Decimal(0)
    currency: str = "USD"

    def cost(self, tokens: Tokens) -> Decimal:
        """What tokens cost.

        >>> Prices(Decimal(3), Decimal(15)).cost(Tokens(1_000, 200))
        Decimal('0.006')
        """
        return (self.input * tokens.input + self.output * tokens.output) / MILLION


@dataclass(frozen=True, slots=True)
class Budget:
    """What a day (UTC) may cost, all of it and one organization's; None sets no limit."""

    day: Decimal | None = None
    organization: Decimal | None = None


@dataclass(frozen=True, slots=True)
class ReplyKey:
    """What names a reply that was paid for: whose classification it is for, and the digest of the request."""

    tenant: Tenant
    classification_id: str
    digest: str


@dataclass(frozen=True, slots=True)
class Spending:
    """What assessments took on some days, and how they ended."""

    requests: int
    tokens: Tokens
    cost: Decimal
    confirmed: int
    changed: int
    stood: int
    dropped: int


@dataclass(frozen=True, slots=True)
class AssessmentLimits:
    """How assessments are done. `ask_below`: only where the engine's confidence is under it; 1 asks always.

    Limits are for one assessment: `seconds` and `tokens` in all, `answer_tokens` for each reply. `picture_bytes` is the
    size of the largest picture that the model is shown; 0 shows it none.
    """

    model: str
    way: Way = Way.PIPELINE
    ask_below: float = 1.0
    seconds: float = 300.0
    tokens: int = 100_000
    answer_tokens: int = 4_096
    prices: Prices = field(default_factory=Prices)
    picture_bytes: int = 0

    def wants(self, determination: Determination) -> bool:
        """Whether a determination is to be assessed: it has a code, and too little confidence in it."""
        result = determination.result
        if result is None:
            return False
        confidence = result.confidence
        sure = confidence is not None and confidence >= self.ask_below and self.ask_below < 1
        return not sure


@dataclass(frozen=True, slots=True)
class Record:
    """What is kept of an assessment beside the classification's result. `dropped` counts what the model named and
    nobody had shown it, by kind (code, ruling, note, fact); `engine_code` is the engine's own answer; `certain` is
    False where the model doubted its own; `pictures` how many it saw."""

    model: str
    way: Way
    prompts: str
    ending: Ending
    engine_code: str
    requests: int = 0
    tokens: Tokens = field(default_factory=Tokens)
    cost: Decimal = Decimal(0)
    currency: str = "USD"
    fault: Fault | None = None
    certain: bool = True
    dropped: Mapping[str, int] = field(default_factory=Counter)
    pictures: int = 0

    def document(self) -> dict[str, Any]:
        """As it is stored: plain JSON values."""
        plain = asdict(self)
        tokens = plain.pop("tokens")
        named = {"input_tokens": tokens["input"], "output_tokens": tokens["output"], "cost": str(self.cost)}
        return {**plain, **named, "dropped": dict(self.dropped)}


@dataclass(frozen=True, slots=True)
class Assessed:
    """A determination after its assessment, and what the assessment was; None where nobody was asked."""

    determination: Determination
    record: Record | None
