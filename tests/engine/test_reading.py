"""The reading of a product: what is denied, what which part is of, how much; and that what is read decides."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pcs.engine.classify import classify
from pcs.engine.facts import Heard, Questions
from pcs.engine.legal.terms import SaidWords, Verdict, terms_of
from pcs.engine.method import Method
from pcs.engine.product import Product
from pcs.engine.questions import questions
from pcs.engine.reading.head import head_of
from pcs.engine.reading.materials import materials
from pcs.engine.reading.polarity import DENIED, affirmed, denials, signed_words
from pcs.engine.reading.quantities import quantities
from pcs.engine.reading.reading import reading_of
from pcs.engine.reading.slots import told
from pcs.engine.text import LONGEST_TEXT, plain
from pcs.tariff.revision import ScheduleName
from pcs.tariff.starter.pack import read_chapter

ANYTHING = st.text(max_size=300)


@pytest.mark.parametrize(
    ("said", "denied"),
    [
        ("toothbrush, not electric", ["electric"]),
        ("wooden mirror without frame", ["frame"]),
        ("dress without sleeves and with a zip", ["sleeves"]),
        ("gloves, neither knitted nor crocheted", ["knitted nor crocheted"]),
        ("bags other than of leather or plastics, for women", ["leather or plastics"]),
        ("bag not made of leather but of textile", ["leather"]),
        ("sugar-free chocolate", ["sugar"]),
        ("non-alcoholic beer", ["alcoholic"]),
        ("pan, non-stick", []),
        ("nonwoven fabric, no. 5", []),
        ("fabric, whether or not bleached, weighing not more than 200 g/m2", []),
        ("drill, battery not included", []),
        ("lid, with or without handle", []),
        ("hands-free kit, free shipping", []),
    ],
)
def test_what_a_text_denies_ends_at_the_comma_or_the_joined_noun(said: str, denied: list[str]) -> None:
    assert [denial.what for denial in denials(said)] == denied


def test_what_is_denied_names_no_goods_but_a_word_that_holds_its_negation_does() -> None:
    assert affirmed("toothbrush, not electric").split() == ["toothbrush,"]
    assert affirmed("non-alcoholic beer") == "non-alcoholic beer"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("cotton fabric, not bleached", "unbleached cotton fabric"),
        ("dress without sleeves", "sleeveless dress"),
        ("chocolate without sugar", "sugar-free chocolate"),
    ],
)
def test_a_denial_is_the_same_however_it_is_put(one: str, other: str) -> None:
    assert set(signed_words(one)) == set(signed_words(other))


@pytest.mark.parametrize(
    ("said", "found"),
    [
        (
            "Woman's bag of leather, outer surface of cow leather, cotton lining",
            [("leather", "main"), ("leather", "outer"), ("cotton", "lining")],
        ),
        ("boots, uppers of leather and outer soles of rubber", [("leather", "upper"), ("rubber", "sole")]),
        ("Upper material: leather; Sole material: rubber", [("leather", "upper"), ("rubber", "sole")]),
        ("knife with blade of stainless steel and plastic handle", [("steel", "blade"), ("plastic", "handle")]),
        ("cape, shell: wool; lining: 100% viscose", [("wool", "outer"), ("artificial", "lining")]),
        ("steel bottle in a cardboard box", [("steel", "main"), ("paper", "packing")]),
        ("jar of glass, not of plastic", [("glass", "main")]),
    ],
)
def test_a_material_is_read_with_the_part_that_is_of_it(said: str, found: list[tuple[str, str]]) -> None:
    assert [(material.family, material.slot) for material in materials(said)] == found


@pytest.mark.parametrize(
    ("said", "predominates"),
    [
        ("scarf, mainly nylon with a little silk", {"synthetic"}),
        ("shirt, 60% cotton 40% polyester", {"cotton"}),
        ("Cotton 40%, Polyester 60%", {"synthetic"}),
        ("40% viscose, 30% acrylic, 30% polyester", {"synthetic"}),  # fibres of one kind are added
        ("bag of leather and cotton", {"leather", "cotton"}),
    ],
)
def test_shares_and_mostly_say_which_material_predominates(said: str, predominates: set[str]) -> None:
    assert {material.family for material in materials(said) if not material.lesser} == predominates


@pytest.mark.parametrize(
    ("said", "found"),
    [
        ("engine of 1,998 cm3", [("volume", 1998, 1998)]),
        ("1.5 kW pump", [("power", 1500, 1500)]),
        ("110 kW", [("power", 110_000, 110_000)]),
        ("over 20 USD", [("value", 20, math.inf)]),
        ("up to 1,500 cc", [("volume", -math.inf, 1500)]),
        ("not exceeding 37.5 W", [("power", -math.inf, 37.5)]),
        ("over 750 W but not over 75 kW", [("power", 750, 75_000)]),
        ("200 g/m2 or more", [("mass per area", 200, math.inf)]),
        ("wine, 13% vol", [("strength", 13, 13)]),
        ("no. 608 bearing", []),
        ("100-240 V", [("voltage", 100, 240)]),
        ("for ages 3+", [("age", 36, math.inf)]),
        ("Recommend Age: 14+y", [("age", 168, math.inf)]),
        ("puzzle, 14+ years", [("age", 168, math.inf)]),
        ("14 years and older", [("age", 168, math.inf)]),
        ("page 14+", []),
        ("valued over $6 per dozen", [("value", 0.5, math.inf)]),
        ("valued 66\u00a2/kg or more", [("value", 0.66, math.inf)]),
        ("fibres of 14 microns", [("length", 0.014, 0.014)]),
        ("battery, 10,000 mAh", [("charge", 10, 10)]),
    ],
)
def test_a_quantity_is_an_interval_in_its_dimensions_own_unit(said: str, found: list[tuple[str, float, float]]) -> None:
    assert [(each.dimension, each.low, each.high) for each in quantities(said)] == found


@pytest.mark.parametrize(
    ("said", "low", "high"),
    [
        ("motor, 1/2 hp", 372.85, 372.85),
        ("motor, 1½ hp", 1118.55, 1118.55),
        ("1-1/2 hp", 1118.55, 1118.55),
        ("1/4-1/2 hp", 186.425, 372.85),
        ("100/200 W", 200.0, 200.0),
        ("10/16 W", 16.0, 16.0),
    ],
)
def test_a_fraction_is_a_number_and_two_ratings_are_two(said: str, low: float, high: float) -> None:
    [found] = quantities(said)
    assert (found.low, found.high) == pytest.approx((low, high))


@pytest.mark.parametrize(
    ("said", "second_hand"),
    [
        ("used truck tyres", True),
        ("lathe, used, 400 V", True),
        ("excavator, used for digging", False),
        ("tool used in kitchens", False),
        ("can be used as a bag", False),
    ],
)
def test_used_goods_are_second_hand_and_what_is_used_for_something_is_not(said: str, second_hand: bool) -> None:
    assert ("second" in signed_words(said)) is second_hand


def test_a_length_is_compared_only_with_what_measures_the_same() -> None:
    [width], [depth], [bare] = (quantities(said) for said in ("30 cm wide", "a depth of 30 cm", "30 cm"))
    assert width.comparable(width)
    assert not width.comparable(depth)
    assert not bare.comparable(width)


@pytest.mark.parametrize(
    ("said", "of"),
    [
        ("milk, 3.25% fat", "fat"),
        ("of a fat content, by weight, exceeding 1 % but not exceeding 6 %", "fat"),
        ("containing over 65 percent by dry weight of sugar", "sugar"),
        ("valued over 5 USD/kg", "kg"),
        ("valued over 5 USD", None),
        ("cotton 40%", None),
    ],
)
def test_a_share_and_a_value_are_of_something(said: str, of: str | None) -> None:
    [found] = quantities(said)
    assert found.measures == of


@pytest.mark.parametrize(
    ("asked", "goods", "codes"),
    [
        ("[width]: up to 30 cm => 990110; over 30 cm => 990120", "ribbon, 40 cm wide", ["990120"]),
        ("[diameter]: up to 30 cm => 990110; over 30 cm => 990120", "pan 28 cm", ["990110"]),
        ("[diameter]: up to 30 cm => 990110; over 30 cm => 990120", "pan 28 cm x 40 cm", []),
        ("[share of fat]: up to 3% => 990110; over 3% => 990120", "milk, 3.5% fat", ["990120"]),
        ("[share of fat]: up to 3% => 990110; over 3% => 990120", "shirt, 100% cotton", []),
        ("[share of wool]: under 23% => 990110; at least 23% => 990120", "shirt, 70% nylon 30% wool", ["990120"]),
        ("[share of wool]: under 23% => 990110; at least 23% => 990120", "shirt, 100% nylon", ["990110"]),
        ("[any]: hot rolled => 990110; cold rolled => 990120", "strip, hot rolled", ["990110"]),
        ("[goods]: strap => 990110; handbag => 990120", "Strap for a handbag", ["990110"]),
        ("[goods]: wallet => 990110; handbag => 990120", "Handbag | with a wallet inside", ["990120"]),
        ("[goods]: needle => 990110", "Sewing machine with free arm, automatic needle threader", []),
        ("[use]: kitchen => 990110; garden => 990120", "garden style knife for the kitchen", ["990110"]),
        ("[age]: kids => 990110; over 12 years => 990120", "Figure, gift for kids | Recommend Age: 14+y", ["990120"]),
        ("[age]: up to 12 years => 990110; over 12 years => 990120", "Kit, ages 6-8, ages 14+", ["990110"]),
        ("[value]: cheap => 990110; over 20 USD => 990120", "cheap bag, 25 USD", ["990120"]),
    ],
)
def test_a_question_is_answered_by_what_tells_most_of_its_slot(asked: str, goods: str, codes: list[str]) -> None:
    chapter = read_chapter(["# 99 Made up", "@9901 made-up goods", f"d: 9901 fact {asked}"], name="99.txt")
    name, _, description = goods.partition(" | ")
    [answered] = Questions(questions(chapter.headings[0])).put_to(Heard(reading_of(Product(name, description))))
    assert [code for route in answered.taken for code in route.codes] == codes


@pytest.mark.parametrize(
    ("provision", "goods", "expected"),
    [
        ("Of a cylinder capacity exceeding 1 500 cm³ but not exceeding 3 000 cm³", "car, 1,998 cm3", Verdict(1, 0)),
        ("Of a cylinder capacity not exceeding 1,000 cc", "car, 1,998 cm3", Verdict(0, 0, 1)),
        ("With outer surface of leather", "bag, outer surface of leather, cotton lining", Verdict(1, 0)),
        ("With outer surface of textile materials", "bag of leather, cotton lining", Verdict(0, 1)),
        ("Of cotton", "bag of textile material", Verdict(0, 0)),
        ("Not decaffeinated", "coffee, not decaffeinated", Verdict(1, 0)),
        ("Whether or not bleached", "fabric, not bleached", Verdict(0, 0)),
        ("Machines for working wood", "steel saw", Verdict(0, 0)),
    ],
)
def test_a_provision_is_met_or_contradicted_by_what_was_said(provision: str, goods: str, expected: Verdict) -> None:
    reading = reading_of(Product(goods))
    assert SaidWords(reading).verdict(terms_of(provision)) == expected


QUESTIONS = """# 99 Made up for this test
@9901 made-up goods
d: 9901 outer [outer]: leather => 990110; cotton, polyester => 990120
d: 9901 finish [any]: framed => 990130; unframed => 990140
d: 9901 capacity [volume]: up to 1,500 cm3 => 990150; over 1,500 cm3 => 990160
d: 9901 blade [blade]: steel => 990170; ceramic => 990180
""".splitlines()


def said_to(name: str, goods: str) -> list[str]:
    """The codes of the routes that a question of the made-up heading takes."""
    [heading] = read_chapter(QUESTIONS, name="made up").headings
    answered = Questions(questions(heading)).put_to(Heard(reading_of(Product(goods))))
    return [code for found in answered if found.question.name.startswith(name) for r in found.taken for code in r.codes]


@pytest.mark.parametrize(
    ("name", "goods", "codes"),
    [
        ("outer", "bag, outer surface of leather, cotton lining", ["990110"]),
        ("outer", "bag of cotton with leather strap", ["990120"]),
        ("outer", "bag with leather strap", []),
        ("finish", "mirror, not framed", ["990140"]),
        ("finish", "framed mirror", ["990130"]),
        ("capacity", "car of 1,395 cm3", ["990150"]),
        ("capacity", "car of 2 litres", ["990160"]),
        ("capacity", "car", []),
        ("blade", "knife with ceramic blade and steel handle", ["990180"]),
    ],
)
def test_a_question_is_answered_by_its_own_slot_and_interval(name: str, goods: str, codes: list[str]) -> None:
    assert said_to(name, goods) == codes


@given(filler=st.sampled_from(["cotton", "leather", "nylon", "rubber"]), place=st.sampled_from(["lining", "strap"]))
def test_a_filler_of_another_slot_never_changes_a_slots_answer(filler: str, place: str) -> None:
    assert said_to("outer", f"bag of leather, {filler} {place}") == ["990110"]
    assert said_to("outer", f"bag of cotton, {filler} {place}") == ["990120"]


@given(ANYTHING)
def test_what_is_read_stands_in_the_text_in_order(text: str) -> None:
    said = plain(text)
    for spans in (denials(text), quantities(text)):
        places = [place for span in spans for place in (span.start, span.end)]
        assert places == sorted(places)
        assert all(0 <= place <= len(said) for place in places)
    assert len(affirmed(text)) <= len(said) + 2 * len(denials(text)) or affirmed(text) == text
    assert not told(text, "lining") or materials(text) or denials(text) or DENIED in "".join(told(text, "lining"))


@given(ANYTHING)
def test_a_text_without_negation_is_affirmed_as_it_is(text: str) -> None:
    if not denials(text):
        assert affirmed(text) == text


@pytest.mark.parametrize(
    "piece", ["not ", "without ", "1,1,1", "leather ", "sole of ", "over 1 ", "-free ", "not not "]
)
def test_reading_takes_linear_time(piece: str) -> None:
    text = (piece * LONGEST_TEXT)[:LONGEST_TEXT]
    assert reading_of(Product("", text)).text == text.strip()


@pytest.mark.parametrize("schedule", list(ScheduleName))
def test_a_leather_handbag_with_a_cotton_lining_is_a_leather_handbag(
    methods: dict[ScheduleName, Method], schedule: ScheduleName
) -> None:
    bag = Product("Leather handbag", "Woman's shoulder bag, outer surface of cow leather, cotton lining")
    assert (classify(bag, methods[schedule]).code or "")[:6] == "420221"


@pytest.mark.parametrize("name", ["set of", "of", "box of " * 1_500, "of " * 3_000, "set of of of", "for", "pair"])
def test_a_name_that_only_holds_has_no_head(name: str) -> None:
    assert head_of(name) == ""


@pytest.mark.parametrize(
    ("name", "head"),
    [
        ("Toaster, electric, of chromed steel", "electric toaster"),
        ("Acid, citric", "citric acid"),
        ("blanket for horses", "horses blanket"),
        ("cushions for microphones", "cushions"),
        ("set of knives in a box", "knives"),
        ("school bag of polyester woven fabric with a strip", "school bag"),
        ("boxes of chocolates", "chocolates"),
        ("jewellery box of solid oak", "jewellery box"),
        ("box of glass beads", "glass beads"),
        ("bag of woven", "woven"),
        ("Garden tractor, diesel engine, 1,123 cm3", "garden tractor"),
        ("for dogs", ""),
        ("", ""),
    ],
)
def test_the_goods_own_words_are_found_however_the_name_puts_them(name: str, head: str) -> None:
    assert head_of(name) == head


@pytest.mark.parametrize("schedule", list(ScheduleName))
@pytest.mark.parametrize(
    ("name", "heading"),
    [
        ("Toaster, electric, of chromed steel", "8516"),
        ("Toothbrush, not electric", "9603"),
        ("Shoes for dolls", "9503"),
        ("Coat for dogs", "4201"),
    ],
)
def test_a_part_a_material_or_a_use_speaks_no_louder_than_the_goods(
    methods: dict[ScheduleName, Method], schedule: ScheduleName, name: str, heading: str
) -> None:
    assert (classify(Product(name), methods[schedule]).code or "")[:4] == heading
