"""What a client sends, read into models: liberal in what is accepted, by one rule for all of them."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any, TypeVar

from pydantic import ValidationError

from dap_dotnet.protocol.messages.base import WireModel

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

_log = logging.getLogger(__name__)
M = TypeVar("M", bound=WireModel)


class NotUnderstoodError(Exception):
    """A message lacks what is needed, or has it in a form that cannot be understood."""

    def __init__(self, details: list[ErrorDetails]) -> None:
        super().__init__(f"{len(details)} members cannot be understood")
        self.details = details
        """Each of them, with its place."""


def read(model: type[M], value: Any, name: str) -> M:
    """Read what a client has sent; `value` is changed in place where it has to be mended. `name` is for the log.

    The rule:

    1. What is exactly as the protocol says is taken as it is, and nothing is looked at twice.
    2. What can only mean one thing is taken for it: a number or true/false in a string, ``3.0`` for 3, a number or
       true/false for a string, an enumerated word in other letter case, an empty list for an empty object and an empty
       object for an empty list.
    3. null is an absent member, and so is an empty string where no string belongs.
    4. Anything else that cannot be understood is dropped with the innermost member around it that may be absent.
       A member may be absent if it is optional and not marked `NEEDED`. Marked are those without which the answer
       would be another one, and look right: a breakpoint without its condition stops where it should not.
    5. What is left is refused, by its path and with what was expected.
    6. Unknown members are ignored. Names of members are not matched in other letter case: the only client seen to err
       in one is nvim-dap (``clientId``), and we do not need that.

    2, 4 and 6 are written to the log. Raises `NotUnderstoodError` for 5. Any thread.
    """
    if value is None or value in ([], ""):
        value = {}
    try:
        message = model.model_validate(value, strict=True)
    except ValidationError as error:
        from dap_dotnet.protocol.mending import mend

        mended = mend(model, value, name, error)
        if isinstance(mended, list):
            raise NotUnderstoodError(mended) from None
        message = mended
    if _log.isEnabledFor(logging.INFO):
        from dap_dotnet.protocol.mending import unknown_members

        for path in unknown_members(model, value):
            _log.info("%s: '%s' is not known, and is ignored", name, path)
    return message
