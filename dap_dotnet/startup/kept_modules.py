"""The compiled code of the modules that the adapter imports while it starts, kept in one file of the user's cache.

For each module Python searches one folder after another, asks for the times of source and compiled file, and opens and
reads that, for the four hundred modules before a first stop. What is kept is what Python has compiled itself
(PEP 3147), and it counts by the same rule: as long as the source has its time and its size. A search would not find
other files either: no folder that it goes through has changed, and each package is where it was.

Only a file that this user alone can write is trusted, as it has code. Wherever something does not fit, Python imports
as ever, and the file is written anew when the session is over.
"""

from __future__ import annotations

import contextlib
import io
import marshal
import os
import stat
import sys
import threading
import time
import types
import zlib
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from importlib.machinery import ModuleSpec, SourceFileLoader
from typing import Any, NamedTuple

from dap_dotnet.startup.whole_files import cache_folder, keep

_FORM = 1
"""Of the file; counted up when that changes."""
_HEAD = 16
"""Bytes: the lengths of the directory and of the file."""
_PYC_HEAD = 16
_FEW = 0.05
"""Of the modules that the file has: so many more are not worth writing it."""
_KEPT_S = 90 * 24 * 3600


class Kept(NamedTuple):
    """One module of the file."""

    source: str
    """The absolute path of its source."""
    stamp: tuple[int, int, int]
    """Of the source, as of `_stamp`."""
    folder: str
    """Where the search found it: an entry of `sys.path`, or of its package's `__path__`."""
    is_package: bool
    offset: int
    """Of its code, in bytes of the file; `length` bytes, as `marshal` writes a code object."""
    length: int


class KeptModules:
    """The modules of one file, and a finder that gives them to imports, from any thread."""

    def __init__(self, file: str | None = None) -> None:
        """`file` None: the one that stands for this Python, and for where it searches for modules."""
        self._search_path = list(sys.path)
        self._file = kept_file(self._search_path) if file is None else file
        self._before = set(sys.modules)
        self._stream: io.FileIO | None = None
        self._lock = threading.Lock()
        self._modules: dict[str, Kept] = {}

    def serve(self) -> None:
        """Have imports take the modules that the file has from now on."""
        if self._file is None:
            return
        with contextlib.suppress(OSError, ValueError, EOFError, TypeError, AttributeError):
            self._stream, length = _opened(self._file)
            self._modules = _directory(self._stream, length, self._search_path)
        if self._modules:
            sys.meta_path.insert(0, self)

    def write(self) -> None:
        """Write the file anew, if this process has imported more than a few modules that it does not have.

        That may take some tenths of a second. Nothing is raised: a cache that cannot be written is none.
        """
        if self._file is None or sys.dont_write_bytecode:
            return
        with contextlib.suppress(OSError, ValueError):
            # Another kind of session may have needed the others.
            others = {name: kept for name, kept in self._modules.items() if _fits(kept)}
            new = dict(self._compiled(besides=others))
            if len(new) > len(others) * _FEW:
                for name, kept in others.items():
                    new[name] = kept, self._code(kept)
                _write(self._file, self._search_path, new)

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: types.ModuleType | None = None
    ) -> ModuleSpec | None:
        """As `importlib.abc.MetaPathFinder.find_spec`; None for a module that is not kept, or does not fit any more."""
        kept = self._modules.get(name)
        if kept is None or (path is not None and kept.folder not in path) or not _fits(kept):
            return None
        try:
            loader = _KeptLoader(name, kept.source, self._code(kept))
        except (OSError, ValueError):
            return None
        spec = ModuleSpec(name, loader, origin=kept.source, is_package=kept.is_package)
        spec.has_location = True
        if spec.submodule_search_locations is not None:
            spec.submodule_search_locations.append(os.path.dirname(kept.source))
        return spec

    def _code(self, kept: Kept) -> bytes:
        """Raises OSError, and ValueError where the file is too short."""
        assert self._stream is not None
        with self._lock:
            self._stream.seek(kept.offset)
            code = self._stream.read(kept.length)
        if len(code) != kept.length:
            raise ValueError("not complete")
        return code

    def _compiled(self, besides: Container[str]) -> Iterator[tuple[str, tuple[Kept, bytes]]]:
        """What this process has imported since, `besides` some modules, as far as Python has compiled it."""
        for name, module in list(sys.modules.items()):
            if name in self._before or name in besides:
                continue
            if (found := _compiled(name, module, self._search_path)) is not None:
                yield name, found


class _KeptLoader(SourceFileLoader):
    """Python's own loader, but for where the compiled code comes from when a module is imported first."""

    def __init__(self, name: str, path: str, code: bytes) -> None:
        super().__init__(name, path)
        self._code: bytes | None = code

    def get_code(self, fullname: str) -> types.CodeType | None:
        """As `SourceLoader.get_code`."""
        code, self._code = self._code, None
        if code is None:
            return super().get_code(fullname)
        loaded = marshal.loads(code)
        return loaded if isinstance(loaded, types.CodeType) else super().get_code(fullname)


