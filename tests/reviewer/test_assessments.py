"""A whole assessment over real HTTP in both wire formats and in both ways, its faults, its check."""

import dataclasses
import json
import re
import time
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from determinations import result_of, with_result
from model_server import Asked, ModelServer, Use, datas, faithful, verdict
from model_server import Fault as Broken
from pcs.classifications.documents import document_of
from pcs.engine.determination import Determination, Reason, Undetermined
from pcs.engine.product import Product
from pcs.reviewer.answers import FactName
from pcs.reviewer.assessment import Reviewer, RevisionChangedError
from pcs.reviewer.conversation import LanguageModel
from pcs.reviewer.law import Law
from pcs.reviewer.lookups import NAMES
from pcs.reviewer.model import Assessed, AssessmentLimits, Ending, Fault, Prices, Way
from pcs.reviewer.replies import FileReplies
from pcs.tariff.code import Code
from reviewer.small_law import MEN, OTHER_FIBRE, PHONE_PARTS, RULINGS, SHIRT, SWEATER, WOMEN, determination

CANDIDATES = (Code("6109"), Code("6110"))
NOTHING = Undetermined(Reason.INSUFFICIENT_INFORMATION, "Nothing is said.")
TERMS = AssessmentLimits("test-model", prices=Prices(Decimal(3), Decimal(15)), seconds=20)


async def assessed(
    model: LanguageModel,
    law: Law,
    replies: FileReplies,
    *,
    way: Way = Way.PIPELINE,
    engine: Determination | None = None,
    product: Product = SHIRT,
    **terms: Any,
) -> Assessed:
    reviewer = Reviewer(model, dataclasses.replace(TERMS, way=way, **terms))
    return await reviewer.assess(product, engine or determination(), law, CANDIDATES, replies)


def choosing(code: str, **more: Any) -> Any:
    """A model that answers sensibly and at the end gives this code."""

    def script(asked: Asked) -> Any:
        answer = faithful(asked)
        return verdict(code, **more) if isinstance(answer, dict) and "code" in answer else answer

    return script


def after_its_view(script: Any) -> Any:
    """A model that says sensibly what the goods are, and then follows the script."""
    return lambda asked: faithful(asked) if asked.step == "understand" else script(asked)


@pytest.mark.parametrize("way", Way)
async def test_the_model_says_what_it_sees_before_the_engine_s_answer_and_both_go_on(
    server: ModelServer, openai_model: LanguageModel, law: Law, replies: FileReplies, way: Way
) -> None:
    def script(asked: Asked) -> Any:
        view = {"goods": "a jersey", "facts": [], "headings": ["6110", "85.17", "6109", "4711"]}
        return view if asked.step == "understand" else choosing(WOMEN)(asked)

    server.script = script
    found = await assessed(openai_model, law, replies, way=way)
    first, second = server.asked[0], server.asked[1]
    assert first.step == "understand"
    assert not {WOMEN, MEN, "6109"} & set(re.findall(r"\d+", json.dumps(first.turns)))
    seen = json.dumps(second.turns)
    assert all(code in seen for code in ("6109", "6110", "8517"))
    assert "a jersey" in seen
    assert found.record is not None
    assert found.record.dropped == {"code": 1}
    assert found.determination.steps[0].outcome.endswith("headings of its own: 6110, 8517, 6109")


async def test_its_own_headings_and_the_engine_s_are_opened_so_that_it_can_answer_at_once(
    server: ModelServer, openai_model: LanguageModel, law: Law, replies: FileReplies
) -> None:
    def script(asked: Asked) -> Any:
        view = {"goods": "a jersey", "facts": [], "headings": ["6110"]}
        return view if asked.step == "understand" else verdict(SWEATER, notes=["Note 9 to Chapter 61"])

    server.script = script
    found = await assessed(openai_model, law, replies, way=Way.TOOLS)
    assert [one["code"] for one in server.asked[1].data()["looked_up"]] == ["6110", "6109"]
    assert len(server.asked) == 2
    assert found.determination.code == SWEATER


