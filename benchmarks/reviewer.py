"""What an assessment sends and how many requests it takes, by the test suite's local model server: `python -m
benchmarks.reviewer`. The trap: tokens differ by model, so characters are counted; English has about four a token.

The schedules, notes and rulings of PCS_DATA_DIR are used (the starter schedules where there are none): notes and
rulings make most of what is sent."""

import asyncio
import json
import os
import statistics
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from model_server import Asked, ModelServer, faithful
from pcs.base.settings import Settings
from pcs.bootstrap import build_engine
from pcs.engine.product import Product
from pcs.reviewer.assessment import Reviewer
from pcs.reviewer.chat_completions import ChatCompletions
from pcs.reviewer.conversation import Reply
from pcs.reviewer.model import AssessmentLimits, Way
from pcs.reviewer.server import Server
from pcs.tariff.revision import ScheduleName

GOODS = [
    Product("Men's knitted cotton T-shirt", "100% cotton, crew neck, short sleeves"),
    Product("Cordless drill 18 V", "With two lithium-ion batteries and a charger in a case"),
    Product("Stainless steel water bottle", "Double-walled, 750 ml, for keeping drinks cold"),
    Product("Frozen raspberries", "Unsweetened, in bags of 1 kg"),
    Product("LED desk lamp", "Base metal, with USB port"),
    Product("Children's wooden puzzle", "24 pieces, plywood"),
    Product("Brake pads for passenger cars"),
    Product("Leather wallet", "Outer surface of cowhide"),
]


class NothingKept:
    """Every request is sent."""

    async def kept(self, _: str) -> Reply | None:
        """See Replies."""
        return None

    async def allow(self) -> None:
        """See Replies."""

    async def keep(self, _: str, __: Reply) -> None:
        """See Replies."""


async def main() -> None:
    """Count and print."""
    engine = build_engine(Settings.from_environment(os.environ))
    server = ModelServer()
    server.script = faithful
    model = ChatCompletions(Server("counted", server.openai_url, seconds=60))
    print("| way | schedule | requests | characters sent an assessment, median (least to most) |\n|---|---|---|---|")
    for way in Way:
        for name in ScheduleName:
            sizes, requests = [], []
            for goods in GOODS:
                server.asked.clear()
                law, headings = engine.evidence(goods, name)
                await Reviewer(model, AssessmentLimits("counted", way=way)).assess(
                    goods, engine.analyse(goods, name, ()), law, headings, NothingKept()
                )
                sizes.append(sum(map(_characters, server.asked)))
                requests.append(len(server.asked))
            spread = f"{statistics.median(sizes):,.0f} ({min(sizes):,} to {max(sizes):,})"
            print(f"| {way} | {name} | {min(requests)} to {max(requests)} | {spread} |")
    await model.close()
    server.close()


def _characters(asked: Asked) -> int:
    return len(json.dumps(asked.body, ensure_ascii=False))


if __name__ == "__main__":
    asyncio.run(main())
