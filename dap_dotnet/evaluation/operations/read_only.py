"""Variables that are read only: elements of spans, and what is returned by `ref readonly`."""

from __future__ import annotations

from dap_dotnet.evaluation.diagnostics import Diagnostic


class ReadOnlyElementError(Diagnostic):
    """CS8331 of an element; a member of one is CS8332."""

    def __init__(self, what: str, *, is_member: bool = False) -> None:
        """`what`: the compiler's word for what gives the element."""
        super().__init__("CS8332" if is_member else "CS8331", what)
        self.what = what
