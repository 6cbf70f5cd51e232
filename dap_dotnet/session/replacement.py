"""What takes the place of the program when that has ended. Session thread only."""

from __future__ import annotations

from collections.abc import Callable


class Replacement:
    """Usually nothing does: the session ends with the program."""

    def __init__(self, post: Callable[[Callable[[], None]], None]) -> None:
        """`post` lets a function be called a little later."""
        self._post = post
        self._wanted: tuple[Callable[[], None], Callable[[], None]] | None = None

    @property
    def is_wanted(self) -> bool:
        """Whether something waits for the program's end to take its place."""
        return self._wanted is not None

    def want(self, begin: Callable[[], None], cancelled: Callable[[], None]) -> None:
        """Call one of the two: `begin` when the program has ended, `cancelled` if the client wants no more of it."""
        self._wanted = begin, cancelled

    def cancel(self) -> bool:
        """The program's end is that of the session after all. False if nothing was to take its place."""
        wanted, self._wanted = self._wanted, None
        if wanted is not None:
            wanted[1]()
        return wanted is not None

    def take_place(self, or_else: Callable[[], None]) -> None:
        """The program has ended: what is to take its place does so, a little later; `or_else` is called if nothing is.

        Later, since an evaluation may be under way that goes through its events itself.
        """

        def begin() -> None:
            wanted, self._wanted = self._wanted, None
            if wanted is not None:
                wanted[0]()
            else:
                or_else()

        if self.is_wanted:
            self._post(begin)
        else:
            or_else()
