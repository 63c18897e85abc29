"""Equal values held once. The trap: a table that outlives what it was for; it keeps all that was ever put in."""

from __future__ import annotations

from typing import Any


class Same(dict[Any, Any]):
    """The first of equal values, by any of them.

    >>> same, units = Same(), ("kg",)
    >>> same[units] is units and same[tuple(["kg"])] is units
    True
    """

    def __missing__(self, value: Any) -> Any:  # noqa: ANN401 (whatever is put in comes out)
        self[value] = value
        return value
