"""What the adapter's process does without while it starts, it still has afterwards."""

from __future__ import annotations

import subprocess
import sys

_SCRIPT = """
import sys
from dap_dotnet.startup.process import hasten_imports, imports_are_over
hasten_imports()
import dap_dotnet.adapter
assert "_hashlib" not in sys.modules, "OpenSSL is loaded before it is needed"
import gc
gc.collect()
imports_are_over()
assert gc.isenabled() and gc.get_freeze_count() > 10_000
import secrets
from pydantic import SecretStr
assert len(secrets.token_bytes(8)) == 8
assert SecretStr("a") == SecretStr("a") != SecretStr("b")
"""


def test_the_process_starts_without_openssl_and_has_it_when_it_is_wanted() -> None:
    subprocess.run([sys.executable, "-c", _SCRIPT], check=True, timeout=60)
