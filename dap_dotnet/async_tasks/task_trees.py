"""Async methods as trees of text: what nobody awaits first, what it awaits below it; the same ones once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from msgspec import Struct

from dap_dotnet.async_tasks.suspended_methods import SuspendedMethod

_DEEPEST = 100


class Line(Struct, frozen=True):
    """A method: where it stands, and what it waits for, which is left out where that is among the lines below it."""

    place: str
    waits: str


_Below = tuple[tuple[int, int], ...]
"""Trees side by side: how many of a kind there are, and the number of the kind."""


class _Trees:
    """The different trees that there are, each under a number, so that large ones are compared at once."""

    def __init__(self, methods: Sequence[SuspendedMethod], line_of: Callable[[SuspendedMethod], Line]) -> None:
        self._methods = methods
        self._line_of = line_of
        self._numbers: dict[tuple[str, _Below], int] = {}
        self.kinds: list[tuple[str, _Below]] = []
        self._made: dict[int, int] = {}
        self._reached: set[int] = set()

    def roots(self) -> _Below:
        """The trees of all methods; those in rings, of which there should be none, have a root too."""
        found: list[int] = []
        for only_roots in (True, False):
            for one in self._methods:
                if one.id not in self._reached and (not one.awaited_by or not only_roots):
                    found.append(self._tree(one.id))
        return _counted(found)

    def _tree(self, root: int) -> int:
        """Without recursion: a method that calls itself makes deep ones."""
        pending = [(root, False)]
        while pending:
            number, is_below_done = pending.pop()
            one = self._methods[number]
            if is_below_done:
                below = [self._made[each] for each in one.awaits if each in self._made]
                line = self._line_of(one)
                text = line.place if below and not one.is_running else f"{line.place}: {line.waits}"
                self._made[number] = self._kind((text, _counted(below)))
            elif number not in self._reached:
                self._reached.add(number)
                pending.append((number, True))
                pending += [(each, False) for each in one.awaits if each not in self._reached]
        return self._made[root]

    def _kind(self, tree: tuple[str, _Below]) -> int:
        if tree not in self._numbers:
            self._numbers[tree] = len(self.kinds)
            self.kinds.append(tree)
        return self._numbers[tree]


def task_trees(methods: Sequence[SuspendedMethod], line_of: Callable[[SuspendedMethod], Line], most: int) -> str:
    """The methods in at most `most` lines; of trees that read the same, how many there are. `line_of` says a method."""
    if not methods:
        return "No async method is suspended."
    running = sum(one.is_running for one in methods)
    number = len(methods) - running
    text = [f"{number:,} async method{' is' if number == 1 else 's are'} suspended"]
    text[0] += f", {running:,} run{'s' if running == 1 else ''}:" if running else ":"
    trees = _Trees(methods, line_of)
    left = _write(trees, trees.roots(), 1, text, most)
    if left:
        text.append(f"  … {left:,} more")
    return "\n".join(text)


def _counted(trees: Sequence[int]) -> _Below:
    return tuple((number, tree) for tree, number in Counter(trees).items())


def _write(trees: _Trees, below: _Below, depth: int, lines: list[str], most: int) -> int:
    """The lines of trees, while there is room. Returns how many of the trees were left out."""
    left = 0
    for number, tree in below:
        if len(lines) > most:
            left += number
            continue
        text, inner = trees.kinds[tree]
        times = f"{number:,} × " if number > 1 else ""
        lines.append("  " * min(depth, _DEEPEST) + times + text)
        left += _write(trees, inner, depth + 1, lines, most)
    return left
