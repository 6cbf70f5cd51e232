"""What makes the adapter process start fast and end well."""

from __future__ import annotations

import _operator
import gc
import signal
import sys
import types


def hasten_imports() -> None:
    """Save about a fifth of the time until `initialize` is answered. Call before pydantic is imported."""
    # Imports make a hundred thousand objects and no garbage: one search through them takes 8 ms.
    gc.set_threshold(400_000, 20, 20)
    # pydantic looks for plugins in the metadata of every installed package when it builds its first model. This process
    # wants none. In a version that names the module differently this only takes longer.
    no_plugins = types.ModuleType("pydantic.plugin._loader")
    no_plugins.get_plugins = lambda: ()  # type: ignore[attr-defined]
    sys.modules.setdefault(no_plugins.__name__, no_plugins)
    # One function of this module is what pydantic imports OpenSSL's library for. Afterwards the true one can be had.
    secrets = types.ModuleType("secrets")
    secrets.compare_digest = _operator._compare_digest  # type: ignore[attr-defined]
    if sys.modules.setdefault(secrets.__name__, secrets) is secrets:
        import pydantic.types  # noqa: F401

        del sys.modules[secrets.__name__]


def imports_are_over() -> None:
    """What is there now stays: the search for garbage passes over it from now on, and comes at its usual times."""
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)


def end_on_signals() -> None:
    """Turn SIGINT, SIGTERM and SIGHUP into an orderly end of the main thread."""
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is not None:
            signal.signal(number, lambda received, _frame: sys.exit(128 + received))
