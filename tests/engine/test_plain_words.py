"""What the trade writes in signs is put in plain words before goods are read; what a person asks around them goes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pcs.engine.classify import classify
from pcs.engine.legal.packing import are_packed, packing_in
from pcs.engine.legal.states import contradicted, states_asked, states_of
from pcs.engine.method import Method
from pcs.engine.product import Product
from pcs.engine.reading.asked_for import without_question
from pcs.engine.reading.fibre_shares import with_fibre_shares
from pcs.engine.reading.head import head_of
from pcs.engine.reading.materials import materials
from pcs.engine.reading.polarity import denials
from pcs.engine.reading.short_forms import spelled_out
from pcs.tariff.code import Code
from pcs.tariff.revision import ScheduleName
from pcs.tariff.starter.pack import PackError
from pcs.tariff.starter.short_forms import read_short_forms, short_forms


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("HYD CYL, SS304, 40 mm", "hydraulic cylinder, stainless steel, 40 mm"),
        ("tray, inox, 18/10", "tray, stainless steel, stainless steel"),
        ("S/S shirt, rose hips", "S/S shirt, rose hips"),
        ("bolt SS304-12A", "bolt SS304-12A"),
        ("alumina, cyclone, assy-kit", "alumina, cyclone, assy-kit"),
        ("MCB 16A", "miniature circuit breaker 16A"),
    ],
)
def test_short_forms_that_stand_alone_are_spelled_out(written: str, read: str) -> None:
    assert spelled_out(written, short_forms()) == read


@pytest.mark.parametrize("line", ["stainless steel", "= ss304", "steel =", "carbon steel = ss304"])
def test_a_file_of_short_forms_that_cannot_be_read_is_refused(line: str) -> None:
    with pytest.raises(PackError, match=r"forms.txt, line 2"):
        read_short_forms(["stainless steel = ss304", line], name="forms.txt")


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("T-shirt 80CO/20PES", "T-shirt 80% cotton, 20% polyester"),
        ("60/40 cotton/polyester shirt", "60% cotton, 40% polyester shirt"),
        ("polyester/viscose 70/30", "70% polyester, 30% viscose"),
        ("Cotton: 60%, Polyester: 40%", "60% cotton, 40% polyester"),
        ("80% wool 20% acrylic", "80% wool 20% acrylic"),
        ("50% wool 30% acrylic 20% nylon", "50% wool 30% acrylic 20% nylon"),
        ("size 32/34 cotton jeans", "size 32/34 cotton jeans"),
        ("100% PU leather bag", "100% PU leather bag"),
        ("20% off cotton shirt", "20% off cotton shirt"),
        ("wire 99.9% Co", "wire 99.9% Co"),
        ("shell 100% PES, lining 100% CO", "shell 100% polyester, lining 100% cotton"),
    ],
)
def test_shares_stand_before_their_fibre(written: str, read: str) -> None:
    assert with_fibre_shares(written) == read


@given(st.text(max_size=200))
def test_a_text_without_shares_stays_as_it_is(text: str) -> None:
    plain = text.replace("%", "").replace("/", "")
    assert with_fibre_shares(plain) == plain


@pytest.mark.parametrize(
    ("asked", "goods"),
    [
        ("What is the HS code for a bicycle?", "bicycle?"),
        ("please give me the hts code for socks", "socks"),
        ("customs number for a power bank", "power bank"),
        ("which number for a digital camera", "digital camera"),
        ("HS-code for toys", "toys"),
        ("code lock for doors", "code lock for doors"),
        ("numbers for lockers", "numbers for lockers"),
        ("house number", "house number"),
        ("What is the HS code for", "What is the HS code for"),
    ],
)
def test_a_question_is_not_its_goods(asked: str, goods: str) -> None:
    assert without_question(asked) == goods


def test_a_question_has_the_answer_of_its_goods(methods: dict[ScheduleName, Method]) -> None:
    method = methods[ScheduleName.US_HTS]
    for asked, goods in (
        ("what is the hs code for a cotton bath towel", "cotton bath towel"),
        ("leggings 95% CTN 5% EA", "leggings 95% cotton 5% elastane"),
        ("SS304 round bar", "stainless steel round bar"),
    ):
        one, other = classify(Product(asked), method), classify(Product(goods), method)
        assert one.code is not None
        assert one.code == other.code


@pytest.mark.parametrize(
    ("name", "head"),
    [
        ("salt and pepper shakers", "salt and pepper shakers"),
        ("knife and fork", "knife"),
        ("press-on nails with glue", "press-on nails"),
        ("dress with belt, buttons", "dress"),
        ("handbag, leather", "leather handbag"),
    ],
)
def test_goods_are_called_by_their_own_noun(name: str, head: str) -> None:
    assert head_of(name) == head


@pytest.mark.parametrize(
    ("text", "denied"),
    [
        ("no added sugar orange squash", ["sugar"]),
        ("tea without caffeine chamomile bags", ["caffeine"]),
        ("juice without sugar or salt", ["sugar or salt"]),
        ("pH minus granules", []),
        ("bag without shoulder strap", ["shoulder strap"]),
    ],
)
def test_what_is_a_whole_thing_ends_what_is_denied(text: str, denied: list[str]) -> None:
    assert [denial.what for denial in denials(text)] == denied


def test_what_is_free_of_a_material_is_not_of_it() -> None:
    assert [each.family for each in materials("feather-free pillow, cotton cover")] == ["cotton"]
    assert [denial.bound for denial in denials("leather-free belt, sugar-free gum")] == [False, True]


@pytest.mark.parametrize(
    ("said", "packing", "packed"),
    [
        ("jam in glass jar", "in glass jar", True),
        ("hot sauce, set of 6 mini bottles", "set of 6 mini bottles", True),
        ("socks in a gift box", "in a gift box", True),
        ("plastic box, packed in a box", "packed in a box", False),
        ("glass jars in a box", "", False),
        ("6 bottles", "", False),
        ("built in oven", "", False),
    ],
)
def test_a_packing_is_told_from_goods_that_are_one(said: str, packing: str, packed: bool) -> None:
    assert (packing_in(said), are_packed(said)) == (packing, packed)


@pytest.mark.parametrize(
    "goods", ["alcohol-free gin", "dealcoholised red wine", "rum alternative 0.0% alcohol", "no alcohol"]
)
def test_what_has_no_alcohol_contradicts_the_headings_of_what_has(goods: str) -> None:
    wine, water = (states_asked(Code(code), "Beverages", "") for code in ("2204", "2202"))
    assert contradicted(wine, states_of(goods))
    assert not contradicted(water, states_of(goods))
    assert not contradicted(wine, states_of("red wine 12% vol"))
