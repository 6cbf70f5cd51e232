"""What the last build of a project was made from, so that an unchanged project is not built again.

`dotnet build` takes about a second to find out that it has nothing to do. A record names every file in the folders of a
project and of those that it refers to, with size and time, and the program that was made. Whatever differs asks for a
build, and so does a project with parts that cannot be seen in its folders: files from elsewhere, imports, targets.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from dap_dotnet.launching.projects import PROJECT_SUFFIXES, Project
from dap_dotnet.startup.whole_files import cache_folder, keep

_MOST_FILES = 20_000
_OF_BUILDS = ("bin", "obj")
_OF_ANCESTORS = (
    *("Directory.Build.props", "Directory.Build.targets", "Directory.Build.rsp", "Directory.Packages.props"),
    *("global.json", "nuget.config", "NuGet.config", "NuGet.Config", ".editorconfig", ".globalconfig"),
)
"""Files in the folders above that a build reads."""
_REFERENCE = re.compile(r'<ProjectReference\s[^>]*Include\s*=\s*"([^"]+)"')
_OUT_OF_SIGHT = re.compile(
    r"<(?:Import|Target|UsingTask)\b"
    r"|<(?!ProjectReference\b|PackageReference\b)\w+\s[^>]*\b(?:Include|Update)\s*=\s*\"[^\"]*(?:\.\.[\\/]|\$\(|:\\)"
    r"|<(?!ProjectReference\b)\w+\s[^>]*\b(?:Include|Update)\s*=\s*\"/"
    r"|<HintPath>|<OutputPath>|<BaseOutputPath>|<ArtifactsPath>|<UseArtifactsOutput>|<OutDir>"
)
"""In a project: what it is made of may lie elsewhere."""


class _UnclearError(Exception):
    """What a project is made from cannot be seen."""


def made_before(project: Project, key: Sequence[str]) -> Path | None:
    """The program that the last build with the same `key` has made, if a build would change nothing; else None.

    `key` is all that decides the output besides files: framework, configuration, SDK.
    """
    try:
        record = json.loads(_record_path(project, key).read_text(encoding="utf-8"))
        made = Path(record["made"])
        if record["files"] == _files(project, made):
            return made
    except (OSError, ValueError, KeyError, TypeError, _UnclearError):
        pass
    return None


def begin_record(project: Project) -> dict[str, Any] | None:
    """The files before a build, for `record_build`; None for a project that is always to be built."""
    try:
        return _files(project, None)
    except (OSError, _UnclearError):
        return None


def record_build(project: Project, key: Sequence[str], made: Path, before: dict[str, Any] | None) -> None:
    """Remember a build that has succeeded. Files that were changed while it ran make the next one build again."""
    path = _record_path(project, key)
    try:
        if before is None or _files(project, None) != before:
            path.unlink(missing_ok=True)
            return
        keep(str(path), [json.dumps({"made": str(made), "files": _files(project, made)}).encode()])
    except (OSError, _UnclearError):
        pass  # a disk that is full or cannot be written, a project that goes away: the next launch builds


def _record_path(project: Project, key: Sequence[str]) -> Path:
    digest = hashlib.sha256("\0".join([str(project.path), *key]).encode(errors="surrogateescape")).hexdigest()[:32]
    return Path(cache_folder("builds"), f"{digest}.json")


def _files(project: Project, made: Path | None) -> dict[str, Any]:
    """Path -> size and time of every file that the build reads, None for one that is absent; and those that it made.

    Raises `_UnclearError` and OSError.
    """
    found: dict[str, Any] = {}
    projects = list(_with_references(project.path))
    for folder in dict.fromkeys(path.parent for path in projects):
        for path in _below(folder):
            found[path] = _stamp(path)
            if len(found) > _MOST_FILES:
                raise _UnclearError
        for name in _OF_ANCESTORS:
            for ancestor in folder.parents:
                found[str(ancestor / name)] = _stamp(ancestor / name)
                if name.endswith((".props", ".targets")) and found[str(ancestor / name)] is not None:
                    _look_for_more(ancestor / name)
    for output in _outputs(made):
        found[str(output)] = _stamp(output)
    return found


def _with_references(project: Path) -> Iterator[Path]:
    """A project and all that it refers to."""
    waiting, seen = [project], {project}
    while waiting:
        path = waiting.pop()
        if path.suffix.lower() not in PROJECT_SUFFIXES:
            raise _UnclearError  # a C# file alone may name others in ways of its own
        yield path
        for name in _REFERENCE.findall(_look_for_more(path)):
            if "$(" in name or "*" in name:
                raise _UnclearError
            reference = Path(os.path.normpath(path.parent / name.replace("\\", "/")))
            if reference not in seen:
                seen.add(reference)
                waiting.append(reference)


def _look_for_more(path: Path) -> str:
    """The text of a file of MSBuild's. Raises `_UnclearError` where it names what lies elsewhere."""
    text = path.read_text(encoding="utf-8-sig", errors="replace")
    if _OUT_OF_SIGHT.search(text):
        raise _UnclearError
    return text


def _below(folder: Path) -> Iterator[str]:
    for parent, folders, names in os.walk(folder):
        left_out = _OF_BUILDS if Path(parent) == folder else ()
        folders[:] = [name for name in folders if name not in (*left_out, "node_modules") and name[0] != "."]
        if any(os.path.islink(os.path.join(parent, name)) for name in folders):
            raise _UnclearError
        for name in names:
            if name in ("Directory.Build.props", "Directory.Build.targets"):
                _look_for_more(Path(parent, name))
            yield os.path.join(parent, name)


def _outputs(made: Path | None) -> Iterable[Path]:
    return () if made is None else (made, made.with_suffix(".pdb"), made.with_suffix(".runtimeconfig.json"))


def _stamp(path: str | Path) -> list[int] | None:
    try:
        status = os.stat(path)
    except (FileNotFoundError, NotADirectoryError):
        return None
    return [status.st_mtime_ns, status.st_size]
