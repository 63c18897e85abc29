"""What is taught to the engine is counted once, kept, and never taken from a file that is not what was written."""

import multiprocessing
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import grimp
import numpy as np
import pytest

from pcs.base.errors import DamagedError
from pcs.engine.counting.apart import CountingError, count_apart
from pcs.engine.counting.lessons import Lesson, LessonKind, digest, lessons, lines_of
from pcs.engine.counting.making import COUNTS
from pcs.engine.law import law_of
from pcs.engine.learned import Learned
from pcs.engine.learned_file import open_learned, save_learned
from pcs.engine.legal.terms import terms_of
from pcs.engine.opening import open_law, open_questions, open_trained
from pcs.engine.questions import questions_in
from pcs.engine.trained import Trained
from pcs.engine.trained_file import SHIPPED, damage_of_trained, sealed, trained_here
from pcs.engine.training.train import train, train_on
from pcs.schedules.damage import damages
from pcs.tariff.code import Code
from pcs.tariff.revision import Revision, ScheduleName
from pcs.tariff.schedule import PublishedRow, Schedule, build
from pcs.tariff.starter.pack import knowledge, read_chapter
from pcs.tariff.starter.schedules import starter_schedule

MOST_BYTES = 10_000_000
CHAPTER = """# 42 Articles of leather
@4202 Trunks, cases, bags
n: handbag, suitcase
> 4202210000 42022100
leather handbag
@6403 Footwear of leather
n: shoe, boot
> 6403510000 64035100
leather shoes""".splitlines()
STUFFS = {"21": "leather", "29": "plastic"}
GOODS = [f"{colour} {{}} {{}} {size}" for colour in ("red", "blue", "green") for size in ("small", "large", "huge")]
SMALL = ["# 42 Articles of leather"]
for heading, noun in (("4202", "handbag"), ("4203", "glove")):
    SMALL += [f"@{heading} Articles such as a {noun}"]
    SMALL += ["u: " + " | ".join(f"{heading}{code}0000={stuff} {noun}s" for code, stuff in STUFFS.items())]
    SMALL += ["e: " + " | ".join(f"{heading}{code}00={stuff} {noun}s" for code, stuff in STUFFS.items())]
    for code, stuff in STUFFS.items():
        SMALL += [f"> {heading}{code}0000 {heading}{code}00", *(good.format(stuff, noun) for good in GOODS)]
LEATHER = tuple(lessons([read_chapter(CHAPTER, name="42.txt")]))


def read_and_tell(told: Path) -> Sequence[Lesson]:
    """A few lessons, and a line in a file for each time that they are read."""
    with told.open("a") as file:
        file.write("read\n")
    return LEATHER


class Reader:
    """Reads the lessons and knows how often it did."""

    def __init__(self, told: Path) -> None:
        self.told = told

    def __call__(self) -> Sequence[Lesson]:
        return read_and_tell(self.told)

    @property
    def times(self) -> int:
        return len(self.told.read_text().splitlines()) if self.told.exists() else 0


@pytest.fixture
def reader(tmp_path: Path) -> Reader:
    return Reader(tmp_path / "told")


def same(one: Trained, other: Trained) -> bool:
    before, after = one.arrays(), other.arrays()
    return before.keys() == after.keys() and all(np.array_equal(before[name], after[name]) for name in before)


@pytest.fixture(scope="module")
def learned() -> Learned:
    """What ships, as if it had been made from the few lessons."""
    shipped = open_learned(SHIPPED)
    return replace(shipped, made_from=replace(shipped.made_from, lessons=digest(LEATHER)))


def opened_in_a_process(folder: Path, reader: Reader) -> int:
    return len(open_trained(folder, folder / "cache", lessons=reader).vectoriser.vocabulary)


def test_what_ships_is_small_and_says_what_it_was_made_from() -> None:
    assert SHIPPED.stat().st_size <= MOST_BYTES
    made_from = open_learned(SHIPPED).made_from
    assert len(made_from.lessons) == 64
    assert set(made_from.schedules) == {"US-HTS", "EU-CN"}
    assert made_from.rulings == 0


def test_what_is_counted_is_kept_and_mapped(tmp_path: Path, reader: Reader) -> None:
    first = open_trained(tmp_path, tmp_path / "cache", lessons=reader)
    second = open_trained(tmp_path, tmp_path / "cache", lessons=reader)
    assert reader.times == 1
    assert same(first, second)
    assert isinstance(second.shared.units.base, np.memmap)