def _write(file: str, search_path: Sequence[str], modules: Mapping[str, tuple[Kept, bytes]]) -> None:
    """Write modules to a file, by their names. Raises OSError."""
    offset = 0
    directory: dict[str, Any] = {}
    for name, (kept, code) in modules.items():
        directory[name] = tuple(kept._replace(offset=offset, length=len(code)))
        offset += len(code)
    used = [search_path.index(kept.folder) for kept, _ in modules.values() if kept.folder in search_path]
    searched = search_path[: max(used, default=-1) + 1]
    parts: Any = (_key(search_path), _times(searched), directory)
    head = marshal.dumps(parts)
    lengths = len(head).to_bytes(8, "little") + (_HEAD + len(head) + offset).to_bytes(8, "little")
    folder = os.path.dirname(file)
    os.makedirs(folder, mode=0o700, exist_ok=True)
    if _is_own(os.stat(folder)):
        _remove_old(folder)
        keep(file, [lengths, head, *(code for _, code in modules.values())], lasts=True)


def _remove_old(folder: str) -> None:
    """Those of other Pythons that may be gone; one that is not writes its file again."""
    for entry in list(os.scandir(folder)):
        with contextlib.suppress(OSError):
            if time.time() - entry.stat().st_mtime > _KEPT_S:
                os.unlink(entry.path)


def kept_file(search_path: Sequence[str]) -> str | None:
    """The file for this Python and these folders; None where there is none, or the current folder is searched first.

    With that (`python -m`) each folder in which an adapter is started would have a file of its own.
    """
    folder = cache_folder("modules")
    try:
        is_current_first = search_path[:1] in ([""], [os.getcwd()])
    except OSError:
        is_current_first = False  # it is gone
    if is_current_first or not os.path.isabs(folder):
        return None
    return os.path.join(folder, f"{zlib.crc32(repr(_key(search_path)).encode()):08x}")


def _key(search_path: Sequence[str]) -> tuple[object, ...]:
    return (_FORM, sys.version, sys.executable, sys.flags.optimize, tuple(search_path))


def _times(folders: Iterable[str]) -> tuple[tuple[str, int], ...]:
    """When files in them have come and gone last; -1 for a folder that is not there."""
    return tuple((folder, _time(folder)) for folder in folders)


def _time(folder: str) -> int:
    try:
        return os.stat(folder).st_mtime_ns
    except OSError:
        return -1


def _opened(file: str) -> tuple[io.FileIO, int]:
    """(the file, behind its head; the length of its directory, which comes next).

    Raises OSError, and ValueError where others may have written it or it is not complete.
    """
    stream = io.FileIO(file)
    status = os.fstat(stream.fileno())
    lengths = stream.read(_HEAD)
    of_directory, of_file = (int.from_bytes(lengths[at : at + 8], "little") for at in (0, 8))
    if not _is_own(status) or of_file != status.st_size or not of_directory < of_file:
        stream.close()
        raise ValueError("not to be trusted")
    return stream, of_directory


def _directory(stream: io.FileIO, length: int, search_path: Sequence[str]) -> dict[str, Kept]:
    """The modules of a file, with offsets from its beginning; empty where a search might find others.

    Raises what `marshal` raises.
    """
    key, times, directory = marshal.loads(stream.read(length))
    if key != _key(search_path) or times != _times(folder for folder, _ in times):
        return {}
    found = {}
    for name, (source, stamp, folder, is_package, offset, code_length) in directory.items():
        found[name] = Kept(source, stamp, folder, is_package, _HEAD + length + offset, code_length)
    return found


def _is_own(status: os.stat_result) -> bool:
    """Whether only this user can write it. Windows has other means for that, and keeps the folder to the user."""
    user = getattr(os, "geteuid", None)
    return user is None or (status.st_uid == user() and not status.st_mode & (stat.S_IWGRP | stat.S_IWOTH))


def _fits(kept: Kept) -> bool:
    try:
        status = os.stat(kept.source)
    except OSError:
        return False
    return _stamp(status) == kept.stamp


def _stamp(status: os.stat_result) -> tuple[int, int, int]:
    """Times and size. An image of a container may give all files the same time, but not that of their change."""
    return status.st_mtime_ns, status.st_ctime_ns, status.st_size


def _compiled(name: str, module: types.ModuleType | None, search_path: Sequence[str]) -> tuple[Kept, bytes] | None:
    """What Python has compiled of a module, if it counts for the source as that is now; None for any other."""
    from importlib.util import MAGIC_NUMBER

    spec = getattr(module, "__spec__", None)
    if spec is None or spec.name != name or not isinstance(spec.loader, SourceFileLoader) or not spec.cached:
        return None
    is_package = spec.submodule_search_locations is not None
    folder = os.path.dirname(os.path.dirname(spec.origin) if is_package else spec.origin)
    if "." not in name and folder not in search_path:
        return None  # found by other means
    try:
        status = os.stat(spec.origin)
        with open(spec.cached, "rb") as file:
            data = file.read()
    except OSError:
        return None
    by_time = bytes(4)
    wanted = (
        MAGIC_NUMBER
        + by_time
        + b"".join((number & 0xFFFF_FFFF).to_bytes(4, "little") for number in (int(status.st_mtime), status.st_size))
    )
    if data[:_PYC_HEAD] != wanted:
        return None
    kept = Kept(spec.origin, _stamp(status), folder, is_package, 0, 0)
    return kept, data[_PYC_HEAD:]