@pytest.mark.parametrize("way", Way)
async def test_a_code_is_confirmed_over_http(
    server: ModelServer, model: LanguageModel, law: Law, replies: FileReplies, way: Way
) -> None:
    server.script = choosing(WOMEN)
    found = await assessed(model, law, replies, way=way)
    assert found.determination.code == WOMEN
    assert "(test-model) assessed this answer and confirmed the code" in found.determination.answer.reasoning
    assert found.record is not None
    assert (found.record.ending, found.record.fault) == (Ending.CONFIRMED, None)
    assert found.record.requests == len(server.asked)
    assert found.record.tokens.input == 100 * len(server.asked)
    assert found.record.cost == Decimal(len(server.asked)) * Decimal("0.00045")
    assert "someone else's" not in str(found)


@pytest.mark.parametrize("way", Way)
async def test_another_line_is_chosen_with_everything_that_belongs_to_it(
    server: ModelServer, model: LanguageModel, law: Law, replies: FileReplies, way: Way
) -> None:
    server.script = choosing(MEN, facts=["for whom (men, women, children, infants)"], missing=["weight"])
    found = await assessed(model, law, replies, way=way)
    answer = result_of(found.determination)
    assert (answer.code, answer.confidence, answer.confident_digits, answer.needs_review) == (MEN, None, 6, True)
    assert answer.description.endswith("Of cotton > Men's")
    assert answer.duty.general == "16.5%"
    assert [level.confidence for level in answer.hierarchy] == [None, 0.9, 0.8, None]
    assert [other.code for other in answer.alternatives] == [WOMEN, SWEATER]
    assert "changed it from 6109.10.00.40 to 6109.10.00.12" in answer.reasoning
    assert "The engine's own reasons." in answer.reasoning
    assert answer.missing_information == ("Not stated, and could change the code: weight?",)
    assert found.record is not None
    assert (found.record.ending, found.record.engine_code) == (Ending.CHANGED, WOMEN)
    before = document_of(result_of(determination()))
    assert document_of(answer).keys() == before.keys()


async def test_the_pipeline_goes_level_by_level_and_keeps_each_step(
    server: ModelServer, model: LanguageModel, law: Law, replies: FileReplies
) -> None:
    def both_headings(asked: Asked) -> Any:
        if asked.step == "headings":
            return {"headings": ["6109", "6110"], "notes": ["Note 9 to Chapter 61"]}
        if asked.step == "level" and asked.data()["provisions"][0]["provision"] == "Men's":
            return {"number": 2, "notes": []}
        return faithful(asked)

    server.script = both_headings
    found = await assessed(model, law, replies)
    assert [asked.step for asked in server.asked][:2] == ["understand", "headings"]
    levels = [asked.data()["provisions"] for asked in server.asked if asked.step == "level"]
    assert [one["provision"] for one in levels[0]] in (
        ["Of cotton", "Of other fibres:"],
        ["Of cotton", "Of man-made fibres"],
    )
    check = next(asked for asked in server.asked if asked.step == "check")
    assert {line["code"] for line in datas(check.question)[3]["lines"]} == {WOMEN, SWEATER}
    assert "Note 9 to Chapter 61" in check.question
    assert "N100001" in check.question
    assert "N100002" not in json.dumps([asked.body for asked in server.asked])
    names = [step.name for step in found.determination.steps]
    assert names[0] == "assessment: understand the goods"
    assert names[-1] == "assessment: end"
    assert found.determination.steps[-1].outcome.endswith("; 0 references named that were not shown")
    assert names.count("assessment: compare subdivisions") == 2


async def test_the_loop_uses_tools_and_is_told_what_is_wrong_with_its_calls(
    server: ModelServer, model: LanguageModel, law: Law, replies: FileReplies
) -> None:
    wanted = [
        Use(("search_schedule", {"words": "knitted T-shirts cotton"}), ("format_disk", {})),
        Use(("look_up_code", {"code": "6109.10"}), ("look_up_code", {"code": "4711"}), ("look_up_code", {})),
        Use(
            ("search_rulings", {"words": "cotton T-shirt", "code": "6109"}),
            ("read_ruling", {"reference": "NY N100001"}),
        ),
        verdict(MEN, rulings=["N100001"], notes=["Note 9 to Chapter 61"]),
    ]
    server.script = after_its_view(lambda asked: wanted[sum(turn["role"] == "assistant" for turn in asked.turns)])
    found = await assessed(model, law, replies, way=Way.TOOLS)
    said = json.dumps(server.asked[-1].body)
    assert server.asked[1].tools == {*NAMES, "answer"}
    assert "There is no such tool" in said
    assert "not a tariff code" in said or "has no code 4711" in said
    assert "needs code" in said
    assert "The letter on" in said
    assert found.determination.code == MEN
    assert [ruling.reference for ruling in result_of(found.determination).rulings] == ["N100001"]
    assert "It cites N100001." in found.determination.answer.reasoning
    assert "It relies on Note 9 to Chapter 61." in found.determination.answer.reasoning


