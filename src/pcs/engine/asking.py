"""The questions that an answer leaves open, as they are put to people. The trap: a question of another article; one is
put only where its options divide what the goods may still be, and what divides most comes first."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from pcs.engine.facts import Answered
from pcs.engine.questions import Question
from pcs.engine.ranking.ranker import RankedHeading
from pcs.engine.reading.slots import measure_of
from pcs.engine.result import OpenQuestion

_EXAMPLES, _OPTIONS, _MOST_QUESTIONS = 5, 24, 5  # of a question, and of an answer
# Of its heading's probability, what the lines must have that a question's other options lead to. Where no option leads
# to the answer's own line, the goods are most likely none of what is asked. See docs/adr/0036.
_OPEN, _OPEN_ELSEWHERE = 0.005, 0.1
# Names of facts that a sentence can be made of; others ("wheels", "part of", "organic") are put before the question.
_NOUNS = frozenset(
    "material,kind,type,form,value,price,weight,width,length,thickness,diameter,height,area,size,capacity,displacement,"
    "strength,species,variety,cut,article,product,part,source,fibre,polymer,metal,compound,composition,leather,fabric,"
    "gender,age,use,purpose,process,processing,state,condition,construction,shape,colour,finish,origin,pack size,"
    "packing,container,pack weight,screen size,outer surface,surface,upper,sole,lining,filling,handle,frame,coating,"
    "lens,surfactant,motor,drive,engine,output,rating,voltage,room,sport,occasion,vehicle,machine,instrument,garment,"
    "fat,sugar,wool,carbon,nickel,alcohol,grade,flavour,season,technology,plastic,wood,stone,animal,fish,plant".split(
        ","
    )
)


def missing(best: RankedHeading) -> tuple[OpenQuestion, ...]:
    """The facts that would decide around the best line of a heading and were said in ways that cannot both be right,
    then those that were not said and divide what is open, what divides most first; each has an id of its own, and a
    name is asked for once."""
    code = best.heading.codes[best.place]
    around = [each for each in best.answered if each.question.scope.covers(code)]
    torn = [_open(each.question, each.said, decides=True) for each in around if each.contradicting]
    left = sorted((-share, place) for place, each in enumerate(around) if (share := _share(each, best)))
    asked = _once(_open(around[place].question, _options(around[place].question, best)) for _, place in left)
    found = dict[str, OpenQuestion]()
    for question in (*torn, *asked):
        found.setdefault(question.text, question)
    return tuple(_with_ids(list(found.values())[:_MOST_QUESTIONS]))


def _share(answered: Answered, best: RankedHeading) -> float:
    """What the lines have of the heading's probability that options lead to which do not lead to the best one; 0 where
    the question is answered, or that is too little to ask for."""
    question, heading = answered.question, best.heading
    if answered.taken or not question.routes:
        return 0.0
    away = [route for route in question.routes if not heading.below(route.codes)[best.place]]
    if not away:
        return 0.0
    inside = heading.below((question.scope,)) & heading.led_by(away)
    share = float(best.lines[inside].sum())
    return share if share >= (_OPEN if len(away) < len(question.routes) else _OPEN_ELSEWHERE) else 0.0


def _options(question: Question, best: RankedHeading) -> tuple[str, ...]:
    """A value of each route: intervals in their order, words by what the lines have that they lead to, without those
    that have hardly any of it."""
    shares = {route: float(best.lines[best.heading.below(route.codes)].sum()) for route in question.routes}
    likely = [route for route in question.routes if shares[route] >= _OPEN]
    if question.measures or len(likely) < 2:
        return tuple(route.values[0].written for route in question.routes)
    return tuple(route.values[0].written for route in sorted(likely, key=lambda route: -shares[route]))


def _once(asked: Iterable[OpenQuestion]) -> Iterator[OpenQuestion]:
    """The questions with each name once; one of several scopes has the words of all, or the intervals of the first."""
    named = dict[str, list[OpenQuestion]]()
    for question in asked:
        named.setdefault(question.attribute.lower(), []).append(question)
    for first, *others in named.values():
        also = (option for other in others if other.slot == first.slot for option in other.options)
        options = first.options if measure_of(first.slot) else (*first.options, *also)  # two scales are no one list
        yield _named(first, options)


def _open(question: Question, written: Sequence[str], *, decides: bool = False) -> OpenQuestion:
    name = "-".join([str(question.scope), *question.name.lower().split()])
    return _named(OpenQuestion(name, "", (), question.slot, question.name), written, decides=decides)


def _named(question: OpenQuestion, written: Iterable[str], *, decides: bool = False) -> OpenQuestion:
    """The question with these options, as a sentence."""
    options, name = tuple(dict.fromkeys(written))[:_OPTIONS], question.attribute
    plain, label = name.lower() in _NOUNS, f"{name[:1].upper()}{name[1:]}"
    if decides:
        examples = " or ".join(options[:_EXAMPLES])
        asked = f"Which is the {name} that decides, " if plain else f"{label}: which decides, "
        return replace(question, options=options, text=f"{asked}{examples}? Each leads to another code.")
    asked = f"What is the {name}?" if plain else f"{label}: which applies?"
    return replace(question, options=options, text=f"{asked} For example: {', '.join(options[:_EXAMPLES])}.")


def _with_ids(asked: Sequence[OpenQuestion]) -> Iterator[OpenQuestion]:
    """The questions, those of one scope and one name numbered."""
    for place, question in enumerate(asked):
        before = sum(other.id == question.id for other in asked[:place])
        yield replace(question, id=f"{question.id}.{before + 1}") if before else question
