"""What makes the adapter process start fast and end well."""

from __future__ import annotations

import gc
import signal
import sys
import types


def hasten_imports() -> None:
    """Save about a fifth of the time until `initialize` is answered. Call before pydantic is imported."""
    # Imports make tens of thousands of objects and no garbage.
    gc.set_threshold(50_000, 20, 20)
    # pydantic looks for plugins in the metadata of every installed package when it builds its first model. This process
    # wants none. In a version that names the module differently this only takes longer.
    no_plugins = types.ModuleType("pydantic.plugin._loader")
    no_plugins.get_plugins = lambda: ()  # type: ignore[attr-defined]
    sys.modules.setdefault(no_plugins.__name__, no_plugins)


def end_on_signals() -> None:
    """Turn SIGINT, SIGTERM and SIGHUP into an orderly end of the main thread."""
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is not None:
            signal.signal(number, lambda received, _frame: sys.exit(128 + received))