def test_processes_that_open_at_once_count_once(tmp_path: Path, reader: Reader) -> None:
    with multiprocessing.get_context("spawn").Pool(3) as pool:
        found = pool.starmap(opened_in_a_process, [(tmp_path, reader)] * 3)
    assert len(set(found)) == 1
    assert reader.times == 1


OPENS = """
import resource, sys
from pathlib import Path
from pcs.engine.legal.terms import terms_of
from pcs.engine.opening import open_law, open_questions, open_trained
from pcs.engine.questions import questions_in

open_trained(Path(sys.argv[1]), Path(sys.argv[1]) / "cache", lambda said: print(said, flush=True))
[most] = [line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM")]
print(int(most.split()[1]) // 1024, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
"""
MOST_MIB = 200  # of a process that opens; counting takes over a gigabyte


def opens(folder: Path) -> subprocess.Popen[str]:
    return subprocess.Popen([sys.executable, "-c", OPENS, str(folder)], stdout=subprocess.PIPE, text=True)


def children_of(process: int) -> Iterator[int]:
    for task in Path(f"/proc/{process}/task").iterdir():
        yield from map(int, (task / "children").read_text().split())


def ended(process: int) -> bool:
    try:
        return "\nState:\tZ" in Path(f"/proc/{process}/status").read_text()
    except FileNotFoundError:
        return True


@pytest.mark.timeout(240)
def test_the_pack_is_counted_once_and_by_a_process_of_its_own(tmp_path: Path) -> None:
    both = [opens(tmp_path), opens(tmp_path)]
    told = [process.communicate()[0].splitlines() for process in both]
    assert [process.returncode for process in both] == [0, 0]
    memory = [tuple(map(int, lines[-1].split())) for lines in told]
    assert all(own < MOST_MIB for own, _ in memory)
    assert sorted(counting > 0 for _, counting in memory) == [False, True]
    assert sorted(len(lines) for lines in told) == [1, 4]
    assert not list((tmp_path / "cache").glob(".making-*"))


def test_a_counting_process_that_the_system_ends_is_told_with_what_to_do(tmp_path: Path) -> None:
    def end_it(_: str) -> None:
        for child in children_of(os.getpid()):
            if b"pcs.engine.counting" in Path(f"/proc/{child}/cmdline").read_bytes():
                os.kill(child, signal.SIGKILL)

    with pytest.raises(CountingError, match=r"want of memory.*pcs prepare"):
        open_trained(tmp_path, tmp_path / "cache", end_it)
    assert not list((tmp_path / "cache").glob("trained-*"))


def test_counting_ends_with_who_asked_for_it(tmp_path: Path) -> None:
    process = opens(tmp_path)
    assert process.stdout
    assert process.stdout.readline()  # it counts
    [counting] = children_of(process.pid)
    process.kill()
    process.communicate()
    until = time.monotonic() + 10
    while not ended(counting) and time.monotonic() < until:
        time.sleep(0.05)
    assert ended(counting)


def test_what_was_begun_and_never_finished_is_removed(tmp_path: Path, reader: Reader) -> None:
    begun = tmp_path / "cache" / ".making-before"
    begun.mkdir(parents=True)
    (begun / "terms.text.npy").touch()
    open_trained(tmp_path, tmp_path / "cache", lessons=reader)
    assert not begun.exists()


def test_a_process_that_counts_tells_what_is_damaged_and_what_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(OSError, match="cannot be written"):
        count_apart(SHIPPED, tmp_path / "file" / "trained", lambda _: None)
    trained_here(tmp_path).write_bytes(sealed(b"of another version"))
    with pytest.raises(DamagedError, match="run `pcs train`"):
        count_apart(trained_here(tmp_path), tmp_path / "cache" / "trained", lambda _: None)


def test_a_cache_is_named_after_every_module_that_counts_and_no_other() -> None:
    graph = grimp.build_graph("pcs")
    counts = {"pcs.engine.counting.__main__"}
    counts |= {module for start in counts for module in graph.find_upstream_modules(start)}
    named = set(COUNTS).union(*(graph.find_descendants(module) for module in COUNTS))
    assert counts <= named
    assert all(counts & {module, *graph.find_descendants(module)} for module in COUNTS)


def a_revision(*texts: str) -> Schedule:
    rows = [PublishedRow(Code("42"), 0, "Bags"), PublishedRow(Code("4202"), 1, "Trunks and bags")]
    lines = (PublishedRow(Code(f"42021{place}00"), 2, text, declarable=True) for place, text in enumerate(texts))
    revision = Revision(ScheduleName.EU_CN, "made up", "2026-01-01")
    return build(revision, [*rows, *lines])


