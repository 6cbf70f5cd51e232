"""Variables that are read only: elements of spans, and what is returned by `ref readonly`."""

from __future__ import annotations

from dap_dotnet.errors import EvaluationError


class ReadOnlyElementError(EvaluationError):
    """CS8331 of an element; a member of one is CS8332."""

    def __init__(self, what: str, *, is_member: bool = False) -> None:
        """`what`: the compiler's word for what gives the element."""
        code, part = ("CS8332", "a member of ") if is_member else ("CS8331", "")
        super().__init__(
            f"error {code}: Cannot assign to {part}{what} or use it as the right hand side of a ref assignment because "
            "it is a readonly variable"
        )
        self.what = what
