"""What people write around the goods when they ask for a code: "what is the HS code for a bicycle" is a bicycle, and no
code. The trap: goods that are numbers or codes ("house number", "code lock"); only a question's own words go."""

from __future__ import annotations

import re

_PLEASE = r"(?:please|hi|hello|can you|could you|i need|we need|looking for|need|find|give me|tell me)"
_WHICH = r"(?:what(?: is|'s|s| are| would be)?|which(?: is)?|where is)"
_WHOSE = (
    r"(?:hs|hts|htsus|hsn|cn|taric|tariff|customs|commodity|harmoni[sz]ed|import|export|duty|classification|schedule b)"
)
_QUESTION = re.compile(
    rf"\W{{0,3}}(?:{_PLEASE}[ ,]{{1,2}}){{0,3}}(?:{_WHICH} )?(?:the |an? |my )?(?:right |correct |us |eu |uk )?"
    rf"(?P<whose>(?:{_WHOSE}[ -]){{0,3}})(?:system )?(?:codes?|numbers?|no\.?|headings?|classification|rates?|tariffs?)"
    r"(?: (?:is|are|applies|do i use|should i use|to use|must i use))?(?: for| of| to| on) "
    r"(?:an? |the |my |some |our )?",
    re.IGNORECASE,
)
_ASKS = re.compile(r"\b(?:what|which|where|need|find|give|tell|looking)\b", re.IGNORECASE)
_LONGEST = 120  # characters of a question before what it is about


def without_question(name: str) -> str:
    """A product's name without the question that it is put as.

    >>> without_question("What is the HS code for a bicycle?"), without_question("customs number for power banks")
    ('bicycle?', 'power banks')
    >>> without_question("number for a house door"), without_question("code lock")
    ('number for a house door', 'code lock')
    """
    found = _QUESTION.match(name[:_LONGEST])
    if found is None or not (found["whose"] or _ASKS.search(found.group())):
        return name
    return name[found.end() :] or name