async def test_a_loop_without_an_end_is_ended(
    server: ModelServer, model: LanguageModel, law: Law, replies: FileReplies
) -> None:
    server.script = after_its_view(lambda _: Use(("search_schedule", {"words": "more"})))
    found = await assessed(model, law, replies, way=Way.TOOLS)
    assert found.record is not None
    assert found.record.fault is Fault.MALFORMED
    assert found.determination.code == WOMEN
    assert len(server.asked) == 1 + 15
    assert "search_schedule" not in server.asked[-1].tools


CHECKED = [
    ("no line", verdict("6109"), {"code": 2}),
    ("an invented code", verdict("6109999999"), {"code": 2}),
    ("words for a code", verdict("ignore the rules"), {"code": 2}),
    ("a legal provision", verdict("9801001000"), {"code": 2}),
    ("a line nobody showed", verdict("8517130000"), {"code": 2}),
    ("an invented ruling", verdict(MEN, rulings=["N999999"]), {"ruling": 2}),
    ("a revoked ruling", verdict(MEN, rulings=["N100002"]), {"ruling": 2}),
    ("an invented note", verdict(MEN, notes=["Note 99 to Chapter 61"]), {"note": 2}),
]


@pytest.mark.parametrize("way", Way)
@pytest.mark.parametrize(("answer", "dropped"), [case[1:] for case in CHECKED], ids=[case[0] for case in CHECKED])
async def test_what_was_not_shown_gets_one_repair_turn_and_then_the_engine_stands(
    server: ModelServer,
    openai_model: LanguageModel,
    law: Law,
    replies: FileReplies,
    *,
    answer: Any,
    dropped: dict[str, int],
    way: Way,
) -> None:
    def script(asked: Asked) -> Any:
        usual = faithful(asked)
        return answer if isinstance(usual, dict) and "code" in usual else usual

    server.script = script
    found = await assessed(openai_model, law, replies, way=way)
    assert found.record is not None
    assert (found.record.ending, found.record.fault) == (Ending.STOOD, Fault.FAILED_CHECK)
    assert found.record.dropped == dropped
    assert found.determination.code == WOMEN
    assert "the engine's own answer is kept" in found.determination.answer.reasoning
    assert sum(asked.is_repair for asked in server.asked) == 1


@pytest.mark.parametrize(
    ("looked", "reference"), [("look_up_code", "N100001"), ("read_ruling", "N100002"), ("read_ruling", "N100003")]
)
async def test_a_ruling_is_cited_only_if_it_was_shown_is_in_force_and_decided_for_the_heading(
    server: ModelServer, openai_model: LanguageModel, law: Law, replies: FileReplies, *, looked: str, reference: str
) -> None:
    arguments = {"code": "6109.10", "reference": reference}
    server.script = after_its_view(
        lambda asked: Use((looked, arguments)) if len(asked.turns) == 1 else verdict(MEN, rulings=[reference])
    )
    found = await assessed(openai_model, law, replies, way=Way.TOOLS, product=Product("A singlet"))
    assert found.record is not None
    assert found.record.fault is Fault.FAILED_CHECK
    assert result_of(found.determination).rulings == ()


async def test_an_answer_that_is_repaired_counts(
    server: ModelServer, model: LanguageModel, law: Law, replies: FileReplies
) -> None:
    def script(asked: Asked) -> Any:
        if asked.step == "check" and not asked.is_repair:
            return verdict(MEN, rulings=["N999999"])
        return choosing(MEN, rulings=["N100001"])(asked)

    server.script = script
    found = await assessed(model, law, replies)
    assert found.determination.code == MEN
    assert found.record is not None
    assert found.record.dropped == {"ruling": 1}


PARTS = [
    ("whole goods, no rule", None, [], True),
    ("not a part", "not a part", [], True),
    ("a note that is not named", "a section or chapter note", [], False),
    ("a note that is", "a section or chapter note", ["Note 2 to Chapter 85"], True),
    ("the provision itself", "the provision itself names these parts", [], True),
]


