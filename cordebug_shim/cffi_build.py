"""Make the module `dap_dotnet._cordebug_shim` from the header; run by CMake.

Usage: cffi_build.py HEADER OUTPUT

An OUTPUT that ends in .c is the source of an extension module. One that ends in .py needs no compiler and no headers of
Python: the same `ffi` and `lib`, where each call goes through libffi and costs somewhat more.
"""

from __future__ import annotations

import sys
from pathlib import Path

from cffi import FFI

BEGIN = "/* cffi: begin */"
END = "/* cffi: end */"
LOAD = """
from pathlib import Path
lib = ffi.dlopen(str(next(Path(__file__).parent.glob("*cordebug_shim.[sd][oyl]*"))))
"""


def marked_body(header: str) -> str:
    """The part of the header between the two marks: what cffi can parse."""
    start = header.index(BEGIN) + len(BEGIN)
    return header[start : header.index(END, start)]


def main() -> None:
    """Read the header named first and write the C source named second."""
    header, output = (Path(argument) for argument in sys.argv[1:])
    builder = FFI()
    builder.cdef(marked_body(header.read_text(encoding="utf-8")))
    if output.suffix == ".py":
        builder.set_source("dap_dotnet._cordebug_shim", None)
        builder.emit_python_code(str(output))
        with output.open("a", encoding="utf-8") as stream:
            stream.write(LOAD)
    else:
        builder.set_source("dap_dotnet._cordebug_shim", f'#include "{header.name}"')
        builder.emit_c_code(str(output))


if __name__ == "__main__":
    main()