def test_what_provisions_require_is_read_once_and_comes_back_as_it_was(tmp_path: Path) -> None:
    schedule = a_revision("With outer surface of leather", "Of a value over 20 USD, not decaffeinated", "Other")
    law = open_law(tmp_path, schedule)
    assert set(law.asking) == {"With outer surface of leather", "Of a value over 20 USD, not decaffeinated"}
    for text, terms in law.asking.items():
        read = terms_of(text)
        assert (terms.intervals, terms.families, terms.denied) == (read.intervals, read.families, read.denied)
    for stem, places in (("leather", [2]), ("valu", [3]), ("decaffein", []), ("never said", [])):
        assert law_of(schedule).affirmed.of_term(stem).tolist() == law.affirmed.of_term(stem).tolist() == places
    fresh, kept = law_of(schedule).provisions.overlap("bag of leather"), law.provisions.overlap("bag of leather")
    for one, other in ((fresh.own, kept.own), (fresh.path, kept.path), (fresh.covered, kept.covered)):
        assert one.max() > 0
        assert np.array_equal(one, other)
    [folder] = tmp_path.glob("law-*")
    before = (folder / "terms.npy").stat()
    open_law(tmp_path, schedule)
    assert (folder / "terms.npy").stat().st_ino == before.st_ino
    open_law(tmp_path, a_revision("With outer surface of leather", "Other"))
    assert len(list(tmp_path.glob("law-*"))) == 2


def test_of_revisions_that_were_read_those_used_last_are_kept(tmp_path: Path) -> None:
    open_law(tmp_path, a_revision("In use"))
    [in_use] = tmp_path.glob("law-*")
    first = (in_use / "terms.npy").stat()
    for place in range(8):
        open_law(tmp_path, a_revision(f"Of article {place}"))
        open_law(tmp_path, a_revision("In use"))
    assert len(list(tmp_path.glob("law-*"))) == 6
    assert (in_use / "terms.npy").stat().st_ino == first.st_ino, "it was made once"


def test_questions_that_were_read_before_ask_the_same(tmp_path: Path) -> None:
    first, second, fresh = open_questions(tmp_path), open_questions(tmp_path), questions_in(knowledge())
    assert first.keys() == second.keys() == fresh.keys()
    asked = [question for heading in fresh.values() for question in heading]
    assert len(asked) > 1000
    for found in (first, second):
        again = [question for heading in found.values() for question in heading]
        for one, other in zip(asked, again, strict=True):
            assert (one.system, one.scope, one.name, one.slot) == (other.system, other.scope, other.name, other.slot)
            assert [route.codes for route in one.routes] == [route.codes for route in other.routes]
            assert list(one.values) == list(other.values)
    assert len(list(tmp_path.glob("questions-*"))) == 1


@pytest.mark.parametrize("harm", [lambda raw: raw[:-1], lambda raw: raw[:-3] + bytes([raw[-3] ^ 1]) + raw[-2:]])
def test_a_damaged_reading_of_the_law_is_made_anew(tmp_path: Path, harm: Callable[[bytes], bytes]) -> None:
    schedule = a_revision("With outer surface of leather", "Other")
    before = open_law(tmp_path, schedule).asking.keys()
    [file] = tmp_path.glob("law-*/terms.npy")
    raw = file.read_bytes()
    file.unlink()  # who has it open keeps it
    file.write_bytes(harm(raw))
    assert open_law(tmp_path, schedule).asking.keys() == before
    assert file.read_bytes() == raw


@pytest.mark.parametrize("name", ["digests.json", "shared.units.npy", "terms.text.npy"])
@pytest.mark.parametrize("harm", [lambda raw: raw[:-1], lambda raw: raw[:-3] + bytes([raw[-3] ^ 1]) + raw[-2:]])
def test_a_damaged_cache_is_made_anew(tmp_path: Path, reader: Reader, name: str, harm: object) -> None:
    before = open_trained(tmp_path, tmp_path / "cache", lessons=reader)
    [file] = (tmp_path / "cache").glob(f"trained-*/{name}")
    raw = file.read_bytes()
    file.unlink()  # who has it open keeps it
    file.write_bytes(harm(raw))  # type: ignore[operator]
    assert same(open_trained(tmp_path, tmp_path / "cache", lessons=reader), before)
    assert reader.times == 2
    assert same(open_trained(tmp_path, tmp_path / "cache", lessons=reader), before)
    assert reader.times == 2