@pytest.mark.parametrize(("rule", "notes", "is_one"), [case[1:] for case in PARTS], ids=[case[0] for case in PARTS])
async def test_a_line_whose_words_name_parts_asks_for_no_rule_and_one_that_is_claimed_and_is_none_is_left_out(
    server: ModelServer,
    openai_model: LanguageModel,
    law: Law,
    replies: FileReplies,
    *,
    rule: str | None,
    notes: list[str],
    is_one: bool,
) -> None:
    phone = with_result(determination(), code=Code("8517130000"), hierarchy=(), alternatives=())
    server.script = choosing(PHONE_PARTS, parts_rule=rule, notes=notes)
    reviewer = Reviewer(openai_model, dataclasses.replace(TERMS, way=Way.TOOLS))
    found = await reviewer.assess(SHIRT, phone, law, (Code("8517"),), replies)
    assert found.determination.code == PHONE_PARTS
    assert len(server.asked) == 2, "nothing is asked again"
    said = found.determination.answer.reasoning
    assert ("The goods are parts of it by" in said) is (is_one and rule not in {None, "not a part"})
    assert ("The goods are whole, no parts." in said) is (rule == "not a part")


@pytest.mark.parametrize("way", Way)
@pytest.mark.parametrize("code", [WOMEN, MEN])
async def test_an_answer_may_hold_to_six_digits_with_the_facts_that_would_settle_the_rest(
    server: ModelServer, openai_model: LanguageModel, law: Law, replies: FileReplies, *, way: Way, code: str
) -> None:
    settled = with_result(determination(), needs_review=False, confident_digits=10)
    server.script = choosing(code, known_digits=6, missing=["for whom (men, women, children, infants)"])
    found = await assessed(openai_model, law, replies, way=way, engine=settled)
    answer = result_of(found.determination)
    assert (answer.code, answer.confident_digits, answer.needs_review) == (code, 6, True)
    assert "It holds to 6 digits; those after them depend on: for whom" in answer.reasoning
    assert answer.missing_information == (
        "Not stated, and could change the code: for whom (men, women, children, infants)?",
    )


async def test_an_answer_may_hold_to_no_digit(
    server: ModelServer, openai_model: LanguageModel, law: Law, replies: FileReplies
) -> None:
    server.script = choosing(MEN, known_digits=0, missing=["material"])
    found = await assessed(openai_model, law, replies, way=Way.TOOLS)
    answer = result_of(found.determination)
    assert (answer.code, answer.confident_digits, answer.needs_review) == (MEN, 0, True)
    assert "It depends on: material." in answer.reasoning


async def test_the_engine_s_lines_are_told_by_their_own_words_where_their_heading_stands_beside_them(
    server: ModelServer, openai_model: LanguageModel, law: Law, replies: FileReplies
) -> None:
    server.script = choosing(MEN)
    await assessed(openai_model, law, replies, way=Way.TOOLS)
    said = server.asked[-1].turns[0]["content"]
    told = said[said.index("The engine's answer") : said.index("Headings that you")]
    assert f'{{"code":"{WOMEN}","provision":"Women\'s"}}' in told
    assert f'{{"code":"{SWEATER}","provision":"Sweaters > Of cotton"}}' in told  # not looked up


@pytest.mark.parametrize("way", Way)
@pytest.mark.parametrize("code", [WOMEN, MEN])
async def test_an_answer_may_name_what_the_goods_words_contradict_and_it_becomes_the_question(
    server: ModelServer, openai_model: LanguageModel, law: Law, replies: FileReplies, *, way: Way, code: str
) -> None:
    settled = with_result(determination(), needs_review=False, confident_digits=10)
    server.script = choosing(code, known_digits=2, contradicted=["material"])
    found = await assessed(openai_model, law, replies, way=way, engine=settled)
    answer = result_of(found.determination)
    assert (answer.code, answer.confident_digits, answer.needs_review) == (code, 2, True)
    assert "The description contradicts itself on: material." in answer.reasoning
    assert "It holds to 2 digits; those after them depend on: material." in answer.reasoning
    assert answer.missing_information == ("Stated in ways that cannot both be true: material?",)


