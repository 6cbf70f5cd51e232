"""The accelerator changes no answer: what a debugger sees with and without it is the same, stop for stop."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
from pathlib import Path

import pytest

from dap_dotnet.runtime.accelerator import fit
from tests.support import programs

pytestmark = [pytest.mark.e2e, pytest.mark.every_runtime]

RECORDER = Path(__file__).with_name("recorder.py")
HASH_CHUNK, PAGES = 1, 2
MAJORS_WITH_HASH_CHUNK = ("3.1", "9.0")
is_supported = sys.platform == "linux" and platform.machine() in ("x86_64", "aarch64")


def record(command, *, session="plain", **env):
    """All that a session saw, and what the accelerator did; `env` is what the environment has besides."""
    done = subprocess.run(
        [sys.executable, str(RECORDER), session, *command],
        env={**os.environ, **env},
        capture_output=True,
        text=True,
        timeout=110,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    *seen, end = [json.loads(line) for line in done.stdout.splitlines()]
    assert end[0] == "end"
    return seen, end[1]


def stops(seen):
    return [what for kind, what in seen if kind in ("BreakpointHit", "StepCompleted")]


@pytest.mark.parametrize(("name", "arguments", "least_stops"), [("Values", [], 60), ("Deep", ["30"], 30)])
def test_answers_are_the_same_with_and_without(runtime, name, arguments, least_stops):
    program = programs.build(name, runtime)
    command = [*program.command, *arguments]
    accelerated, on = record(command, **program.env)
    stock, off = record(command, **program.env, DAP_DOTNET_ACCELERATOR="0")
    assert len(stops(stock)) >= least_stops
    assert any(value for stop in stops(stock) for value in stop["values"])
    assert accelerated == stock
    assert (off["state"], off["cached_reads"]) == (0, 0)
    assert {*off["reasons"].values()} == {"switched off by DAP_DOTNET_ACCELERATOR=0"}
    if is_supported:
        assert on["state"] == PAGES | (HASH_CHUNK if runtime.major in MAJORS_WITH_HASH_CHUNK else 0)
        assert on["cached_reads"] > 100 * len(stops(stock))


def test_answers_are_the_same_within_a_stop(runtime):
    """Switched off and on again in the middle of each stop."""
    program = programs.build("Values", runtime)
    seen, _ = record(program.command, session="toggle", **program.env)
    assert [what for kind, what in seen if kind == "different"] == []
    assert len(stops(seen)) >= 60


@pytest.mark.skipif(not is_supported, reason="not made for this system")
def test_what_fits_a_runtime_is_known_without_a_program(runtime):
    parts = fit(runtime.directory).parts
    assert parts["page cache"].startswith("ready, and on once traffic")
    expected = "on" if runtime.major in MAJORS_WITH_HASH_CHUNK else "not installed: not known to help"
    assert parts["kept hash table"].startswith(expected)
