"""What the adapter's process does without while it starts, it still has afterwards."""

from __future__ import annotations

import subprocess
import sys

import pytest

_SCRIPT = """
import sys
from dap_dotnet.startup.process import hasten_imports, imports_are_over
usual = sys.getswitchinterval()
hasten_imports()
assert sys.getswitchinterval() < usual
import dap_dotnet.adapter, construct
assert "_hashlib" not in sys.modules, "OpenSSL is loaded before it is needed"
assert not {"_pickle", "bdb"} & sys.modules.keys(), "pickle or Python's debugger is loaded before it is needed"
import gc
gc.collect()
imports_are_over()
assert gc.isenabled() and gc.get_freeze_count() > 10_000
assert sys.getswitchinterval() == usual
import secrets, hashlib, pickle, pdb
from pydantic import SecretStr
assert len(secrets.token_bytes(8)) == 8
assert pickle.loads(pickle.dumps([1])) == [1] and issubclass(pdb.Pdb, object)
assert hashlib.sha256(b"a").hexdigest().startswith("ca978112")
assert SecretStr("a") == SecretStr("a") != SecretStr("b")
"""


def test_the_process_starts_without_openssl_and_has_it_when_it_is_wanted() -> None:
    subprocess.run([sys.executable, "-c", _SCRIPT], check=True, timeout=60)


_TYPED_DICTS = """
import sys, typing, typing_extensions
ours, theirs = typing.TypedDict, typing_extensions.TypedDict
from dap_dotnet.startup.process import hasten_imports
class Torn:
    is_over = not TORN
    def find_spec(self, name, path, target=None):
        if name == "pydantic_core.core_schema" and not self.is_over:
            self.is_over = True
            raise RuntimeError("torn")
torn = Torn()
sys.meta_path.insert(0, torn)
hasten_imports()
assert torn.is_over and (typing.TypedDict, typing_extensions.TypedDict) == (ours, theirs)
import pydantic
from pydantic_core import SchemaValidator, core_schema
assert TORN == hasattr(core_schema.IntSchema, "__required_keys__")
assert SchemaValidator(core_schema.int_schema(ge=2)).validate_python("3") == 3
class Point(typing_extensions.TypedDict, total=False):
    x: typing_extensions.Required[int]
    y: int
assert Point.__required_keys__ == {"x"}
assert pydantic.TypeAdapter(Point).validate_python({"x": "1"}) == {"x": 1}
"""


@pytest.mark.parametrize("torn", [False, True])
def test_typed_dictionaries_are_what_they_were_once_pydantic_is_imported(torn: bool) -> None:
    script = _TYPED_DICTS.replace("TORN", str(torn))
    subprocess.run([sys.executable, "-c", script], check=True, timeout=60)


_DATACLASSES = """
import dataclasses
from typing import Annotated
usual = getattr(dataclasses, "_create_fn", None)
from dap_dotnet.startup.process import hasten_imports
hasten_imports()
assert getattr(dataclasses, "_create_fn", None) is usual
import sys
for name in ("zoneinfo", "uuid", "fractions", "ipaddress"):
    assert not hasattr(sys.modules[name], "__file__"), f"{name} is imported"
from annotated_types import Gt, Interval
from pydantic import AfterValidator, Field, StringConstraints, TypeAdapter
for one, same, other in ((Gt(3), Gt(gt=3), Gt(4)), (Interval(ge=1), Interval(ge=1), Interval(ge=2))):
    assert one == same != other and hash(one) == hash(same) and repr(one) == repr(same) != repr(other)
assert repr(Gt(3)) == "Gt(gt=3)"
for wrong in (lambda: Gt(), lambda: Gt(1, 2), lambda: setattr(Gt(3), "gt", 4), lambda: delattr(Gt(3), "gt")):
    try:
        wrong()
    except (TypeError, dataclasses.FrozenInstanceError):
        continue
    raise AssertionError("allowed")
number = TypeAdapter(Annotated[int, Field(gt=2), AfterValidator(lambda value: value + 1)])
assert number.validate_python(3) == 4 and number.json_schema() == {"exclusiveMinimum": 2, "type": "integer"}
assert TypeAdapter(Annotated[str, StringConstraints(to_upper=True)]).validate_python("a") == "A"
@dataclasses.dataclass(frozen=True)
class Pair:
    left: int
    right: int = 2
assert Pair(1) == Pair(1, 2) and Pair.__init__.__annotations__ == {"left": int, "right": int, "return": None}
import ast, base64, zoneinfo
assert ast.literal_eval("[1]") == [1] and base64.b64encode(b"a") == b"YQ=="
assert issubclass(zoneinfo.ZoneInfoNotFoundError, KeyError) and zoneinfo.ZoneInfo.__module__ == "zoneinfo"
import fractions, ipaddress, urllib.parse, uuid
assert uuid.UUID(int=1).int == 1 and ipaddress.IPv4Address("1.2.3.4").packed[0] == 1
assert fractions.Fraction(2, 4) == fractions.Fraction(1, 2)
assert urllib.parse.urlsplit("http://[::1]:80/").hostname == "::1"
"""


def test_methods_that_are_compiled_when_they_are_called_are_those_that_pydantic_defines() -> None:
    subprocess.run([sys.executable, "-c", _DATACLASSES], check=True, timeout=60)


_LAUNCH = """
import sys
import dap_dotnet.adapter, dap_dotnet.session.session, dap_dotnet.handlers.lifecycle, dap_dotnet.launching.backend
later = ("breakpoints", "evaluation", "stepping", "values.context", "values.rendering", "session.runtime_events")
found = [name for name in sys.modules if name.startswith(tuple(f"dap_dotnet.{room}" for room in later))]
found += [name for name in sys.modules if name == "construct" or name.startswith("portablepdb")]
assert not found, f"a launch waits for {found}"
"""


def test_a_launch_starts_its_process_before_it_imports_what_a_running_program_needs() -> None:
    subprocess.run([sys.executable, "-c", _LAUNCH], check=True, timeout=60)


_STOP = """
import sys
from dap_dotnet.session import session_parts, runtime_events, session_breakpoints, programs, stop_state, break_calls
from dap_dotnet.session import unfinished_calls, thread_names, frozen_threads
later = ("stepping.stepper", "stepping.return_values", "values.rendering", "values.collections")
found = [name for name in sys.modules if name.startswith(tuple(f"dap_dotnet.{room}" for room in later))]
assert not found, f"a first stop waits for {found}"
"""


def test_a_first_stop_is_told_before_what_steps_and_values_need_is_imported() -> None:
    subprocess.run([sys.executable, "-c", _STOP], check=True, timeout=60)
