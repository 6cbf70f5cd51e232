"""Hit conditions: after how many hits a breakpoint acts. Pure."""

from __future__ import annotations

import re

from msgspec import Struct

from dap_dotnet.errors import UserError

_GRAMMAR = re.compile(r"^\s*(==?|>=?|<=?|%)?\s*(\d{1,18})\s*$")
FORMS = "N, == N, >= N, > N, < N, <= N or % N"


class HitRule(Struct, frozen=True):
    """A parsed hit condition. `operator` is one of ``==``, ``>=``, ``>``, ``<``, ``<=``, ``%``."""

    operator: str
    number: int

    def holds(self, count: int) -> bool:
        """Whether hit number `count`, from 1, is one to act on."""
        number = self.number
        match self.operator:
            case "==":
                return count == number
            case ">=":
                return count >= number
            case ">":
                return count > number
            case "<":
                return count < number
            case "<=":
                return count <= number
            case _:
                return count % number == 0


def parse_hit_condition(text: str) -> HitRule:
    """Parse `N`, `== N`, `>= N`, `> N`, `< N`, `<= N` or `% N`; a bare `N` means `== N`.

    Raises `UserError` with the code INVALID_CONDITION.
    """
    match = _GRAMMAR.match(text)
    if match is None:
        raise UserError(f"'{text[:80]}' is not a valid hit condition: write {FORMS}.", code="INVALID_CONDITION")
    operator, number = match.group(1) or "==", int(match.group(2))
    if operator == "%" and number == 0:
        raise UserError("'% 0' is not a valid hit condition: N must be 1 or more.", code="INVALID_CONDITION")
    return HitRule("==" if operator == "=" else operator, number)
