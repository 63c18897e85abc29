"""`pcs train`: the engine's trained parts from the knowledge pack and the loaded schedules and rulings."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from pcs.cli.options import DEFAULT_DATA_DIR, DataDir
from pcs.engine.training.train import train
from pcs.schedules.methods import TRAINED_HERE, MethodShelf
from pcs.tariff.revision import ScheduleName
from pcs.tariff.starter.brands import shop_knowledge
from pcs.tariff.starter.digest import pack_digest
from pcs.tariff.starter.pack import read_pack


def command(
    *,
    output: Annotated[Path | None, typer.Option(help="Where the parts go; the data folder if left out.")] = None,
    data_dir: DataDir = DEFAULT_DATA_DIR,
) -> None:
    """Train the engine anew. Takes minutes on two cores; the same input gives the same file, to the byte."""
    console = Console(stderr=True)
    shelf = MethodShelf(data_dir)
    schedules = {name: shelf.schedule(name) for name in ScheduleName}
    with console.status("starting") as status:
        parts = train(read_pack(), schedules, pack_digest=pack_digest(), shops=shop_knowledge(), progress=status.update)
    target = output or data_dir / TRAINED_HERE
    target.parent.mkdir(parents=True, exist_ok=True)
    parts.save(target)
    console.print(
        f"Trained on {len(parts.headings.classes)} headings; {target.stat().st_size / 1e6:.1f} MB in {target}."
    )
