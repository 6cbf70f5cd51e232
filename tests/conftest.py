"""Fixtures for all tests: the runtimes found, and the repository's root at the end of the module path.

At its end, because `dap_dotnet` must come from where it was installed, with its libraries, and not from its sources.
"""

from __future__ import annotations

import itertools
import os
import signal
import sys
from pathlib import Path

import hypothesis
import pytest

sys.path.append(str(Path(__file__).resolve().parents[1]))

from dap_dotnet.startup.options import DEFECTS_VARIABLE
from tests.support import dotnet, run_again
from tests.support.dotnet import DotnetNotFoundError, Installation, Runtime

# A shell starts what runs in the background with Ctrl-C ignored, and every child would inherit that.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# `make` sets it for this process; the adapters that are started here keep their modules, as those of users do.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

# A defect fails the test that comes upon it, in the adapters that are started here, too.
os.environ[DEFECTS_VARIABLE] = "raise"

# Neither how long an example takes nor how long it took to make says anything on a busy machine.
hypothesis.settings.register_profile("busy", deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow])
hypothesis.settings.load_profile("busy")

INSTALLATION: Installation | None = None
REASON = ""


def pytest_addoption(parser: pytest.Parser) -> None:
    """The options of this suite."""
    parser.addoption("--every-runtime", action="store_true", help="run every test on all runtimes found")
    parser.addoption("--without-dotnet", action="store_true", help="run only the tests that need no .NET")


def pytest_configure(config: pytest.Config) -> None:
    """Finds .NET, unless the tests are to do without."""
    global INSTALLATION, REASON
    if not config.getoption("--without-dotnet"):
        try:
            INSTALLATION = dotnet.find()
        except DotnetNotFoundError as error:
            REASON = str(error)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Runs a test that asks for `runtime` on the oldest and the newest runtime found; without any it is skipped.

    Marked `every_runtime`, or with the option of that name, on all of them.
    """
    if "runtime" not in metafunc.fixturenames:
        return
    if INSTALLATION is None:
        metafunc.parametrize("runtime", [None], ids=["no-dotnet"], scope="session")
    else:
        runtimes = INSTALLATION.runtimes
        if not (metafunc.config.getoption("--every-runtime") or any(metafunc.definition.iter_markers("every_runtime"))):
            runtimes = tuple(dict.fromkeys((runtimes[0], runtimes[-1])))
        metafunc.parametrize("runtime", runtimes, ids=[runtime.id for runtime in runtimes], scope="session")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """A test marked `e2e` needs .NET even when it does not ask for a runtime; `--without-dotnet` leaves all of them."""
    if INSTALLATION is not None:
        return
    need_dotnet = [item for item in items if _needs_dotnet(item)]
    if config.getoption("--without-dotnet"):
        config.hook.pytest_deselected(items=need_dotnet)
        left_out = set(need_dotnet)
        items[:] = [item for item in items if item not in left_out]
    else:
        for item in need_dotnet:
            item.add_marker(pytest.mark.skip(reason=REASON))


def _needs_dotnet(item: pytest.Item) -> bool:
    fixtures = getattr(item, "fixturenames", ())
    return item.get_closest_marker("e2e") is not None or "runtime" in fixtures or "installation" in fixtures


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Says how often a race of the runtime, and not of ours, made a test run again."""
    for line in run_again.summary(itertools.chain.from_iterable(terminalreporter.stats.values())):
        terminalreporter.write_line(line)


@pytest.fixture(scope="session")
def installation() -> Installation:
    """Everything found of .NET; the test is skipped where there is none."""
    if INSTALLATION is None:
        pytest.skip(REASON)
    return INSTALLATION


@pytest.fixture(scope="session")
def newest_runtime(installation: Installation) -> Runtime:
    """The newest runtime found, for what does not differ between runtimes."""
    return installation.runtimes[-1]
