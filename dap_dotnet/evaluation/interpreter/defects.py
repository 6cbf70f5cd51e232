"""What becomes of an exception that interpreting a method was not to raise: a defect of ours, not of the program."""

from __future__ import annotations

import logging
import os
import traceback

from dap_dotnet.evaluation.interpreter.code import NotInterpretable
from dap_dotnet.startup.options import DEFECTS_VARIABLE

_log = logging.getLogger(__name__)


def as_refusal(defect: Exception, what: str) -> NotInterpretable:
    """A refusal in place of the defect, so that the program runs the method; the log has a line with its place.

    `what` was interpreted. Raises the defect itself where the environment asks for that, as all tests do.
    """
    if os.environ.get(DEFECTS_VARIABLE) == "raise":
        raise defect
    place = traceback.extract_tb(defect.__traceback__)[-1]
    _log.error("defect in the interpretation of %s: %r at %s:%s", what, defect, place.filename, place.lineno)
    return NotInterpretable(f"a defect: {defect!r}")
