"""The oracle: tests/programs/MetadataOracle, which reads with System.Reflection.Metadata."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable
from pathlib import Path

from tests.support import programs
from tests.support.dotnet import Installation


class Oracle:
    """The built oracle on the newest runtime found."""

    def __init__(self, installation: Installation) -> None:
        self.program = programs.build("MetadataOracle", installation.runtimes[-1], optimize=True, debug="none")

    def run(self, *arguments: str, timeout_s: float = 300) -> str:
        """Its output; an AssertionError with its words when it fails."""
        done = self.program.run(*arguments, timeout_s=timeout_s, env={"DOTNET_gcServer": "0", "DOTNET_TieredPGO": "0"})
        assert done.returncode == 0, (done.stdout + done.stderr).decode(errors="replace")
        return done.stdout.decode()

    def dump(self, jobs: Iterable[tuple[str, Path]]) -> list[list[str]]:
        """The lines of the dumps of (kind, file) pairs, all by one process."""
        with tempfile.TemporaryDirectory() as folder:
            pairs = list(jobs)
            job_list = Path(folder) / "jobs"
            job_list.write_text("".join(f"{kind}\t{file}\n" for kind, file in pairs), encoding="utf-8")
            self.run("dump", str(job_list), folder)
            return [(Path(folder) / str(n)).read_text(encoding="ascii").splitlines() for n in range(len(pairs))]

    def bind(self, questions: Iterable[tuple[Path, str, int, int]]) -> list[str]:
        """The bind records of (file, suffix, line, column); equal files should stand together."""
        with tempfile.TemporaryDirectory() as folder:
            listed = Path(folder) / "questions"
            listed.write_text("".join("\t".join(map(str, q)) + "\n" for q in questions), encoding="utf-8")
            self.run("bind", str(listed), str(Path(folder) / "answers"))
            return (Path(folder) / "answers").read_text(encoding="ascii").splitlines()