@pytest.mark.parametrize("loaded", [True, False])
async def test_a_model_is_told_of_rulings_only_where_there_are_any(
    server: ModelServer, openai_model: LanguageModel, law: Law, replies: FileReplies, *, loaded: bool
) -> None:
    known = law if loaded else law.without(one.reference for one in RULINGS)
    server.script = choosing(MEN)
    await assessed(openai_model, known, replies, way=Way.TOOLS)
    asked = json.dumps([one.body for one in server.asked])
    assert ("read the rulings that the goods' own words found" in asked) is loaded
    assert ("N100001" in asked) is loaded
    assert ("search_rulings" in asked) is loaded


FACTS = (FactName.COATING, FactName.WORKING, FactName.BRAND)
UNTENABLE = [
    ("not a number of digits", {"known_digits": 5, "missing": ["brand, maker or model"]}, "`known_digits`: Input"),
    ("no object", [], "The answer as a whole: Input should be"),
    ("a long complaint", {"sureness": "quite " * 60}, "`sureness`: Input should be 'sure' or 'doubtful'"),
]


@pytest.mark.parametrize(("answer", "told"), [case[1:] for case in UNTENABLE], ids=[case[0] for case in UNTENABLE])
async def test_a_repair_says_what_is_wrong_and_where_from_its_beginning(
    server: ModelServer, model: LanguageModel, law: Law, replies: FileReplies, *, answer: Any, told: str
) -> None:
    def script(asked: Asked) -> Any:
        if asked.step != "check" or asked.is_repair:
            return choosing(MEN, facts=list(FACTS))(asked)
        return verdict(MEN, **answer) if isinstance(answer, dict) else json.dumps(answer)

    server.script = script
    found = await assessed(model, law, replies)
    repair = json.dumps(server.asked[-1].turns[-1], ensure_ascii=False)
    assert f"Your answer cannot be used:\\n- {told}" in repair
    assert found.determination.code == MEN
    said = found.determination.answer.reasoning.partition("Facts that decided: ")[2]
    assert said.startswith(FACTS[0])
    assert all(fact in said for fact in FACTS)


FAULTS = [
    ("silence", Broken(seconds=0.8), Fault.TIME_OUT, 3),
    ("500", Broken(500), Fault.UNAVAILABLE, 3),
    ("429", Broken(429, headers={"Retry-After": "1"}), Fault.RATE_LIMIT, 3),
    ("401", Broken(401), Fault.NOT_ALLOWED, 1),
    ("404", Broken(404), Fault.NOT_ALLOWED, 1),
    ("no JSON", Broken(200, body=b"<html>Sorry</html>"), Fault.UNAVAILABLE, 1),
    ("another JSON", Broken(200, body=b'{"object": "list"}'), Fault.UNAVAILABLE, 1),
    ("an array", Broken(200, body=b"[]"), Fault.UNAVAILABLE, 1),
    ("deep JSON", Broken(200, body=b"[" * 100_000), Fault.UNAVAILABLE, 1),
    ("nothing", Broken(200, body=b""), Fault.UNAVAILABLE, 1),
]


@pytest.mark.parametrize(("broken", "fault", "requests"), [one[1:] for one in FAULTS], ids=[one[0] for one in FAULTS])
async def test_a_server_s_fault_is_tried_again_where_that_helps_and_then_the_engine_stands(
    server: ModelServer,
    model: LanguageModel,
    law: Law,
    replies: FileReplies,
    *,
    broken: Broken,
    fault: Fault,
    requests: int,
) -> None:
    server.script = lambda _: broken
    found = await assessed(model, law, replies)
    assert found.record is not None
    assert (found.record.ending, found.record.fault) == (Ending.STOOD, fault)
    assert len(server.asked) == requests
    assert found.determination.code == WOMEN
    assert str(fault) in found.determination.answer.reasoning
    assert "sk-secret" not in str(found)


async def test_a_server_that_asks_to_wait_is_waited_for(
    server: ModelServer, model: LanguageModel, law: Law, replies: FileReplies
) -> None:
    server.script = choosing(MEN)
    server.faults = [Broken(429, headers={"Retry-After": "1"}), Broken(503)]
    found = await assessed(model, law, replies)
    assert found.determination.code == MEN
    assert server.at[1] - server.at[0] >= 1.0


