"""OpenSSL 1.1's library names for .NET Core 3.1 and .NET 5, which want them even to compile a program.

Where the system has OpenSSL 1.1, nothing is done. Where it has OpenSSL 3 and a C compiler, a tiny library of our own
stands in (ssl_compat.c says how). Else OpenSSL 1.1 is taken out of a Python wheel that bundles it.
"""

from __future__ import annotations

import ctypes
import functools
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

from tests.support.locks import file_lock
from tests.support.paths import CACHE

SOURCE = Path(__file__).with_name("ssl_compat.c")
WHEEL = "psycopg2-binary==2.9.5"
# The names that .NET Core 3.1 tries, newest first.
SYSTEM_NAMES = ("libssl.so.1.1", "libssl.so.1.0.2", "libssl.so.1.0.0", "libssl.so.10")


class OpenSslMissingError(Exception):
    """Old .NET cannot be given an OpenSSL; the message says what to install."""


@functools.cache
def library_folder() -> Path | None:
    """The folder for LD_LIBRARY_PATH of old .NET processes (only of those); None when the system has what they want."""
    if sys.platform != "linux" or any(_loads(name) for name in SYSTEM_NAMES):
        return None
    key = hashlib.sha256(SOURCE.read_bytes()).hexdigest()[:16]
    folder = CACHE / f"openssl11-{key}"
    with file_lock(CACHE / "openssl11.lock"):
        if not folder.exists():
            with tempfile.TemporaryDirectory(dir=CACHE) as scratch:
                made = Path(scratch) / "lib"
                made.mkdir()
                failures = [failure for make in (_link_to_openssl3, _take_from_wheel) if (failure := make(made))]
                if not (made / "libssl.so.1.1").exists():
                    raise OpenSslMissingError(
                        "releases of .NET before 6 need OpenSSL: install OpenSSL 3 (libssl.so.3) and a C compiler, "
                        f"or OpenSSL 1.1 ({'; '.join(failures)})"
                    )
                made.rename(folder)
    return folder


def _loads(library: str) -> bool:
    try:
        ctypes.CDLL(library)
    except OSError:
        return False
    return True


def _link_to_openssl3(folder: Path) -> str | None:
    """Returns why it could not be done, None when it was."""
    compiler = os.environ.get("CC") or next(filter(None, map(shutil.which, ("cc", "gcc", "clang"))), None)
    if compiler is None:
        return "no C compiler found"
    library = folder / "libssl.so.1.1"
    # --no-as-needed: .NET asks this library for all of OpenSSL's functions, so both must stay linked to it.
    links = ["-Wl,--no-as-needed", "-Wl,-soname,libssl.so.1.1", "-l:libssl.so.3", "-l:libcrypto.so.3"]
    command = [*compiler.split(), "-shared", "-fPIC", "-O1", "-o", str(library), str(SOURCE), *links]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode == 0 and _loads(str(library)):
        return None
    library.unlink(missing_ok=True)
    return f"linking to OpenSSL 3 failed: {(done.stderr.splitlines() or ['it does not load'])[0]}"


def _take_from_wheel(folder: Path) -> str | None:
    if (folder / "libssl.so.1.1").exists():
        return None
    with tempfile.TemporaryDirectory(dir=CACHE) as scratch:
        where = ["--dest", scratch, "--platform", "manylinux2014_x86_64", "--python-version", "3.11"]
        command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--only-binary=:all:", *where, WHEEL]
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            return f"pip could not fetch {WHEEL}: {(done.stderr.splitlines() or ['no reason given'])[-1]}"
        with zipfile.ZipFile(next(Path(scratch).glob("*.whl"))) as wheel:
            for member in wheel.namelist():
                if ".libs/" in member and member.rpartition("/")[2].startswith(("libssl", "libcrypto")):
                    (folder / Path(member).name).write_bytes(wheel.read(member))
    # The wheel's libssl has a hashed name and finds its libcrypto, hashed as well, beside itself or on LD_LIBRARY_PATH.
    for library in folder.glob("libssl-*"):
        shutil.copyfile(library, folder / "libssl.so.1.1")
    return None
