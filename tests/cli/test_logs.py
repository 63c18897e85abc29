"""The logs of `pcs up`: nobody else on the machine reads them, not those from before either."""

import asyncio
import stat
from pathlib import Path

from pcs.cli.supervisor import Program, Supervisor


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


async def test_logs_are_for_the_service_s_user_alone(tmp_path: Path) -> None:
    folder = tmp_path / "logs"
    folder.mkdir(mode=0o755)
    (folder / "old.log").write_bytes(b"x" * (10 * 1024 * 1024 + 1))
    (folder / "old.log.1").write_text("older")
    (folder / "old.log").chmod(0o644)
    (folder / "old.log.1").chmod(0o644)
    programs = [Program(name, ("settings",), 1.0) for name in ("old", "new")]
    supervisor = Supervisor(programs, environment={}, log_dir=folder)
    await supervisor.start()
    async with asyncio.timeout(60):
        while not (folder / "new.log").stat().st_size:  # noqa: ASYNC110 (another process writes it)
            await asyncio.sleep(0.1)
    await supervisor.stop()
    assert mode(folder) == 0o700
    assert {path.name: mode(path) for path in folder.iterdir()} == dict.fromkeys(
        ("old.log", "old.log.1", "new.log"), 0o600
    )
    assert (folder / "old.log.1").stat().st_size > 10 * 1024 * 1024
