"""The method, top to bottom: read the goods, rank headings, choose the line by what was said, apply the rules, weigh
the doubt, say why. The trap: an answer where nothing says what the goods are; then none is given, and what to add is
said."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from pcs.base.plurals import counted
from pcs.engine.asking import missing
from pcs.engine.decided import Decided, under
from pcs.engine.determination import Determination, Step, Undetermined, not_read, nothing_said
from pcs.engine.duties import with_duties
from pcs.engine.languages.english import InEnglish
from pcs.engine.legal.contest import Settled, settle
from pcs.engine.legal.exclusions import Excluded
from pcs.engine.legal.parts import parts_finding
from pcs.engine.legal.rules import rules_for
from pcs.engine.method import Method
from pcs.engine.placeholders import names_no_goods
from pcs.engine.product import Product
from pcs.engine.ranking.doubt import certainty_of, known_share
from pcs.engine.ranking.levels import LIKELY, LIKELY_SUBHEADING, Certainty
from pcs.engine.ranking.ranker import MOST_RANKED, Likely, Query, RankedHeading, best_headings, rank, read
from pcs.engine.reading.telling import understood
from pcs.engine.reasoning import Findings, divergence, reasoning
from pcs.engine.repeats import cited as cited_decisions
from pcs.engine.repeats import deciding, repeated
from pcs.engine.result import MOST_ALTERNATIVES, REVIEW_BELOW, Alternative, Level, Result, percent
from pcs.engine.retrieval.precedents import cited
from pcs.engine.retrieval.votes import Votes
from pcs.engine.text import stem, telling_words, words
from pcs.tariff.code import Code
from pcs.tariff.schedule import Node

_CLOSE = 0.25  # a runner-up with a quarter of the best heading's probability is weighed against its notes
# Goods are not guessed where the heading is surer wrong than this, and none of its terms was said: what that leaves out
# is right for one in thirty. Where half of the words or more are unknown, as in a language that is not read, sooner.
_GUESS, _GUESS_UNKNOWN = 0.1, 0.15
_HALF_KNOWN, _UNCOVERED = 0.5, 0.05
_OTHER_LANGUAGE = 0.8  # of the surety of an English reading
_MOST_LIKELY = 40  # headings that a prediction set may hold


@dataclass
class _Log:
    """The steps so far, each with the time since the one before."""

    steps: list[Step] = field(default_factory=list)
    started: float = field(default_factory=time.perf_counter)

    def note(self, name: str, outcome: str) -> None:
        now = time.perf_counter()
        self.steps.append(Step(name, outcome, round((now - self.started) * 1000, 3)))
        self.started = now


def classify(
    product: Product, method: Method, *, review_below: float = REVIEW_BELOW, decided: Sequence[Decided] = ()
) -> Determination:
    """The tariff line of the goods under the method's revision, and why; it needs review where its probability, 0 to 1,
    is below a threshold. `decided` is what their owner has decided of the same goods, newest first, and of goods near.

    Pure: the same product, method and decisions give the same answer, but for the times of its steps.
    """
    known = under(decided, method.schedule)
    if not deciding(known):
        return _analysed(product, method, known).judged(review_below)
    return repeated(_analysed(product, method, ()), product, known, method.schedule).judged(review_below)


def _analysed(product: Product, method: Method, decided: Sequence[Decided]) -> Determination:
    log = _Log()
    written = method.laid_out(product)
    said = _likeliest(method.rendered(written), method)
    product, query = said.product, read(said.product, method, said.language)
    reading = understood(query.reading)
    log.note("read the goods", str(reading))
    if decided:
        query = replace(query, decided=Votes.of(written.name, decided, method.trained.vectoriser))
        log.note("look at decisions", f"{len(query.decided.near) or 'none'} of your organization on goods near")
    if said.unread:
        return _undetermined(not_read(said.unread, reading), method, log)
    if query.says_nothing or _names_no_goods(written, query):
        return _undetermined(nothing_said(reading), method, log)
    likely = best_headings(query, method, most=_MOST_LIKELY)
    ranked = rank(query, method, likely[:MOST_RANKED])
    if _is_a_guess(ranked[0], query, method):
        return _undetermined(nothing_said(reading), method, log)
    heads = ", ".join(found.heading.code for found in ranked[:3])
    log.note("rank headings", f"best of {len(method.headings):,}: {heads}")
    ranked, excluded = heed_exclusions(ranked, query, method)
    exclusions = " ".join(each.finding for each in excluded)
    log.note("check notes", exclusions or "no exclusion note applies to the best headings")
    # where a note has sent the goods elsewhere, rule 1 has decided, and rules 3 and 4 are not reached
    settled = (
        Settled(tuple(ranked))
        if excluded
        else settle(product.name, ranked, query, lambda text: heading_of(text, method))
    )
    log.note("compare headings", settled.rule.finding if settled.rule else "no other heading is close")
    found = _determine(product, query, method, settled, excluded, likely, log)
    return Determination(method.schedule.revision, found, tuple(log.steps))


def _names_no_goods(written: Product, query: Query) -> bool:
    """Whether nothing says what the goods are, as they were written or as they were understood."""
    said = ((written.name, written.description), (query.reading.name, query.reading.description))
    return any(names_no_goods(name, description) for name, description in said)


def _likeliest(readings: Sequence[InEnglish], method: Method) -> InEnglish:
    """Of a name that is a word of several languages the reading whose goods are surest, each looked at whole; another
    than English must be clearly surer, since most names are English."""
    return readings[0] if len(readings) == 1 else max(readings, key=lambda said: _heading_sure(said, method))


def _heading_sure(said: InEnglish, method: Method) -> float:
    query = read(said.product, method)
    if query.says_nothing:
        return 0.0
    [best] = rank(query, method, best_headings(query, method, most=1))
    sure = certainty_of(best).of_heading()
    return sure if said.language == "en" else _OTHER_LANGUAGE * sure


def _is_a_guess(best: RankedHeading, query: Query, method: Method) -> bool:
    """Whether hardly anything speaks for the best heading: no term of it was said, and it is most likely wrong."""
    if best.covered >= _UNCOVERED:
        return False
    known = known_share(query, method)
    return certainty_of(best).of_heading() < (_GUESS_UNKNOWN if known <= _HALF_KNOWN else _GUESS)


def heed_exclusions(
    ranked: Sequence[RankedHeading], query: Query, method: Method
) -> tuple[list[RankedHeading], tuple[Excluded, ...]]:
    """Take out the best heading while a note sends the goods from it to a close runner-up, which then comes first.

    What a note took out never returns, not even as an alternative.
    """
    left, taken_out = list(ranked), list[Excluded]()
    while True:
        best = left[0]
        close = [found for found in left[1:] if found.probability >= _CLOSE * best.probability]
        excluded = method.exclusions.bearing(
            query.reading.text, best.heading.code, [found.heading.code for found in close]
        )
        if excluded is None:
            return left, tuple(taken_out)
        taken_out.append(excluded)
        left = left[1:]
        left.sort(key=lambda found: found.heading.code != excluded.goes_to)  # stable: the target first


def heading_of(text: str, method: Method) -> tuple[Code, float] | None:
    """The best heading of a component of a set, and its probability; None where nothing says what it is."""
    query = read(Product(text), method)
    if query.says_nothing:
        return None
    [(place, probability)] = best_headings(query, method, most=1)
    return method.headings[place].code, probability


def _determine(  # noqa: PLR0913, PLR0917 - the stages in their order
    product: Product,
    query: Query,
    method: Method,
    settled: Settled,
    excluded: tuple[Excluded, ...],
    likely: Sequence[Likely],
    log: _Log,
) -> Result:
    ranked, best = settled.ranked, settled.ranked[0]
    place = best.place
    line = method.lines[best.heading.start + place]
    assert line.code is not None
    path = method.schedule.path(line)
    log.note(
        "choose the tariff line",
        f"{line.code.dotted} of {best.heading.stop - best.heading.start} lines of heading {best.heading.code}",
    )
    rules = rules_for(product, path, settled.rule)
    parts = parts_finding(product.name, path)
    log.note("apply the rules", "; ".join([*(f"GRI {rule.number}" for rule in rules), *([parts] if parts else [])]))
    sure = certainty_of(best)
    confidence = sure.of_line()
    hierarchy = _hierarchy(path, best, sure)
    alternatives = _alternatives(ranked, line, method, confidence)
    questions = missing(best)
    weighed = (counted(len(alternatives), "alternative"), counted(len(questions), "open question"))
    log.note("assess confidence", ", ".join((f"confidence {percent(confidence)}", *weighed)))
    rulings = cited(query.nearest, line.code)
    log.note("find rulings", f"{len(rulings) or 'none'} on similar goods and codes")
    shared = _shared(query.reading.text, path)
    findings = Findings(
        product=product,
        revision=method.schedule.revision,
        path=path,
        shared=shared,
        facts=tuple(found for found in best.answered if found.question.scope.covers(line.code)),
        rules=rules,
        excluded=excluded,
        parts=parts,
        alternatives=alternatives,
        rulings=rulings,
        questions=tuple(question.text for question in questions),
        confidence=confidence,
        heading_confidence=sure.of_heading(),
    )
    result = Result(
        code=line.code,
        description=method.schedule.description(line),
        reasoning=reasoning(findings),
        schedule_revision=method.schedule.revision.name,
        hierarchy=hierarchy,
        confidence=round(confidence, 4),
        likely_headings=_likely_headings(likely, method, frozenset(each.out_of for each in excluded)),
        likely_subheadings=_likely_subheadings(ranked),
        alternatives=alternatives,
        gri_applied=tuple(rule.number for rule in rules),
        rulings=rulings,
        missing_information=tuple(question.text for question in questions),
        questions=questions,
        units=line.units,
        reading=understood(query.reading),
        precedents=cited_decisions(query.decided.near, line.code),
    )
    return with_duties(result, method.schedule, line, product)


def _likely_headings(likely: Sequence[Likely], method: Method, taken_out: frozenset[Code]) -> tuple[Code, ...]:
    found = (method.headings[place].code for place, probability in likely if probability >= LIKELY)
    return tuple(code for code in found if code not in taken_out)


def _likely_subheadings(ranked: Sequence[RankedHeading]) -> tuple[Code, ...]:
    joint = {code: found.probability * share for found in ranked for code, share in found.subheadings.items()}
    likely = sorted(joint, key=lambda code: (-joint[code], code))
    return tuple(code for code in likely if joint[code] >= LIKELY_SUBHEADING)


def _hierarchy(path: Sequence[Node], best: RankedHeading, sure: Certainty) -> tuple[Level, ...]:
    """Each level of the path with the confidence that the goods lie at or below it."""
    lines = best.lines.tolist()
    levels = []
    for node in path:
        confidence = None
        if node.code and len(node.code) >= 4:
            share = sum(p for p, code in zip(lines, best.heading.codes, strict=True) if code.startswith(node.code))
            confidence = round(_level_confidence(len(node.code), share / max(best.inside, 1e-12), sure), 4)
        levels.append(Level(node.code, node.text, confidence))
    return tuple(levels)


def _level_confidence(digits: int, share: float, sure: Certainty) -> float:
    if digits == len("0000"):
        return sure.of_heading()
    return sure.of_subheading() if digits <= len("000000") else sure.below(min(share, 1.0))


def _alternatives(
    ranked: Sequence[RankedHeading], chosen: Node, method: Method, confidence: float
) -> tuple[Alternative, ...]:
    """The most probable other lines, with what separates each from the chosen one.

    Their confidence is to the answer's as their probabilities are, but never above it where a note or a rule decided
    against the more probable line, and all together is at most one.
    """
    joint = [
        (found.probability * float(found.lines[place]), method.lines[found.heading.start + place])
        for found in ranked
        for place in (-found.lines).argsort(kind="stable")[: MOST_ALTERNATIVES + 1].tolist()
    ]
    others = [item for item in joint if item[1].index != chosen.index]
    others.sort(key=lambda item: (-item[0], item[1].index))
    of_chosen = ranked[0].probability * float(ranked[0].lines[ranked[0].place])
    left = (1 - confidence) / max(sum(found.probability for found in ranked) - of_chosen, 1e-9)
    scale = min(left, confidence / max(of_chosen, 1e-9))
    path = method.schedule.path(chosen)
    return tuple(
        _alternative(line, min(scale * probability, confidence), path, method)
        for probability, line in others[:MOST_ALTERNATIVES]
    )


def _alternative(line: Node, confidence: float, chosen: Sequence[Node], method: Method) -> Alternative:
    assert line.code is not None
    separated = divergence(chosen, method.schedule.path(line))
    return Alternative(line.code, method.schedule.description(line), round(confidence, 4), separated)


def _shared(text: str, path: Sequence[Node]) -> tuple[str, ...]:
    provision = set(words(" ".join(node.text for node in path)))
    return tuple(dict.fromkeys(word for word in telling_words(text) if stem(word) in provision))


def _undetermined(nothing: Undetermined, method: Method, log: _Log) -> Determination:
    log.note("look for the goods", "nothing says what they are")
    return Determination(method.schedule.revision, nothing, tuple(log.steps))