def test_a_folder_that_cannot_be_written_is_done_without(
    tmp_path: Path, reader: Reader, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").touch()
    trained = open_trained(tmp_path, tmp_path / "file" / "cache", lessons=reader)
    assert trained.vectoriser.vocabulary.get("whandbag") is not None
    assert "cannot be written" in caplog.text


def test_lessons_that_changed_are_told_and_do_not_stop_anything(
    tmp_path: Path, learned: Learned, caplog: pytest.LogCaptureFixture
) -> None:
    save_learned(learned, trained_here(tmp_path))
    commented = tuple(lessons([read_chapter(["// so it is", *CHAPTER], name="42.txt")]))
    open_trained(tmp_path, tmp_path / "one", lessons=lambda: commented)
    assert "pcs train" not in caplog.text
    trained = open_trained(tmp_path, tmp_path / "two", lessons=lambda: LEATHER[1:])
    assert "run `pcs train`" in caplog.text
    assert trained.shared.headings.classes == trained.headings.classes


LINE = Code("9404408500")


def test_what_rulings_taught_is_counted_with_the_pack(tmp_path: Path, learned: Learned, reader: Reader) -> None:
    known = lines_of(ScheduleName.US_HTS, LINE)
    quilt = Lesson("quilted whatsit", LessonKind.RULING, LINE.heading, known, subheading=LINE.subheading)
    save_learned(replace(learned, rulings=(quilt,)), trained_here(tmp_path))
    assert open_learned(trained_here(tmp_path)).rulings == (quilt,)
    trained = open_trained(tmp_path, tmp_path / "cache", lessons=reader)
    assert "wwhatsit" in trained.vectoriser.vocabulary
    assert LINE in trained.lines[ScheduleName.US_HTS].classes


@pytest.mark.parametrize("place", [0, 1_000, 4_000_000, -70, -1])
def test_a_bit_that_changed_is_told_with_what_mends_it(tmp_path: Path, place: int) -> None:
    whole = bytearray(SHIPPED.read_bytes())
    whole[place] ^= 1
    trained_here(tmp_path).write_bytes(whole)
    refuses(tmp_path)


@pytest.mark.parametrize("length", [0, 10, 1_000_000, -1])
def test_a_file_cut_short_is_told_with_what_mends_it(tmp_path: Path, length: int) -> None:
    trained_here(tmp_path).write_bytes(SHIPPED.read_bytes()[:length])
    refuses(tmp_path)


def refuses(folder: Path) -> None:
    with pytest.raises(DamagedError, match="run `pcs train`"):
        open_trained(folder, Path(os.environ["PCS_CACHE_DIR"]))
    assert "run `pcs train`" in damages(folder)["trained"]
    trained_here(folder).unlink()
    assert damage_of_trained(folder) is None


def test_training_twice_gives_the_same_bytes(tmp_path: Path) -> None:
    pack = [read_chapter(SMALL, name="42.txt")]
    schedules = {name: starter_schedule(name, pack) for name in ScheduleName}
    taught = [train(pack, schedules), train(pack, schedules)]
    files = [tmp_path / "one.npz", tmp_path / "two.npz"]
    for parts, file in zip(taught, files, strict=True):
        save_learned(parts, file)
    assert files[0].read_bytes() == files[1].read_bytes()
    again = open_learned(files[0])
    assert (again.shared.units == taught[0].shared.units).all()
    assert again.made_from == taught[0].made_from


def test_learning_goes_on_from_what_was_learned_and_takes_in_what_is_new(tmp_path: Path) -> None:
    pack = [read_chapter(SMALL, name="42.txt")]
    before = train(pack, {name: starter_schedule(name, pack) for name in ScheduleName})
    more = [read_chapter([*SMALL, *(f"{good} gauntlet".format("plastic", "long") for good in GOODS)], name="42.txt")]
    taught = [train_on(before, more), train_on(before, more)]
    files = [tmp_path / "one.npz", tmp_path / "two.npz"]
    for parts, file in zip(taught, files, strict=True):
        save_learned(parts, file)
    assert files[0].read_bytes() == files[1].read_bytes()
    assert taught[0].choices == before.choices
    assert taught[0].made_from.lessons == digest(lessons(more)) != before.made_from.lessons
    assert any("gauntlet" in term for term in set(taught[0].shared.terms) - set(before.shared.terms))
    was, now = units_by_term(before), units_by_term(taught[0])
    assert max(float(abs(now[term] - was[term]).max()) for term in was.keys() & now.keys()) < 0.5


def units_by_term(learned: Learned) -> dict[str, np.ndarray]:
    values = learned.shared.units * learned.shared.steps[:, None]
    return dict(zip(learned.shared.terms, values, strict=True))