@pytest.mark.parametrize("way", Way)
@pytest.mark.parametrize(
    ("reply", "fault"),
    [
        ("I refuse", Fault.REFUSED),
        ("I am sorry, I cannot help with that.", Fault.MALFORMED),
        ('{"code": ', Fault.MALFORMED),
        ("{}", Fault.MALFORMED),
        ("[" * 5_000, Fault.MALFORMED),
    ],
)
async def test_a_refusal_ends_an_assessment_and_a_malformed_answer_is_asked_for_once_more(
    server: ModelServer, model: LanguageModel, law: Law, replies: FileReplies, *, reply: str, fault: Fault, way: Way
) -> None:
    server.script = lambda _: reply
    found = await assessed(model, law, replies, way=way)
    assert found.record is not None
    assert found.record.fault is fault
    assert len(server.asked) == (1 if fault is Fault.REFUSED else 2)
    assert found.determination.code == WOMEN


async def test_an_answer_in_a_fence_or_among_words_is_read(
    server: ModelServer, model: LanguageModel, law: Law, replies: FileReplies
) -> None:
    def script(asked: Asked) -> Any:
        answer = json.dumps(choosing(MEN)(asked))
        return f"Let me see.\n```json\n{answer}\n```" if asked.step == "check" else f"So: {answer}."

    server.script = script
    assert (await assessed(model, law, replies)).determination.code == MEN


async def test_an_assessment_has_a_limit_of_time_and_one_of_tokens(
    server: ModelServer, model: LanguageModel, law: Law, replies: FileReplies, tape: Path
) -> None:
    server.script = faithful
    found = await assessed(model, law, replies, tokens=150)
    assert found.record is not None
    assert (found.record.fault, found.record.requests) == (Fault.TOO_MANY_TOKENS, 2)
    server.script = lambda _: Broken(500, seconds=0.3)
    started = time.monotonic()
    found = await assessed(model, law, FileReplies(tape.with_name("others")), seconds=0.4)
    assert found.record is not None
    assert found.record.fault is Fault.TIME_OUT
    assert time.monotonic() - started < 2


async def test_only_what_is_doubtful_is_asked_about_where_the_operator_says_so(
    server: ModelServer, model: LanguageModel, law: Law, replies: FileReplies
) -> None:
    server.script = faithful
    sure, undetermined = determination(confidence=0.8), dataclasses.replace(determination(), answer=NOTHING)
    assert (await assessed(model, law, replies, engine=sure, ask_below=0.7)) == Assessed(sure, None)
    assert (await assessed(model, law, replies, engine=undetermined)) == Assessed(undetermined, None)
    assert not server.asked
    assert (await assessed(model, law, replies, engine=sure, ask_below=0.9)).record is not None
    assert (await assessed(model, law, replies, engine=with_result(sure, confidence=1.0))).record is not None


async def test_a_law_of_another_revision_is_never_mixed_in(
    model: LanguageModel, law: Law, replies: FileReplies
) -> None:
    other = dataclasses.replace(determination(), revision=dataclasses.replace(determination().revision, digest="new"))
    with pytest.raises(RevisionChangedError):
        await assessed(model, law, replies, engine=other)


async def test_a_recorded_assessment_is_repeated_without_a_server(
    server: ModelServer, model: LanguageModel, law: Law, replies: FileReplies, tape: Path
) -> None:
    server.script = choosing(MEN)
    first = await assessed(model, law, replies)
    server.forget()
    again = await assessed(model, law, FileReplies(tape, replay_only=True))
    assert again.record == first.record
    assert again.determination.answer.reasoning == first.determination.answer.reasoning
    other = await assessed(model, law, FileReplies(tape, replay_only=True), engine=determination(OTHER_FIBRE))
    assert other.record is not None
    assert other.record.ending is Ending.STOOD
    assert not server.asked


async def test_a_doubt_of_the_model_asks_for_a_person_and_none_takes_that_away(
    server: ModelServer, model: LanguageModel, law: Law, replies: FileReplies, tape: Path
) -> None:
    settled = with_result(determination(), needs_review=False)
    server.script = choosing(WOMEN, sureness="doubtful")
    found = await assessed(model, law, replies, engine=settled)
    assert result_of(found.determination).needs_review
    server.script = choosing(WOMEN)
    fresh = FileReplies(tape.with_name("others"))
    assert result_of((await assessed(model, law, fresh)).determination).needs_review
    fresh = FileReplies(tape.with_name("third"))
    assert not result_of((await assessed(model, law, fresh, engine=settled)).determination).needs_review
