"""Budgets: what a file may make the reader spend. A file made to exhaust its reader ends in a LimitError instead.

Sound files stay far below the defaults, which grow with the size of the file. Work that a small file can ask for many
times over (a blob that thousands of rows share, names made of the same parts) is counted and paid for here.
"""

from __future__ import annotations

from .errors import LimitError
from .records import Record

_MIB = 1 << 20
OVERHEAD = 100
"""Bytes that keeping a name costs besides the name."""


# An amount, and how much more for each byte of the file.
_DEFAULTS: dict[str, tuple[int, float]] = {
    "text": (32 * _MIB, 4),
    "inflated": (8 * _MIB, 6),
    "points": (500_000, 1 / 3),
    "hits": (100_000, 0),
    "imports": (200_000, 1 / 4),
    "blob_bytes": (4 * _MIB, 4),
    "signature_bytes": (_MIB, 1),
    "output": (4 * _MIB, 8),
    "il_lines": (_MIB // 4, 1),
}


class Limits(Record):
    """The budgets of one opened file; None stands for the default, which depends on the size of the file.

    A LimitError names the budget that was spent, and it can be raised: ``PortablePdb.open(path,
    limits=Limits(points=10_000_000))``. ``default`` shows what is taken for a file of some size.
    """

    text: int | None = None
    """Bytes of memory for names that are kept while the file is open: of documents, types, members."""
    inflated: int | None = None
    """Bytes that one embedded source or embedded PDB may inflate to."""
    points: int | None = None
    """Sequence points that one query may decode or look through."""
    hits: int | None = None
    """Places that one line may bind to."""
    imports: int | None = None
    """Imports of one query."""
    blob_bytes: int | None = None
    """Bytes of long blobs and of method bodies that one query over the whole file (a dump) may read."""
    signature_bytes: int | None = None
    """Bytes of signatures that a dump or a Disassembler may decode."""
    output: int | None = None
    """Characters of one dump, or of the IL of one method."""
    il_lines: int | None = None
    """Lines of IL that one command prints, of all methods together."""

    @classmethod
    def default(cls, size: int) -> Limits:
        """The budgets of a file of ``size`` bytes."""
        return cls(**{name: base + int(size * factor) for name, (base, factor) in _DEFAULTS.items()})


def _check(limits: object) -> None:
    if not isinstance(limits, Limits):
        raise TypeError(f"limits are a Limits or None, not {type(limits).__name__}")
    for name, amount in limits._asdict().items():
        if amount is not None and (not isinstance(amount, int) or amount < 0):
            raise (ValueError if isinstance(amount, int) else TypeError)(
                f"the limit {name} is an int from 0 on, or None for its default, not {amount!r}"
            )


class Budgets:
    """The limits of one opened file, every one of them set."""

    __slots__ = ("file", "limits", "size")

    def __init__(self, limits: Limits | None, size: int, file: str) -> None:
        if limits is not None:
            _check(limits)
        self.limits = limits
        self.size = size
        self.file = file

    def of(self, name: str) -> int:
        """The amount of a budget, by its name in Limits."""
        if self.limits is not None:
            chosen: int | None = getattr(self.limits, name)
            if chosen is not None:
                return chosen
        base, factor = _DEFAULTS[name]
        return base + int(self.size * factor)

    def begin(self, name: str) -> Budget:
        """A budget that nothing was spent of: for one query, or for the life of the file."""
        return Budget(name, self.of(name), self.file)


class Budget:
    """What is left of one budget."""

    __slots__ = ("_file", "_name", "_total", "left")

    def __init__(self, name: str, total: int, file: str) -> None:
        self._name = name
        self._total = total
        self._file = file
        self.left = total

    def spend(self, amount: int) -> None:
        """Take an amount away. LimitError when there is not so much left."""
        self.left -= amount
        if self.left < 0:
            raise self.spent()

    def spent(self) -> LimitError:
        """The error that says so."""
        return LimitError(
            f"the budget of {self._total} for {self._name} is spent: the file is damaged or made to exhaust its reader"
            f" (open it with limits=Limits({self._name}=...) if it is neither)",
            file=self._file,
            budget=self._name,
        )
