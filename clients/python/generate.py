"""Writes the synchronous client from the asynchronous one: `make client`; with --check it only says whether it would.

The trap: two clients that drift apart; there is one source, and a test runs the check."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

PACKAGE = Path(__file__).parent / "src" / "pcs_client"
SOURCE, TARGET = PACKAGE / "asynchronous.py", PACKAGE / "synchronous.py"

OPENING = '''"""The synchronous client. Written from asynchronous.py by `make client`: change that one."""'''
REPLACED = {
    r'\A""".*?"""': OPENING,
    r"\basync (def|for|with) ": r"\1 ",
    r"\bawait ": "",
    r"\basyncio\b": "time",
    r"\bAsync(Client|BaseTransport|Iterator)\b": r"\1",
    r"\b__a(enter|exit)__\b": r"__\1__",
    r"\baclose\b": "close",
}


def synchronous(source: str) -> str:
    """The asynchronous client's text as the synchronous one's."""
    for pattern, text in REPLACED.items():
        source = re.sub(pattern, text, source, flags=re.DOTALL)
    tidied = _ruff("check", "--select", "I,UP028,UP034", "--fix", "--unsafe-fixes", "--quiet", text=source)
    return _ruff("format", text=tidied)


def _ruff(*arguments: str, text: str) -> str:
    command = [sys.executable, "-m", "ruff", *arguments, "--stdin-filename", str(TARGET), "-"]
    return subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout  # noqa: S603 (ours)


def main() -> None:
    """Write the file, or with --check end with 1 where it is not what would be written."""
    wanted = synchronous(SOURCE.read_text(encoding="utf-8"))
    if "--check" not in sys.argv:
        TARGET.write_text(wanted, encoding="utf-8")
    elif wanted != TARGET.read_text(encoding="utf-8"):
        sys.exit(f"{TARGET.name} is not what {SOURCE.name} makes: run `make client`.")


if __name__ == "__main__":
    main()
