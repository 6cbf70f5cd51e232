"""Reading the metadata and the symbols of modules that may be damaged. Pure."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")
A = TypeVar("A")


def if_damaged(answer: A) -> Callable[[Callable[P, R]], Callable[P, R | A]]:
    """Have a function give an answer, which nobody changes, where what it reads is damaged (`PortablePdbError`)."""

    def decorate(read: Callable[P, R]) -> Callable[P, R | A]:
        @functools.wraps(read)
        def guarded(*args: P.args, **kwargs: P.kwargs) -> R | A:
            from portablepdb import PortablePdbError

            try:
                return read(*args, **kwargs)
            except PortablePdbError:
                return answer

        return guarded

    return decorate
