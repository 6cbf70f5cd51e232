"""Stacks of several looks, merged and counted, and the files that viewers of profiles read."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from dap_dotnet.cli.report import FrameReport, ThreadReport

_SCHEMA = "https://www.speedscope.app/file-format-schema.json"

Place = tuple[str, str | None, int]
"""The function, the file and the line of a frame."""


class MergedStacks:
    """How often each stack of each thread was seen."""

    def __init__(self) -> None:
        self.looks = 0
        self._stacks: Counter[tuple[str, tuple[Place, ...]]] = Counter()
        """By thread and frames, the outermost first."""

    def add(self, threads: Sequence[ThreadReport]) -> None:
        """One look."""
        self.looks += 1
        for thread in threads:
            places = tuple(_place(frame) for frame in reversed(thread.frames))
            if places:
                self._stacks[thread.name, places] += 1

    def folded(self) -> Iterator[str]:
        """A line for each stack: thread and functions, outermost first, separated by semicolons, and its count."""
        counts: Counter[str] = Counter()
        for (thread, places), count in self._stacks.items():
            counts[";".join(part.replace(";", ":") for part in (thread, *(place[0] for place in places)))] += count
        for stack, count in sorted(counts.items()):
            yield f"{stack} {count}"

    def speedscope(self, name: str) -> str:
        """A file of speedscope's: a sampled profile for each thread."""
        numbers: dict[Place, int] = {}
        profiles = []
        for thread in sorted({thread for thread, _ in self._stacks}):
            samples, weights = [], []
            for (of, places), count in sorted(self._stacks.items(), key=lambda item: item[0][1]):
                if of == thread:
                    samples.append([numbers.setdefault(place, len(numbers)) for place in places])
                    weights.append(count)
            profiles.append(
                {
                    "type": "sampled",
                    "name": thread,
                    "unit": "none",
                    "startValue": 0,
                    "endValue": sum(weights),
                    "samples": samples,
                    "weights": weights,
                }
            )
        frames = [_speedscope_frame(place) for place in numbers]
        return json.dumps(
            {
                "$schema": _SCHEMA,
                "shared": {"frames": frames},
                "profiles": profiles,
                "name": name,
                "exporter": "dap-dotnet",
            }
        )

    def as_body(self) -> dict[str, Any]:
        """For machines: most frequent first, frames innermost first."""
        stacks = [
            {
                "thread": thread,
                "count": count,
                "frames": [{"function": place[0], "file": place[1], "line": place[2]} for place in reversed(places)],
            }
            for (thread, places), count in self._stacks.most_common()
        ]
        return {"looks": self.looks, "stacks": stacks}

    def tree(self) -> Iterator[tuple[int, int, str]]:
        """Depth, count and text of each node, the most frequent first; a chain that does not branch is not indented."""
        root = _Node()
        for (thread, places), count in self._stacks.items():
            node = root.child(thread, count)
            for place in places:
                node = node.child(_text(place), count)
        yield from root.lines(0)


class _Node:
    def __init__(self) -> None:
        self._count = 0
        self._children: dict[str, _Node] = {}

    def child(self, text: str, count: int) -> _Node:
        node = self._children.setdefault(text, _Node())
        node._count += count
        return node

    def lines(self, depth: int) -> Iterator[tuple[int, int, str]]:
        for text, node in sorted(self._children.items(), key=lambda item: (-item[1]._count, item[0])):
            yield depth, node._count, text
            yield from node.lines(depth + 1 if depth == 0 or len(node._children) > 1 else depth)


def _place(frame: FrameReport) -> Place:
    return frame.function, frame.file, frame.line


def _text(place: Place) -> str:
    function, file, line = place
    return f"{function}  {file}:{line}" if file else function


def _speedscope_frame(place: Place) -> dict[str, Any]:
    function, file, line = place
    return {"name": function, "file": file, "line": line} if file else {"name": function}
