"""`pcs classify`: codes on the command line, without a server. The trap: one bad row that ends the run; each row gets
its answer or its error, in its place."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from pcs.base.errors import NotFoundError
from pcs.base.plurals import counted
from pcs.base.settings import Settings
from pcs.classifications.result_columns import ResultCells, result_titles, shown
from pcs.cli.determinations import as_record, show
from pcs.cli.options import DEFAULT_DATA_DIR, AsJson, DataDir, ReviewBelow
from pcs.cli.output import print_json, say_aside
from pcs.cli.parquet import PARQUET, Where, classify_catalogue
from pcs.cli.product_files import ProductFileError, check_output, is_json_lines, products_in, write_beside
from pcs.engine.classify import classify
from pcs.engine.determination import Determination, Undetermined
from pcs.engine.method import Method
from pcs.engine.product import Product
from pcs.engine.result import REVIEW_BELOW, Result
from pcs.products.attributes import checked
from pcs.products.languages import language as read_language
from pcs.products.model import ProductFields
from pcs.products.tables import ProductRow
from pcs.schedules.library import Library
from pcs.schedules.methods import Methods
from pcs.schedules.worded import worded
from pcs.tariff.revision import ScheduleName

_REPEATS_SHOWN = 10
Determine = Callable[[Product], Determination]


def command(  # noqa: PLR0913 (one parameter an option)
    text: Annotated[
        str | None, typer.Argument(help="The product, as you would describe it to a customs officer.")
    ] = None,
    *,
    schedule: Annotated[ScheduleName, typer.Option(help="The schedule to classify under.")] = ScheduleName.US_HTS,
    source: Annotated[
        Path | None, typer.Option("--input", help="A file of products: CSV, XLSX, .jsonl or .parquet, a product a row.")
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", help="The file to write the results to: .csv, .xlsx, .jsonl or .parquet.")
    ] = None,
    language: Annotated[
        str | None, typer.Option(help="The language of TEXT, such as de; found by itself if left out.")
    ] = None,
    attributes: Annotated[
        list[str] | None,
        typer.Option(
            "--attribute",
            "--answer",
            help="What is known of TEXT, as NAME=VALUE, such as material=leather; repeatable.",
        ),
    ] = None,
    words_in: Annotated[
        str | None, typer.Option(help="Official words of TEXT's code in this language, such as de, where loaded.")
    ] = None,
    jobs: Annotated[int, typer.Option(min=1, max=256, help="How many processes answer a .parquet file.")] = 1,
    where: Annotated[
        Where, typer.Option("--on", help="Whose processes answer a .parquet file: this machine's, Ray's or Spark's.")
    ] = Where.HERE,
    review_below: ReviewBelow = REVIEW_BELOW,
    as_json: AsJson = False,
    data_dir: DataDir = DEFAULT_DATA_DIR,
) -> None:
    """Give a product its tariff code, or every product of a file."""
    if (text is None) == (source is None) or (source is None) != (output is None):
        msg = "give either a TEXT, or both --input FILE and --output FILE"
        raise typer.BadParameter(msg)
    if text is not None and not text.strip():
        msg = 'say what the product is, such as "men\'s cotton t-shirt"'
        raise typer.BadParameter(msg, param_hint="TEXT")
    if source:
        _refuse_of_one_text(language, attributes, words_in)
    spoken, said = _language("--language", language), _attributes(attributes or [])
    read_in = _language("--words-in", words_in)
    if source and output:
        _answer_file(source, output, schedule, data_dir, review_below, jobs, where)
        return
    determine = _determining(data_dir, schedule, review_below)
    determination = determine(ProductFields(text or "", language=spoken, attributes=said).described())
    if read_in and determination.result:
        determination = replace(determination, answer=_worded(determination.result, schedule, read_in, data_dir))
    if as_json:
        print_json(as_record(determination))
    else:
        show(determination)
    if determination.result is None:
        raise typer.Exit(1)


def _refuse_of_one_text(language: str | None, attributes: list[str] | None, words_in: str | None) -> None:
    """Raise BadParameter where something that is said of one TEXT was given with a file."""
    if language:
        msg = "it is the language of one TEXT: give those of a file's rows in its column 'language'"
        raise typer.BadParameter(msg, param_hint="--language")
    if attributes:
        msg = "it is said of one TEXT: give those of a file's rows in columns such as 'attribute:material'"
        raise typer.BadParameter(msg, param_hint="--attribute")
    if words_in:
        msg = "it is for one TEXT: a file of results has the words of the publication"
        raise typer.BadParameter(msg, param_hint="--words-in")


def _language(option: str, written: str | None) -> str | None:
    try:
        return read_language(written) if written else None
    except ValueError as error:
        msg = f"{written} {error}"
        raise typer.BadParameter(msg, param_hint=option) from error


def _worded(result: Result, schedule: ScheduleName, language: str, data_dir: Path) -> Result:
    """The result in the official words of a language, with a word where they are not loaded."""
    found = worded(result, Library(data_dir).wording(schedule, result.schedule_revision, language))
    if found.description_language != language:
        say_aside(f"The official words are not loaded in {language}: see `pcs schedules import --help`.")
    return found


def _attributes(written: Sequence[str]) -> dict[str, str]:
    try:
        return checked([_named(each) for each in written])
    except ValueError as error:
        msg = f"the attributes {error}"
        raise typer.BadParameter(msg, param_hint="--attribute") from error


def _named(written: str) -> tuple[str, str]:
    name, sign, value = written.partition("=")
    if not sign:
        msg = f"must be written NAME=VALUE, such as material=leather; “{written}” is not"
        raise ValueError(msg)
    return name, value


def _determining(data_dir: Path, schedule: ScheduleName, review_below: float) -> Determine:
    """Answers by the revision in force on the day of entry of goods that say one."""
    methods = opened_methods(data_dir, schedule)

    def determine(product: Product) -> Determination:
        return classify(product, methods.on(schedule, product.in_force_on), review_below=review_below)

    return determine


def opened(data_dir: Path, schedule: ScheduleName) -> Method:
    """The method for the revision that answers, with a word at the terminal while it opens."""
    return opened_methods(data_dir, schedule).current(schedule)


def opened_methods(data_dir: Path, schedule: ScheduleName) -> Methods:
    """The methods of a schedule's revisions, that of the one that answers opened with a word at the terminal."""
    settings = replace(Settings.from_environment(os.environ), data_dir=data_dir)
    with Console(stderr=True).status("Opening the engine") as status:
        methods = Methods(Library(data_dir), cache_dir=settings.cache_folder, progress=status.update)
        methods.current(schedule)
    return methods


