"""What makes the adapter process start fast and end well."""

from __future__ import annotations

import contextlib
import gc
import importlib
import os
import signal
import sys
import threading
import types
from collections.abc import Callable, Iterator
from typing import Any

_SWITCH_INTERVAL_S = 0.005
"""Python's own."""
_OF_PYDANTIC = ("pydantic.main", "pydantic.fields", "pydantic.functional_validators", "pydantic._internal._validators")
"""What the models of messages need of it: the last when they are used first."""
_UNUSED_TYPES = {
    "zoneinfo": ("ZoneInfo", "ZoneInfoNotFoundError"),
    "uuid": ("UUID",),
    "fractions": ("Fraction",),
    "ipaddress": tuple(f"IPv{version}{kind}" for version in (4, 6) for kind in ("Address", "Interface", "Network")),
}
"""By their modules."""


def hasten_imports() -> None:
    """Save about a fifth of the time until `initialize` is answered. Call before pydantic is imported."""
    # Imports make a hundred thousand objects and no garbage: one search through them takes 8 ms.
    gc.set_threshold(400_000, 20, 20)
    # pydantic looks for plugins in the metadata of every installed package when it builds its first model. This process
    # wants none. In a version that names the module differently this only takes longer.
    no_plugins = types.ModuleType("pydantic.plugin._loader")
    no_plugins.get_plugins = lambda: ()  # type: ignore[attr-defined]
    sys.modules.setdefault(no_plugins.__name__, no_plugins)
    # pydantic and construct import these for what is not used here. With the first two comes OpenSSL's library, 3 MB,
    # 4 ms; Python's own debugger with `pdb`; it and `pickle` take 3 ms. So do the others, of Python's `inspect`,
    # pydantic's types and msgspec.
    for name in ("secrets", "hashlib", "pdb", "pickle", "ast", "base64", "msgspec.inspect"):
        sys.modules.setdefault(name, _LazyModule(name))
    # A thread that waits for the interpreter gets it after 5 ms by default, each time: while one thread imports what a
    # first stop needs, that would hold up another that starts the program.
    sys.setswitchinterval(_SWITCH_INTERVAL_S / 10)
    with _methods_on_demand(), _without_unused_types():
        _import_core_schema()
        for name in _OF_PYDANTIC:
            importlib.import_module(name)


@contextlib.contextmanager
def _without_unused_types() -> Iterator[None]:
    """What is imported meanwhile gets empty classes for those of `_UNUSED_TYPES`, whose modules take 6 ms to import.

    pydantic looks for them among the types of members; no model of ours has them. Whoever asks for one of them later
    gets the real one.
    """
    stand_ins = {name: _LazyModule(name) for name in _UNUSED_TYPES if name not in sys.modules}
    for name, module in stand_ins.items():
        sys.modules[name] = module
        vars(module).update({member: type(member, (Exception,), {}) for member in _UNUSED_TYPES[name]})
    try:
        yield
    finally:
        for name, module in stand_ins.items():
            for member in _UNUSED_TYPES[name]:
                delattr(module, member)


@contextlib.contextmanager
def _methods_on_demand() -> Iterator[None]:
    """Dataclasses that are defined meanwhile have each method compiled when it is called first.

    pydantic defines fifty with two hundred and fifty methods, which takes a sixth of its import; hardly one is called.
    Where Python makes dataclasses in another way, as from 3.13 on, they are made as ever.
    """
    import dataclasses

    compile_at_once: Callable[..., Callable[..., Any]] | None = getattr(dataclasses, "_create_fn", None)
    if compile_at_once is None:
        yield
        return

    def on_demand(name: str, *parts: Any, **context: Any) -> Callable[..., Any]:
        compiled: Callable[..., Any] | None = None

        def method(*arguments: Any, **options: Any) -> Any:
            nonlocal compiled
            if compiled is None:
                compiled = compile_at_once(name, *parts, **context)
            return compiled(*arguments, **options)

        method.__name__ = name
        return method

    vars(dataclasses)["_create_fn"] = on_demand
    try:
        yield
    finally:
        vars(dataclasses)["_create_fn"] = compile_at_once


def _import_core_schema() -> None:
    """Import the module of pydantic's that takes the longest, 5 ms, in 1: it is made of 80 typed dictionaries.

    They serve type checkers; nothing asks for their members at run time. Where the module is not of that make any more,
    pydantic imports it as ever.
    """
    import typing

    import typing_extensions

    name, member = "pydantic_core.core_schema", "TypedDict"
    originals = {place: getattr(place, member) for place in (typing, typing_extensions)}
    for place in originals:
        setattr(place, member, _PlainDict)
    try:
        importlib.import_module(name)
    except Exception:
        sys.modules.pop(name, None)
    finally:
        for place, original in originals.items():
            setattr(place, member, original)


class _PlainDict(dict[str, Any]):
    """Stands for `TypedDict`: a class of dictionaries, without the members that it declares."""

    def __init_subclass__(cls, **options: object) -> None:
        """Takes `total`."""


class _LazyModule(types.ModuleType):
    """Stands for a module until one of its members is used: that imports it."""

    def __getattr__(self, member: str) -> Any:
        if member.startswith("__"):
            raise AttributeError(member)
        if sys.modules.get(self.__name__) is self:
            del sys.modules[self.__name__]
        return getattr(importlib.import_module(self.__name__), member)


def imports_are_over() -> None:
    """What is there now stays: the search for garbage passes over it from now on, and comes at its usual times.

    Threads wait for each other as usual, too.
    """
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)
    sys.setswitchinterval(_SWITCH_INTERVAL_S)


class EndSignals:
    """SIGINT, SIGTERM and SIGHUP, as something that another thread hears of.

    An exception out of a signal handler would come between any two steps of the session thread, and leave a lock taken
    for ever. And no handler runs while that thread is in a call that does not return.
    """

    def __init__(self) -> None:
        """Take them from here on. On the main thread."""
        self.received: int | None = None
        """The first of them."""
        self._came_after_the_end = False
        self._read_end, self._write_end = os.pipe()
        os.set_blocking(self._write_end, False)
        self._numbers = {getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)}
        signal.set_wakeup_fd(self._write_end, warn_on_full_buffer=False)
        for number in self._numbers:
            signal.signal(number, lambda _number, _frame: None)

    @property
    def exit_code(self) -> int:
        """128 and the number of the signal that has ended what runs here; 0 where none came, or only after the end.

        Neovim sends SIGINT when a session is over, and shows any other exit code to the user.
        """
        return 0 if self.received is None or self._came_after_the_end else 128 + self.received

    def call(self, end: Callable[[], None], is_over: Callable[[], bool] = lambda: False) -> None:
        """Call `end`, on a thread of its own, when the first of them comes, or has come.

        `is_over` is asked before that whether there was nothing left to end.
        """
        threading.Thread(target=self._wait, args=(end, is_over), name="signals", daemon=True).start()

    def _wait(self, end: Callable[[], None], is_over: Callable[[], bool]) -> None:
        while self.received is None:
            received = next((one for one in os.read(self._read_end, 64) if one in self._numbers), None)
            self._came_after_the_end = received is not None and is_over()
            self.received = received
        end()
