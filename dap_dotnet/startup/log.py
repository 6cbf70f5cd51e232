"""Where the log goes."""

from __future__ import annotations

import logging
import sys

from dap_dotnet.startup.options import AdapterOptions, UsageError

_FORMAT = "%(asctime)s.%(msecs)03d %(levelname)-7s %(threadName)s %(name)s: %(message)s"


def configure_logging(options: AdapterOptions) -> None:
    """Send the log to the file that was asked for, or warnings to standard error.

    At level ``debug``, the default with a file, every DAP message is logged whole. Raises `UsageError` when the file
    cannot be written.
    """
    handler: logging.Handler
    if options.log_file is None:
        handler = logging.StreamHandler(sys.stderr)
        level = options.log_level or "warning"
    else:
        try:
            handler = logging.FileHandler(options.log_file, encoding="utf-8", errors="backslashreplace")
        except OSError as error:
            raise UsageError(f"cannot write the log file {options.log_file}: {error.strerror}") from error
        level = options.log_level or "debug"
    handler.setFormatter(logging.Formatter(_FORMAT, datefmt="%Y-%m-%dT%H:%M:%S"))
    root = logging.getLogger()
    root.addHandler(handler)
    root.setLevel(level.upper())
    logging.raiseExceptions = False  # a full disk must not fill standard error
