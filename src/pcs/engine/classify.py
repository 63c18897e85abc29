"""The method, top to bottom: find lines that share words with the goods, then walk down the tree and take at each level
the branch that holds the best of them. The trap: an answer without evidence; where nothing is shared, none is given."""

from __future__ import annotations

import time
from collections.abc import Sequence

import numpy as np

from pcs.engine.determination import Determination, Level, Step, Undetermined
from pcs.engine.method import Method
from pcs.engine.product import Product
from pcs.engine.retrieval.lexical import Scores
from pcs.engine.text import words
from pcs.tariff.schedule import Node

_VOTERS = 10  # documents that vote; benchmarks follow with the ranker


def classify(product: Product, method: Method) -> Determination:
    """The tariff line of the goods under the method's revision, and why. Pure: same arguments, same answer but for
    times."""
    started = time.perf_counter()
    terms = words(product.text)
    scores = _line_scores(terms, method)
    found = Step("retrieve", f"{int((scores > 0).sum())} lines share words with the goods", _since(started))
    if not scores.any():
        return _undetermined(method, found)
    started = time.perf_counter()
    path = _descend(scores, method)
    walked = Step("descend", " > ".join(node.code or node.text for node in path), _since(started))
    return _determined(path, terms, method, (found, walked))


def _line_scores(terms: Sequence[str], method: Method) -> Scores:
    """Each line's share of the votes of the best documents."""
    scores = method.index.scores(terms)
    best = np.argsort(-scores, kind="stable")[:_VOTERS]
    votes = np.zeros(len(method.lines), dtype=np.float32)
    np.add.at(votes, method.owners[best], scores[best])
    return votes


def _descend(scores: Scores, method: Method) -> tuple[Node, ...]:
    by_node = {line.index: float(score) for line, score in zip(method.lines, scores, strict=True) if score > 0}
    totals: dict[int, float] = {}
    for index, score in by_node.items():
        for step in method.schedule.path(method.schedule.nodes[index]):
            totals[step.index] = totals.get(step.index, 0.0) + score
    tops = [index for index in totals if method.schedule.nodes[index].parent is None]
    node = method.schedule.nodes[max(tops, key=lambda index: (totals[index], -index))]
    while node.children:
        below = [index for index in node.children if index in totals]
        if not below:
            break
        node = method.schedule.nodes[max(below, key=lambda index: (totals[index], -index))]
    return method.schedule.path(node)


def _determined(path: tuple[Node, ...], terms: Sequence[str], method: Method, steps: tuple[Step, ...]) -> Determination:
    line = path[-1]
    assert line.code is not None
    description = method.schedule.description(line)
    shared = sorted(set(terms) & set(words(" ".join(node.text for node in path))))
    said = f"The goods and the text of the provision share: {', '.join(shared)}. " if shared else ""
    reasoning = (
        f"Under revision {method.schedule.revision.name} of {method.schedule.revision.schedule} the goods were compared with the "
        f"words of every tariff line and with known example goods. The nearest lie in {line.code.dotted}: {description}. {said}"
        "At each level of the tree the branch with the nearest matches was taken. This answer is not scored."
    )
    duty = method.schedule.duty(line)
    return Determination(
        revision=method.schedule.revision,
        code=line.code,
        description=description,
        reasoning=reasoning,
        hierarchy=tuple(Level(node.code, node.text) for node in path),
        gri_applied=("1", "6"),
        duty_general=duty.general if duty else None,
        duty_special=duty.special if duty else None,
        duty_other=duty.other if duty else None,
        units=line.units,
        steps=steps,
    )


def _undetermined(method: Method, step: Step) -> Determination:
    return Determination(
        revision=method.schedule.revision,
        code=None,
        description="",
        reasoning="Nothing in the product's name or description says what the goods are. Add what the product is, what it "
        "is made of and what it is for.",
        undetermined=Undetermined.INSUFFICIENT_INFORMATION,
        missing_information=("What is the product?", "What is it made of?", "What is it used for?"),
        steps=(step,),
    )


def _since(started: float) -> float:
    return (time.perf_counter() - started) * 1000
