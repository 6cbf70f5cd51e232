"""What the adapter's process does without while it starts, it still has afterwards."""

from __future__ import annotations

import subprocess
import sys

_SCRIPT = """
import gc, sys
from dap_dotnet.startup.process import hasten_imports, imports_are_over
usual = sys.getswitchinterval()
hasten_imports()
assert sys.getswitchinterval() < usual
import dap_dotnet.adapter
assert "importlib.metadata" not in sys.modules, "pydantic looks for plugins"
gc.collect()
imports_are_over()
assert gc.isenabled() and gc.get_freeze_count() > 10_000
assert sys.getswitchinterval() == usual
"""


def test_the_process_starts_without_plugins_and_goes_on_as_usual() -> None:
    subprocess.run([sys.executable, "-c", _SCRIPT], check=True, timeout=60)


_LAUNCH = """
import sys
import dap_dotnet.adapter, dap_dotnet.session.session, dap_dotnet.handlers.lifecycle, dap_dotnet.launching.backend
later = ("breakpoints", "evaluation", "stepping", "values.context", "values.rendering", "session.runtime_events")
found = [name for name in sys.modules if name.startswith(tuple(f"dap_dotnet.{room}" for room in later))]
found += [name for name in sys.modules if name == "construct" or name.startswith("portablepdb")]
assert not found, f"a launch waits for {found}"
"""


def test_a_launch_starts_its_process_before_it_imports_what_a_running_program_needs() -> None:
    subprocess.run([sys.executable, "-c", _LAUNCH], check=True, timeout=60)


_STOP = """
import sys
from dap_dotnet.session import session_parts, runtime_events, session_breakpoints, programs, stop_state, break_calls
from dap_dotnet.session import unfinished_calls, thread_names, frozen_threads
later = ("stepping.stepper", "stepping.return_values", "values.rendering", "values.collections")
found = [name for name in sys.modules if name.startswith(tuple(f"dap_dotnet.{room}" for room in later))]
assert not found, f"a first stop waits for {found}"
"""


def test_a_first_stop_is_told_before_what_steps_and_values_need_is_imported() -> None:
    subprocess.run([sys.executable, "-c", _STOP], check=True, timeout=60)
