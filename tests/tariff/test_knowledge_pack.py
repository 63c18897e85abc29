"""The knowledge pack: its format refuses what it does not understand, and what ships follows it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pcs.tariff.code import Code
from pcs.tariff.revision import ScheduleName
from pcs.tariff.schedule import PublishedRow, build
from pcs.tariff.starter.brands import read_brands, shop_knowledge
from pcs.tariff.starter.check import problems, resembling
from pcs.tariff.starter.form import WIDTH, files, formed
from pcs.tariff.starter.pack import PackError, read_chapter, read_pack
from pcs.tariff.starter.schedules import starter_schedule
from pcs.tariff.starter.second_readings import read_second_readings, second_readings

CHAPTER = """# 61 Knitted clothing
@6109 T-shirts
n: tee, tank top
x: 6205=woven shirts
s: 610910=cotton T-shirts
u: 6109100012=men's cotton T-shirts
e: 61091000=cotton T-shirts
d: 6109 material [main]: cotton => 610910; wool, silk => 610990; ? => 610910
> 6109100012 61091000
Mens tee
? odd tee
""".splitlines()


def test_a_chapter_is_read_whole() -> None:
    heading = read_chapter(CHAPTER, name="61.txt").headings[0]
    assert heading.names == ("tee", "tank top")
    assert heading.lookalikes[0].code == "6205"
    assert [branch.values for branch in heading.facts[0].branches] == [("cotton",), ("wool", "silk"), ()]
    assert [(good.text, good.lines[0], good.unsure) for good in heading.examples] == [
        ("Mens tee", "6109100012", False),
        ("odd tee", "6109100012", True),
    ]


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("s: 61091=cotton", "is not a tariff code"),
        ("u: 6109100012", "code=words"),
        ("d: 6109 material cotton => 610910", "a fact reads"),
        ("d: 6109 material [main]: cotton 610910", "value, value => CODE"),
    ],
)
def test_a_line_that_does_not_follow_the_format_is_refused_with_its_place(line: str, why: str) -> None:
    with pytest.raises(PackError, match=r"61\.txt, line 12") as refusal:
        read_chapter([*CHAPTER, line], name="61.txt")
    assert why in str(refusal.value)


def test_a_good_outside_a_group_is_refused() -> None:
    with pytest.raises(PackError, match="open group"):
        read_chapter(["# 61 Clothing", "@6109 T-shirts", "Mens tee"], name="61.txt")


def test_an_empty_file_is_refused() -> None:
    with pytest.raises(PackError, match="empty"):
        read_chapter([], name="61.txt")


def test_the_starter_schedule_holds_our_titles_and_pads_nothing() -> None:
    schedule = starter_schedule(ScheduleName.US_HTS, [read_chapter(CHAPTER, name="61.txt")])
    line = schedule.get("6109100012")
    assert line is not None
    assert schedule.description(line) == "T-shirts > cotton T-shirts > men's cotton T-shirts"
    assert [str(each.code) for each in schedule.lines] == ["6109100012"]
    assert schedule.revision.is_starter


def test_a_wrong_code_and_a_good_that_stands_twice_are_found() -> None:
    pack = [read_chapter([*CHAPTER, "> 6109100099 -", "Mens tee"], name="61.txt")]
    official = starter_schedule(ScheduleName.US_HTS, [read_chapter(CHAPTER, name="61.txt")])
    found = list(problems(pack, {ScheduleName.US_HTS: build(official.revision, _rows())}))
    assert any("6109100099 is not a declarable line" in problem for problem in found)
    assert any("stands in 6109 too, under another code" in problem for problem in found)


def test_a_good_that_resembles_a_labelled_case_is_found() -> None:
    pack = [read_chapter([*CHAPTER, "Blue cotton tee for tall men"], name="61.txt")]
    assert len(list(resembling(pack, ["Tall men: blue cotton tee, for"]))) == 1
    assert not list(resembling(pack, ["tee"]))


def test_shops_words_are_read_by_heading() -> None:
    shops = read_brands(["# brands", "@3304 make-up", "b: one, two", "w: msc", "g: a b | c d"], name="brands.txt")
    assert (shops[0].heading, shops[0].brands, shops[0].goods) == ("3304", ("one", "two"), ("a b", "c d"))
    with pytest.raises(PackError, match="line 1"):
        read_brands(["b: too early"], name="brands.txt")


def test_what_second_readers_found_is_read_by_chapter() -> None:
    [found] = read_second_readings(["# chapter | judged | wrong", "", "61 | 40 | 1"], name="second_readings.txt")
    assert (found.chapter, found.judged, found.wrong) == ("61", 40, 1)


@pytest.mark.parametrize("row", ["61 | 40", "61 | forty | 1", "x | 4 | 1", "61 | 4 | 5"])
def test_a_second_reading_that_cannot_be_is_refused_with_its_place(row: str) -> None:
    with pytest.raises(PackError, match=r"second_readings\.txt, line 2"):
        read_second_readings(["# chapter | judged | wrong", row], name="second_readings.txt")


def test_second_readings_that_ship_name_each_chapter_once() -> None:
    chapters = [row.chapter for row in second_readings()]
    assert len(chapters) == len(set(chapters)) > 0


def test_what_ships_can_be_read_and_every_good_lies_under_its_heading() -> None:
    for chapter in read_pack():
        for heading in chapter.headings:
            assert chapter.code.covers(heading.code)
            for good in heading.examples:
                assert all(code is None or heading.code.covers(code) for code in good.lines), good
    assert all(len(shop.heading) == 4 for shop in shop_knowledge())


def _rows() -> list[PublishedRow]:
    return [PublishedRow(Code("6109"), 0, "T-shirts"), PublishedRow(Code("6109100012"), 1, "men's", declarable=True)]


def test_what_ships_is_in_its_one_form() -> None:
    assert len(files()) > 90
    other = [path.name for path in files() if formed(text := path.read_text(), name=path.name) != text]
    assert not other, "pcs schedules format"


def test_a_list_wider_than_a_page_goes_on_in_a_line_of_its_kind_and_says_what_it_said() -> None:
    names = [f"name of a good {number}" for number in range(60)]
    titles = "|".join(f"61091000{number:02d} = a title, with a comma" for number in range(30))
    fact = f"d: 6109 material [main]: {', '.join(names)} => 610910"
    text = "\n".join(
        [*CHAPTER, f"n:{',  '.join(names)}  ", f"u: {titles}", fact, f"A good, {'long ' * 60}", "> - 61091000"]
    )
    found = formed(text, name="61.txt")
    lists = [line for line in found.splitlines() if line.startswith(("n:", "u:"))]
    assert len(lists) > 10
    assert all(len(line) <= WIDTH for line in lists)
    assert fact in found.splitlines()
    assert read_chapter(found.splitlines(), name="61.txt") == read_chapter(text.splitlines(), name="61.txt")


@given(
    st.lists(
        st.tuples(st.sampled_from("bwg"), st.lists(st.text("ab |,'", max_size=200), max_size=30)),
        min_size=1,
        max_size=5,
    )
)
def test_what_is_in_its_form_keeps_it_and_is_read_as_before(rows: list[tuple[str, list[str]]]) -> None:
    text = "\n".join(["@3304 make-up", *(f"{kind}: {', '.join(items)}" for kind, items in rows)])
    found = formed(text, name="brands.txt")
    assert formed(found, name="brands.txt") == found
    assert read_brands(found.splitlines(), name="") == read_brands(text.splitlines(), name="")


def test_a_file_that_does_not_follow_the_format_has_no_form() -> None:
    with pytest.raises(PackError, match=r"61\.txt, line 2"):
        formed("# 61 Knitted clothing\nn: tee", name="61.txt")
