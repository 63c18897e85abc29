"""What people write around the goods when they ask for a code: "what is the HS code for a bicycle" is a bicycle, and no
code. The trap: goods that are numbers or codes ("house number", "code lock"); only a question's own words go."""

from __future__ import annotations

import re

_WHOSE = (
    r"(?:hs|hts|htsus|cn|taric|tariff|customs|commodity|harmoni[sz]ed|import|export|duty|classification|schedule b)"
)
_QUESTION = re.compile(
    r"\W{0,3}(?:(?:please|hi|hello|can you|could you|i need|we need|looking for|need|find|give me|tell me)[ ,]{1,2}){0,3}"
    r"(?:(?:what(?: is|'s|s| are| would be)?|which(?: is)?|where is) )?(?:the |an? |my )?(?:right |correct |us |eu |uk )?"
    rf"(?P<whose>(?:{_WHOSE} ){{0,3}})(?:system )?(?P<what>codes?|numbers?|no\.?|headings?|classification|rates?)"
    r"(?: (?:is|are|applies|do i use|should i use|to use|must i use))?(?: for| of| to| on) (?:an? |the |my |some |our )?",
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
