"""Files made to exhaust their reader cost little, or end in an error that names the budget that was spent.

``DAP_DOTNET_HOSTILE_SIZE`` sets the size of the files (300,000 bytes by default), ``DAP_DOTNET_HOSTILE_SEEDS`` how many
of each kind are made. Each is asked everything in a process of its own, which measures itself.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from portablepdb import LimitError, PortablePdb
from portablepdb.limits import Limits

from . import encoder
from .assembly_maker import AssemblyMaker
from .hostile import IMAGES, PDBS
from .maker import Maker

REPOSITORY = Path(__file__).resolve().parents[2]
SIZE = int(os.environ.get("DAP_DOTNET_HOSTILE_SIZE", "100000"))
SEEDS = int(os.environ.get("DAP_DOTNET_HOSTILE_SEEDS", "1"))
# The promise is a few seconds for a file of 1 MB, and no cost that grows faster than the file.
MOST_CALLS = 100 * SIZE
MOST_MEMORY = 200 << 20


@pytest.mark.timeout(600)
@pytest.mark.parametrize("seed", range(1, SEEDS + 1))
@pytest.mark.parametrize("name", [*PDBS, *IMAGES])
def test_hostile_file_costs_little(name: str, seed: int):
    command = [sys.executable, "-m", "tests.symbols.hostile", name, str(SIZE), str(seed)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(REPOSITORY), str(REPOSITORY / "pdb")])}
    done = subprocess.run(
        command, cwd=REPOSITORY, env=environment, capture_output=True, text=True, check=False, timeout=300
    )
    assert done.returncode == 0, done.stderr[-2000:]
    found = json.loads(done.stdout)
    assert found["calls"] <= MOST_CALLS, found
    assert found["memory"] <= MOST_MEMORY, found


def shared_points(methods: int, count: int) -> bytes:
    maker = Maker()
    maker.document("/a.cs")
    offset = maker.heaps.blob(b"\0\0\0\1\x05\1" + b"\1\0\1\0\0" * (count - 1))
    for _ in range(methods):
        maker.add(0x31, maker_row(offset))
    return maker.data()


def maker_row(offset: int) -> object:
    from portablepdb.tables_pdb import MethodDebugInformationRow

    return MethodDebugInformationRow(1, offset)


def test_error_names_the_budget_and_how_to_raise_it():
    data = shared_points(400, 1000)
    with PortablePdb.open(data, limits=Limits(points=10_000)) as pdb, pytest.raises(LimitError) as raised:
        pdb.bind(1, 5)
    assert raised.value.budget == "points"
    assert "Limits(points=...)" in str(raised.value)
    with PortablePdb.open(data, limits=Limits(hits=1000)) as pdb, pytest.raises(LimitError) as raised:
        pdb.bind(1, 5)
    assert raised.value.budget == "hits"
    with PortablePdb.open(data, limits=Limits(hits=1_000_000)) as pdb:
        assert len(pdb.bind(1, 5)) == 400_000


def test_budgets_of_queries_begin_anew_with_each():
    with PortablePdb.open(shared_points(400, 100), limits=Limits(points=120_000)) as pdb:
        for _ in range(5):
            assert len(pdb.bind(1, 5)) == 40_000
            assert sum(len(points) for _, points in pdb.all_sequence_points()) == 40_000


def test_budget_for_names_lasts_as_long_as_the_file():
    maker = Maker()
    for number in range(100):
        maker.document(f"/{'x' * 100}/{number}.cs")
    with PortablePdb.open(maker.data(), limits=Limits(text=20_000)) as pdb, pytest.raises(LimitError) as raised:
        [document.name for document in pdb.documents]
    assert raised.value.budget == "text"


def test_defaults_are_far_above_sound_files():
    limits = Limits.default(1_000_000)
    assert limits.points > 2 * 1_000_000 // 5
    assert limits.text > 10 * 1_000_000
    assert limits.inflated > 10 * 1_000_000


@pytest.mark.parametrize("kind", ["inflated source", "inflated pdb"])
def test_inflating_is_paid_for(kind: str):
    if kind == "inflated source":
        import zlib

        packer = zlib.compressobj(9, zlib.DEFLATED, -15)
        packed = packer.compress(bytes(100_000)) + packer.flush()
        maker = Maker()
        maker.document("/a.cs")
        maker.info(0x30000001, "embedded_source", (100_000).to_bytes(4, "little") + packed)
        with PortablePdb.open(maker.data(), limits=Limits(inflated=99_999)) as pdb, pytest.raises(LimitError) as raised:
            pdb.embedded_source(1)
        with PortablePdb.open(maker.data(), limits=Limits(inflated=100_000)) as pdb:
            assert pdb.embedded_source(1) == bytes(100_000)
    else:
        image = AssemblyMaker()
        image.embed(shared_points(10, 1000))
        with pytest.raises(LimitError) as raised:
            PortablePdb.open(image.image(), limits=Limits(inflated=1000))
    assert raised.value.budget == "inflated"


def test_overlapping_scopes_of_one_method_are_refused():
    from portablepdb import MalformedError
    from portablepdb.tables_pdb import LocalScopeRow

    maker = Maker()
    maker.method([encoder.visible(0, 5, 1, 5, 9)])
    for slot in range(50):
        maker.variable(f"v{slot}", slot)
    for number in range(10):
        begin = 51 if number % 2 else 1
        maker.add(0x32, LocalScopeRow(1, 0, begin, 1, 0, 9))
    with maker.open() as pdb, pytest.raises(MalformedError, match="overlap"):
        pdb.locals_at(1, 0)
