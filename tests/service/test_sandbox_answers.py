"""The sandbox's codes fit the goods, and say that they are simulated. The trap: a T-shirt with a laptop's code, which
integrators take for a fault of the service."""

import os
from collections.abc import Sequence
from pathlib import Path

import pytest

from determinations import result_of
from pcs.classifications.model import Analyse
from pcs.engine.classify import classify
from pcs.engine.decided import Decided
from pcs.engine.determination import Determination
from pcs.engine.product import Product
from pcs.sandbox.simulation import Scenario, simulate
from pcs.schedules.library import Library
from pcs.schedules.methods import Methods
from pcs.schedules.service import Revisions
from pcs.tariff.revision import ScheduleName
from whole_schedule import edition

US, EU = ScheduleName.US_HTS, ScheduleName.EU_CN


@pytest.fixture(scope="module")
def methods(tmp_path_factory: pytest.TempPathFactory) -> Methods:
    return Methods(Library(tmp_path_factory.mktemp("sandbox")), cache_dir=Path(os.environ["PCS_CACHE_DIR"]))


@pytest.fixture(scope="module")
def starter(methods: Methods) -> Analyse:
    def analyse(product: Product, schedule: ScheduleName, decided: Sequence[Decided] = ()) -> Determination:
        return classify(product, methods.starter(schedule), decided=decided)

    return analyse


@pytest.mark.parametrize("schedule", [US, EU])
@pytest.mark.parametrize(
    ("goods", "heading"),
    [
        (Product("Cotton T-shirt"), "6109"),
        (Product("Laptop computer", "Portable, 14 inch display, 1.2 kg"), "8471"),
        (Product("Roasted coffee beans", "Not decaffeinated"), "0901"),
        (Product("Brake pads for cars"), "8708"),
    ],
)
def test_a_simulated_code_fits_the_goods_and_says_that_it_is_simulated(
    starter: Analyse, schedule: ScheduleName, goods: Product, heading: str
) -> None:
    determination = simulate(goods, schedule, starter=starter)
    result = result_of(determination)
    assert result.code.heading == heading
    assert len(result.code) == schedule.digits
    assert result.hierarchy[-1].code == result.code
    assert "sandbox" in result.reasoning
    assert (result.schedule_revision, determination.revision.name) == ("simulated", "simulated")
    assert {level.confidence for level in result.hierarchy} == {result.confidence} == {None}
    assert (result.rulings, result.needs_review) == ((), False)
    assert simulate(goods, schedule, starter=starter) == determination


def test_what_is_loaded_changes_no_simulated_answer(tmp_path: Path, methods: Methods) -> None:
    Revisions(tmp_path).stage(edition("2026-other"))
    loaded = Library(tmp_path)
    Revisions(tmp_path).promote(EU, "2026-other")
    assert loaded.schedule(EU).revision.name == "2026-other"
    others = Methods(loaded, cache_dir=Path(os.environ["PCS_CACHE_DIR"]))
    assert others.starter(EU).schedule.revision == methods.starter(EU).schedule.revision
    assert others.starter(EU).schedule.revision.is_starter


def test_a_test_product_that_names_no_goods_completes_with_a_sample(starter: Analyse) -> None:
    result = result_of(simulate(Product("Zzyzx 0815"), US, starter=starter))
    assert str(result.code) in {code for code, _ in US.profile.samples}
    doubtful = result_of(simulate(Product("Cotton T-shirt"), US, Scenario.LOW_CONFIDENCE, starter=starter))
    assert doubtful.needs_review
    assert len(doubtful.alternatives) == 2
