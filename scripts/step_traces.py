"""Steps through programs, and where each step ends: one line a walk, to be compared before and after a change.

    .venv/bin/python scripts/step_traces.py --out before.txt [--only AsyncSteps,Steps] [--release 10.0]
    .venv/bin/python scripts/step_traces.py --compare before.txt again.txt after.txt

A walk begins at a marker (`// @name`) of a program of tests/programs, or of a folder given by --folder, and makes steps
of one direction, or of all three in turn. Programs with several threads do not end alike each time: --compare counts
only the walks of the first two files that are alike, and exits with 1 where the third differs from them.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

sys.path.append(str(Path(__file__).resolve().parents[1]))

from dap_dotnet.client import ClientError, ProgramEndedError
from dap_dotnet.errors import DapDotnetError
from tests.support import dotnet, programs
from tests.support.dotnet import Runtime
from tests.support.markers import read_markers
from tests.support.programs import BuildError, Program
from tests.support.session import Place, Session

STEPPED = (
    *("AsyncSteps", "AwaitEnds", "Delegates", "Grid", "Handlers", "Headers", "LibraryAwaits", "LocalFunctions"),
    *("Passed", "Steps", "StepsOut", "TaskSteps", "TopLevel"),
)
WALKS = {"over": ("over",), "in": ("in",), "mixed": ("out", "over", "in")}
MODES = {
    "debug": {"optimize": False, "justMyCode": True},
    "all-code": {"optimize": False, "justMyCode": False},
    "release": {"optimize": True, "justMyCode": True},
}
TIMEOUT_S = 20.0


class Walk(NamedTuple):
    """Steps from a marker of a program."""

    mode: str
    program: Program
    marker: str
    title: str
    length: int

    def line(self) -> str:
        """What it is, and where its steps end: `Function:line`, or what happened instead."""
        with Place() as place:
            try:
                with Session.open(place, forked=True, timeout_s=TIMEOUT_S) as session:
                    session.checks_conversation = False
                    ends = list(self._ends(session))
            except AssertionError:
                ends = ["left something behind"]
        return "\t".join([self.program.name, self.mode, self.marker, self.title, " ".join(ends)])

    def _ends(self, session: Session) -> Iterator[str]:
        program, steps = self.program, WALKS[self.title]
        try:
            just_my_code = MODES[self.mode]["justMyCode"]
            session.launch_program(program, stop_at=[self.marker], exception_filters=[], justMyCode=just_my_code)
            session.wait_for_stop()
            session.set_breakpoints(str(program.source), [])
            make = {"over": session.step_over, "in": session.step_in, "out": session.step_out}
            for number in range(self.length):
                stop = make[steps[number % len(steps)]]()
                name, line = session.here()
                yield f"{name.partition('(')[0]}:{line}" + ("" if stop.reason == "step" else f"({stop.reason})")
        except ProgramEndedError:
            yield "ended"
        except (ClientError, DapDotnetError) as error:
            yield type(error).__name__


def run(runtime: Runtime, names: list[str], folder: Path | None, count: int, workers: int) -> Iterator[str]:
    """The lines of all walks."""
    walks = []
    for name in names:
        for mode, options in MODES.items():
            try:
                where = folder / name if folder is not None else name
                program = programs.build(where, runtime, optimize=options["optimize"])
            except BuildError as error:
                print(f"{name}: {str(error).splitlines()[0]}", file=sys.stderr)
                continue
            if len(programs.sources_of(program.source_dir)) == 1:
                markers = read_markers(program.source)
                walks += [Walk(mode, program, marker, title, count) for marker in markers for title in WALKS]
    with ThreadPoolExecutor(workers) as pool:
        yield from pool.map(Walk.line, walks)


def compare(before: Path, again: Path, after: Path) -> int:
    """Print the walks that have changed; their number."""
    first, second, third = (_read(path) for path in (before, again, after))
    stable = {key for key, ends in first.items() if second.get(key) == ends}
    changed = [key for key in first if key in stable and key in third and third[key] != first[key]]
    for key in changed:
        print("\t".join(key), f"  before: {first[key]}", f"  after:  {third[key]}", sep="\n")
    print(f"{len(stable)} of {len(first)} walks end alike each time; {len(changed)} of them have changed.")
    return len(changed)


def _read(path: Path) -> dict[tuple[str, ...], str]:
    lines = (line.rstrip("\n").split("\t") for line in path.open(encoding="utf-8"))
    return {tuple(fields[:-1]): fields[-1] for fields in lines}


def main() -> int:
    """The command line; 1 where walks have changed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--out", type=Path)
    parser.add_argument("--compare", type=Path, nargs=3)
    parser.add_argument("--only", default="")
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--release", default="10.0")
    parser.add_argument("--count", type=int, default=6)
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args()
    if options.compare:
        return int(compare(*options.compare) > 0)
    runtime = next(one for one in dotnet.find().runtimes if one.major == options.release)
    names = options.only.split(",") if options.only else list(STEPPED)
    with options.out.open("w", encoding="utf-8") as out:
        for line in run(runtime, names, options.folder, options.count, options.workers):
            print(line, file=out, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