def _answer_file(  # noqa: PLR0913, PLR0917 - one parameter an option
    source: Path, output: Path, schedule: ScheduleName, data_dir: Path, review_below: float, jobs: int, where: Where
) -> None:
    if PARQUET in {source.suffix.lower(), output.suffix.lower()}:
        classify_catalogue(source, output, schedule, data_dir, review_below, jobs, where)
        return
    if jobs > 1 or where is not Where.HERE:
        msg = "several processes answer .parquet files only: leave it out, or make the file one"
        raise typer.BadParameter(msg, param_hint="--jobs" if jobs > 1 else "--on")
    _classify_file(source, output, schedule, partial(_determining, data_dir, schedule, review_below))


def _classify_file(source: Path, output: Path, schedule: ScheduleName, opening: Callable[[], Determine]) -> None:
    """Answer a file; the engine is opened once the file is known to be one that can be answered."""
    notes = Console(stderr=True, highlight=False, soft_wrap=True)
    without_code = 0

    def answered(row: ProductRow) -> tuple[object, ...]:
        nonlocal without_code
        cells = _answered(row, determine)
        without_code += row.product is not None and not cells.code
        return cells.values if is_json_lines(output) else cells.cells

    try:
        check_output(output, source)
        with products_in(source) as table:
            found = table.survey()
            for repeat in found.repeats[:_REPEATS_SHOWN]:
                notes.print(f"{source.name}: {repeat}.")
            if (more := len(found.repeats) - _REPEATS_SHOWN) > 0:
                notes.print(f"{source.name}: {counted(more, 'more row repeats', 'more rows repeat')} others.")
            determine = opening()
            write_beside(
                table,
                found,
                output,
                ours=lambda titles: result_titles([schedule], titles),
                answered=answered,
                notes=notes,
            )
    except ProductFileError as error:
        raise typer.BadParameter(str(error)) from error
    bad = found.rows - found.good
    left_out = f", {counted(without_code, 'has', 'have')} no code" if without_code else ""
    left_out += f", {counted(bad, 'row has', 'rows have')} an error instead" if bad else ""
    notes.print(f"{counted(found.good, 'product')} classified into {output}{left_out}.")


def _answered(one: ProductRow, determine: Determine) -> ResultCells:
    if one.product is None:
        return ResultCells(error=f"{one.row.place}: {'; '.join(one.problems)}")
    try:
        found = determine(one.product.described())
    except NotFoundError as error:  # of the revision in force on the day of entry
        return ResultCells(error=f"{one.row.place}: {error}")
    answer = found.answer
    if isinstance(answer, Undetermined):
        return ResultCells(
            missing_information=answer.missing_information,
            reading=answer.reading,
            error=answer.reason,
            reasoning=answer.reasoning,
            schedule_revision=found.revision.name,
        )
    return shown(answer, str)
