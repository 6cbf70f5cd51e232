"""Measures portablepdb against its marks, and against System.Reflection.Metadata doing the same in its own process.

``python benchmarks/portablepdb_bench.py [--json FILE]`` prints a table; the exit code is 1 when a mark is missed.
Times are medians, warm file cache. The rows with a ratio run the oracle of tests/programs/MetadataOracle.
"""

from __future__ import annotations

import argparse
import gc
import json
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

REPOSITORY = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(REPOSITORY), str(REPOSITORY / "pdb")]

from benchmarks.portablepdb_corpus import METHODS_PER_DOCUMENT, large_pdb  # noqa: E402
from portablepdb import PortablePdb  # noqa: E402
from tests.support import dotnet  # noqa: E402
from tests.symbols.conftest import Compiler  # noqa: E402
from tests.symbols.oracle import Oracle  # noqa: E402

SUFFIX = "module17/Type377.cs"
LINE = 700
REPEAT = 300
IMPORTS = 21


class Row(NamedTuple):
    """One measurement; the mark is met when ``value`` is at most (at least, if ``at_least``) ``mark``."""

    name: str
    value: float
    unit: str
    mark: float
    at_least: bool = False
    note: str = ""

    @property
    def met(self) -> bool:
        """Whether the mark is met."""
        return self.value >= self.mark if self.at_least else self.value <= self.mark


def median_us(work: Callable[[], object], repeat: int) -> float:
    """The median time of ``work`` in microseconds."""
    times = []
    for _ in range(repeat):
        start = time.perf_counter_ns()
        work()
        times.append((time.perf_counter_ns() - start) / 1000)
    return statistics.median(times)


def bind_once(path: Path, suffix: str, line: int) -> int:
    """Open the PDB, bind one line by a document's suffix, close; the number of hits."""
    with PortablePdb.open(path) as pdb:
        return sum(len(pdb.bind(document.row_id, line)) for document in pdb.documents_ending_with(suffix))


def locals_once(path: Path, token: int) -> int:
    """Open the PDB, name the locals of a method, close; the length of the names."""
    with PortablePdb.open(path) as pdb:
        return sum(len(variable.name) for scope in pdb.scopes(token) for variable in scope.variables)


def import_ms() -> float:
    """A whole interpreter that imports the package, less one that does not."""

    def run(code: str) -> float:
        times = []
        for _ in range(IMPORTS):
            start = time.perf_counter()
            subprocess.run([sys.executable, "-c", code], check=True, cwd=REPOSITORY / "pdb")
            times.append((time.perf_counter() - start) * 1000)
        return statistics.median(times)

    return run("import portablepdb; portablepdb.PortablePdb") - run("pass")


_MEMORY = """
import resource, sys, os
sys.path.insert(0, "pdb")
import portablepdb.tables_pdb, portablepdb.binding
from portablepdb import PortablePdb  # noqa: E402
def resident():
    with open("/proc/self/statm") as f: return int(f.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
before = resident()
pdb = PortablePdb.open(sys.argv[1])
(document,) = pdb.documents_ending_with(sys.argv[2])
assert pdb.bind(document.row_id, int(sys.argv[3]))
print(resident() - before)
"""


def memory_mb(path: Path) -> float:
    """What opening a PDB and binding a line adds to the resident memory, mapped pages included."""
    command = [sys.executable, "-c", _MEMORY, str(path), SUFFIX, str(LINE)]
    return int(subprocess.run(command, check=True, capture_output=True, cwd=REPOSITORY).stdout) / 1e6


def measure() -> list[Row]:
    """All rows."""
    installation = dotnet.find()
    oracle = Oracle(installation)
    compiled = Compiler(installation)
    large = large_pdb(installation)
    small = compiled("first.cs", "-debug:portable", "-optimize-", "-define:DEBUG").with_suffix(".pdb")
    size = large.stat().st_size / 1e6
    rows = []
    for name, path, suffix, line in (("small", small, "first.cs", 50), ("large", large, SUFFIX, LINE)):
        assert bind_once(path, suffix, line)
        ours = median_us(lambda p=path, s=suffix, n=line: bind_once(p, s, n), REPEAT if name == "small" else 25)
        theirs = float(
            oracle.run("bench", "bind", str(path), suffix, str(line), "2000" if name == "small" else "60").split()[0]
        )
        rows.append(
            Row(f"open and bind, {name} PDB", ours / theirs, "x SRM", 4, note=f"{ours:.0f} µs, SRM {theirs:.0f} µs")
        )
        token = 0x06000003 if name == "large" else 0x06000004
        token = next(t for t in range(token, token + 50) if locals_once(path, t))
        ours = median_us(lambda p=path, t=token: locals_once(p, t), REPEAT)
        theirs = float(oracle.run("bench", "locals", str(path), f"{token:x}", "2000").split()[0])
        rows.append(
            Row(
                f"open and name locals, {name} PDB",
                ours / theirs,
                "x SRM",
                6.5,
                note=f"{ours:.0f} µs, SRM {theirs:.0f} µs",
            )
        )
    speeds = []
    for _ in range(3):
        with PortablePdb.open(large) as pdb:
            gc.collect()
            start = time.perf_counter()
            points = sum(len(found) for _, found in pdb.all_sequence_points())
            speeds.append(points / (time.perf_counter() - start))
    rows.append(Row("sequence points", statistics.median(speeds), "points/s", 600_000, True, f"{points} points"))
    rows.append(
        Row(f"open a PDB of {size:.1f} MB", median_us(lambda: PortablePdb.open(large).close(), 50) / 1000, "ms", 5)
    )
    cold, warm = [], []
    for _ in range(15):
        with PortablePdb.open(large) as pdb:
            (document,) = pdb.documents_ending_with(SUFFIX)
            start = time.perf_counter()
            assert pdb.bind(document.row_id, LINE)
            middle = time.perf_counter()
            assert pdb.bind(document.row_id, LINE + METHODS_PER_DOCUMENT)
            warm.append((time.perf_counter() - middle) * 1000)
            cold.append((middle - start) * 1000)
    rows.append(Row("bind in it, first time", statistics.median(cold), "ms", 30))
    rows.append(Row("bind in it, second time", statistics.median(warm), "ms", 1))
    if sys.platform == "linux":
        rows.append(Row("memory of open and bind", memory_mb(large), "MB", 30))
    rows.append(Row("import of the package", import_ms(), "ms", 60))
    return rows


def main() -> int:
    """Print the table; 1 when a mark is missed."""
    parser = argparse.ArgumentParser(description="Measure portablepdb.")
    parser.add_argument("--json", type=Path, help="also write the rows to this file")
    options = parser.parse_args()
    rows = measure()
    for row in rows:
        sign = ">=" if row.at_least else "<="
        verdict = "ok  " if row.met else "MISS"
        print(f"{verdict} {row.name:34} {row.value:12,.2f} {row.unit:9} {sign} {row.mark:,.0f}  {row.note}")
    if options.json:
        options.json.parent.mkdir(parents=True, exist_ok=True)
        options.json.write_text(json.dumps([row._asdict() for row in rows], indent=1), encoding="utf-8")
    return 0 if all(row.met for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
