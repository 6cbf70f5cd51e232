"""A large PDB for the reader's benchmark: generated C# over many documents, compiled once and kept."""

from __future__ import annotations

import hashlib
import os
import subprocess
import tempfile
from pathlib import Path

from tests.support import dotnet
from tests.support.dotnet import Installation
from tests.support.locks import file_lock
from tests.support.paths import CACHE

DOCUMENTS = 800
METHODS_PER_DOCUMENT = 60
STATEMENTS_PER_METHOD = 34
RECIPE = 1


def source_text() -> str:
    """The generated source: each class says it is in a file of its own."""
    parts = []
    for document in range(DOCUMENTS):
        parts.append(f'#line 1 "/src/module{document % 40}/Type{document}.cs"\nclass Type{document} {{')
        for method in range(METHODS_PER_DOCUMENT):
            body = [f"public static int Method{method}(int seed) {{", "int total = seed;"]
            for statement in range(STATEMENTS_PER_METHOD - 3):
                if statement % 5 == 0:
                    body.append(f"int local{statement} = total + {statement};")
                elif statement % 5 == 1:
                    inner = f"{{ int inner = local{statement - 1}; total += inner; }}"
                    body.append(f"        if (total > {statement * 100}) {inner}")
                else:
                    body.append(f"total = total * {statement} + local{statement - statement % 5};")
            body += ["return total;", "}", ""]
            parts.extend(body)
        parts.append("}")
    parts.append("class Program { static void Main() { System.Console.WriteLine(Type1.Method1(3)); } }")
    return "\n".join(parts)


def large_pdb(installation: Installation) -> Path:
    """The path of the PDB (about 10 MB); the assembly is next to it."""
    sdk = installation.sdks[-1]
    runtime = [runtime for runtime in installation.runtimes if runtime.root == sdk.root][-1]
    text = source_text()
    key = hashlib.sha256(f"{RECIPE}{text}{sdk.root}{sdk.version}".encode()).hexdigest()[:20]
    place = CACHE / "benchmarks" / f"large-{key}"
    with file_lock(place.with_suffix(".lock")):
        if not place.exists():
            with tempfile.TemporaryDirectory(dir=place.parent) as scratch:
                made = Path(scratch) / "made"
                made.mkdir()
                (Path(scratch) / "Large.cs").write_text(text, encoding="utf-8")
                names = ("System.Private.CoreLib", "System.Runtime", "System.Console")
                references = [f"-r:{runtime.directory / name}.dll" for name in names]
                options = ["-nologo", "-debug:portable", "-optimize-", "-nostdlib+", "-warn:0", "-deterministic+"]
                command = [sdk.dotnet, "exec", sdk.csc, "-noconfig", *options, *references]
                done = subprocess.run(
                    [*command, f"-out:{made / 'Large.dll'}", "Large.cs"],
                    cwd=scratch,
                    env={**os.environ, **dotnet.environment(sdk.root, sdk.version), "DOTNET_gcServer": "0"},
                    stdout=subprocess.PIPE,
                    stderr=subprocess.STDOUT,
                    check=False,
                    timeout=600,
                )
                if done.returncode:
                    raise RuntimeError(done.stdout.decode(errors="replace")[:2000])
                made.rename(place)
    return place / "Large.pdb"
