"""The assemblies that builds of a project have left, found in its folders without asking MSBuild."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

_NO_OUTPUTS = frozenset(["ref", "refint", "publish", "native"])
_DEEPEST = 5
"""bin, the configuration, the framework, the runtime, and one more."""


def built_assemblies(project: Path, name: str, frameworks: Sequence[str]) -> list[Path]:
    """The newest .dll called `name` of each target framework, the newest of all first.

    `frameworks` are those of the project where it lists several: what remains of others is left out.
    """
    newest: dict[str, tuple[float, Path]] = {}
    for path in _candidates(project, f"{name}.dll"):
        framework = _framework_of(path, frameworks)
        if framework is None:
            continue
        changed = path.stat().st_mtime
        if framework not in newest or changed > newest[framework][0]:
            newest[framework] = (changed, path)
    return [path for _, path in sorted(newest.values(), key=lambda each: -each[0])]


def _framework_of(path: Path, frameworks: Sequence[str]) -> str | None:
    if len(frameworks) < 2:
        return ""
    parts = {part.lower() for part in path.parts} | {part for name in path.parts for part in name.lower().split("_")}
    return next((framework for framework in frameworks if framework.lower() in parts), None)


def _candidates(project: Path, file_name: str) -> Iterator[Path]:
    folders = [project.parent / "bin"]
    for above in (project.parent, *project.parent.parents):
        artifacts = above / "artifacts" / "bin" / project.stem  # ArtifactsPath's layout
        if artifacts.is_dir():
            folders.append(artifacts)
            break
    for folder in folders:
        for root, names, files in os.walk(folder):
            depth = len(Path(root).relative_to(folder).parts)
            names[:] = [name for name in names if name not in _NO_OUTPUTS and depth < _DEEPEST]
            if file_name in files:
                yield Path(root, file_name)
                names.clear()
