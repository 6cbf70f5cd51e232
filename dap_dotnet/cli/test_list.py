"""``test --list``: the tests of built projects, by their metadata and symbols. Nothing is built or run."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from dap_dotnet.cli.exit_codes import BROKEN_PIPE
from dap_dotnet.cli.style import accept_any_text, discard_output
from dap_dotnet.errors import DapDotnetError
from dap_dotnet.launching.projects import Project, projects_with_tests
from dap_dotnet.launching.vstest_hosts import runs_itself
from dap_dotnet.protocol.wire_names import wire_name
from dap_dotnet.test_discovery.discovery import DiscoveredAssembly, DiscoveredTest, discover
from dap_dotnet.test_discovery.outputs import built_assemblies

_INCOMPLETE = 1


def list_tests(paths: list[str], *, as_json: bool) -> int:
    """List the tests of projects, solutions, folders and .dll files. The exit code is 1 if some cannot be listed."""
    accept_any_text()
    write = _write_json if as_json else _write_text
    exit_code = 0
    try:
        for path in paths:
            for line in _lines(Path(path).absolute()):
                if line["kind"] == "error":
                    exit_code = _INCOMPLETE
                write(line)
        sys.stdout.flush()
    except BrokenPipeError:
        discard_output()
        return BROKEN_PIPE
    return exit_code


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    if path.suffix.lower() == ".dll":
        yield from _assembly_lines(path, None)
        return
    try:
        projects = projects_with_tests(path)
    except DapDotnetError as error:
        yield _error(error.code, error.message, path)
        return
    for project in projects:
        yield from _project_lines(project)


def _project_lines(project: Project) -> Iterator[dict[str, Any]]:
    assemblies = built_assemblies(project.path, project.assembly_name(), project.frameworks())
    if not assemblies:
        message = f"{project.path.name} has not been built yet, so its tests are not known. Build it, or run its tests."
        yield _error("NOT_BUILT", message, project.path)
    for assembly in assemblies:
        yield from _assembly_lines(assembly, project.path)


def _assembly_lines(assembly: Path, project: Path | None) -> Iterator[dict[str, Any]]:
    try:
        discovered = discover(str(assembly))
        is_program = bool(discovered.tests) and runs_itself(assembly)
    except DapDotnetError as error:
        yield _error(error.code, error.message, project or assembly, assembly)
        return
    yield {
        "kind": "testAssembly",
        "path": discovered.path,
        "project": str(project) if project is not None else None,
        wire_name("target_framework"): discovered.target_framework,
        wire_name("has_symbols"): discovered.has_symbols,
        wire_name("runs_itself"): is_program,
        "tests": len(discovered.tests),
    }
    for each in discovered.classes:
        yield {
            "kind": "testClass",
            "name": each.name,
            "file": each.file,
            "line": each.line,
            "assembly": discovered.path,
        }
    for test in discovered.tests:
        yield _test(test, discovered)


def _test(test: DiscoveredTest, assembly: DiscoveredAssembly) -> dict[str, Any]:
    place = test.place
    return {
        "kind": "test",
        "id": test.id,
        "name": test.name,
        "namespace": test.namespace,
        "class": test.class_name,
        "method": test.method,
        "framework": test.framework.value,
        wire_name("target_framework"): assembly.target_framework,
        "assembly": assembly.path,
        "file": place.file if place is not None else None,
        "line": place.line if place is not None else None,
        "column": place.column if place is not None else None,
        wire_name("end_line"): place.end_line if place is not None else None,
        wire_name("end_column"): place.end_column if place is not None else None,
        "filter": test.filter,
        wire_name("has_rows"): test.has_rows,
        "skip": test.skip,
    }


def _error(code: str, message: str, path: Path, assembly: Path | None = None) -> dict[str, Any]:
    return {
        "kind": "error",
        "code": code,
        "message": message,
        "path": str(path),
        "assembly": str(assembly) if assembly is not None else None,
    }


def _write_json(line: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(line) + "\n")


def _write_text(line: dict[str, Any]) -> None:
    if line["kind"] == "error":
        print(f"error: {line['message']}", file=sys.stderr)
    elif line["kind"] == "testAssembly":
        framework = f" ({line[wire_name('target_framework')]})" if line[wire_name("target_framework")] else ""
        count = line["tests"]
        print(f"{Path(line['path']).name}{framework}: {count} test{'' if count == 1 else 's'}")
    elif line["kind"] == "test":
        place = f"  {line['file']}:{line['line']}" if line["file"] else ""
        skip = f"  (skipped: {line['skip']})" if line["skip"] else ""
        print(f"  {line['id']}{place}{skip}")
