"""Settings in, assessments out. The trap: a misspelt setting found at the first assessment; all are looked at when a
worker starts, and each mistake is a sentence that names its variable."""

from __future__ import annotations

import importlib
from decimal import Decimal
from enum import StrEnum
from typing import TypeVar

from pcs.base.errors import OperatorError
from pcs.base.settings import Settings
from pcs.reviewer.assessment import Assessments, Evidence, Reviewer
from pcs.reviewer.calibration import read_calibration
from pcs.reviewer.conversation import LanguageModel
from pcs.reviewer.model import Api, AssessmentLimits, Budget, Prices, Way
from pcs.reviewer.server import Server

_MODELS = {
    Api.OPENAI: ("pcs.reviewer.chat_completions", "ChatCompletions"),
    Api.ANTHROPIC: ("pcs.reviewer.anthropic_messages", "AnthropicMessages"),
}
_LARGEST_PICTURE = {Api.OPENAI: 5_000_000, Api.ANTHROPIC: 3_900_000}  # bytes; Anthropic counts 5 MiB after Base64
_Word = TypeVar("_Word", bound=StrEnum)


def configured(settings: Settings, evidence: Evidence) -> Assessments | None:
    """The assessments that the settings ask for; None where they are off. Raises OperatorError."""
    reviewer = configured_reviewer(settings)
    budget = Budget(_money(settings.reviewer_daily_budget), _money(settings.reviewer_organization_daily_budget))
    priced = settings.reviewer_input_price or settings.reviewer_output_price
    if reviewer and budget != Budget() and not priced:
        msg = "A reviewer's budget needs prices: set PCS_REVIEWER_INPUT_PRICE and PCS_REVIEWER_OUTPUT_PRICE."
        raise OperatorError(msg)
    return None if reviewer is None else Assessments(reviewer, evidence, budget)


def configured_reviewer(settings: Settings) -> Reviewer | None:
    """The model and the terms that the settings name; None where they are off. Raises OperatorError."""
    api = _word(Api, settings.reviewer_api, "PCS_REVIEWER_API")
    way = _word(Way, settings.reviewer_way, "PCS_REVIEWER_WAY")
    if api is Api.OFF:
        return None
    _require_usable(settings, api)
    prices = Prices(
        Decimal(str(settings.reviewer_input_price)),
        Decimal(str(settings.reviewer_output_price)),
        settings.reviewer_currency,
    )
    terms = AssessmentLimits(
        model=settings.reviewer_model,
        way=way,
        ask_below=settings.reviewer_ask_below,
        seconds=settings.reviewer_limit_seconds,
        tokens=settings.reviewer_most_tokens,
        answer_tokens=settings.reviewer_answer_tokens,
        prices=prices,
        picture_bytes=_LARGEST_PICTURE[api] if settings.reviewer_pictures else 0,
    )
    return Reviewer(_model(settings, api), terms, read_calibration(settings.data_dir, terms))


def _require_usable(settings: Settings, api: Api) -> None:
    if not settings.reviewer_model:
        msg = "PCS_REVIEWER_MODEL is empty: name the model that assesses answers, as its server knows it."
        raise OperatorError(msg)
    url = settings.reviewer_base_url
    if url and not url.startswith(("http://", "https://")):
        msg = f"PCS_REVIEWER_BASE_URL={url!r} is not usable: give an address that begins with http:// or https://."
        raise OperatorError(msg)
    if not settings.reviewer_api_key and (api is Api.ANTHROPIC or not url):
        msg = "PCS_REVIEWER_API_KEY is empty: set it, or PCS_REVIEWER_API_KEY_FILE."
        raise OperatorError(msg)
    if min(settings.reviewer_concurrency, settings.reviewer_answer_tokens, settings.reviewer_most_tokens) < 1:
        msg = "PCS_REVIEWER_CONCURRENCY, PCS_REVIEWER_ANSWER_TOKENS and PCS_REVIEWER_MOST_TOKENS must be 1 or more."
        raise OperatorError(msg)


def _model(settings: Settings, api: Api) -> LanguageModel:
    module, name = _MODELS[api]
    try:
        kind = getattr(importlib.import_module(module), name)
    except ImportError as error:
        msg = f"The reviewer's libraries are not installed ({error.name}): run `make reviewer`."
        raise OperatorError(msg) from None
    server = Server(
        model=settings.reviewer_model,
        base_url=settings.reviewer_base_url,
        key=settings.reviewer_api_key,
        seconds=settings.reviewer_request_seconds,
        retries=settings.reviewer_retries,
        temperature=settings.reviewer_temperature,
    )
    model: LanguageModel = kind(server)
    return model


def _word(kind: type[_Word], text: str, variable: str) -> _Word:
    try:
        return kind(text.lower())
    except ValueError:
        msg = f"{variable}={text!r} is not usable: give {', '.join(kind)}."
        raise OperatorError(msg) from None


def _money(value: float | None) -> Decimal | None:
    return None if value is None else Decimal(str(value))
