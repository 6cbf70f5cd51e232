"""Dictionary lookups without running code: by comparing the keys in the private storage.

For keys that compare by value (numbers, enums, strings) under a comparer that is known; others need a call.
"""

from __future__ import annotations

from collections.abc import Iterator

from dap_dotnet.errors import EvaluationError
from dap_dotnet.evaluation.diagnostics import null_reference
from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.operations.casts import cast
from dap_dotnet.evaluation.operations.text import strings_equal, to_text
from dap_dotnet.evaluation.types.csharp_types import Kind, Operand
from dap_dotnet.evaluation.types.implicit_conversions import implicitly_converts
from dap_dotnet.runtime.model import FieldRef, Value
from dap_dotnet.values.members import find_field

DICTIONARY = "System.Collections.Generic.Dictionary`2"
_MOST_ENTRIES = 1000
_BATCH = 64
_FREE = -1
_BY_VALUE = frozenset({Kind.STRING, Kind.NUMBER, Kind.ENUM, Kind.BOOL})
_PLAIN_COMPARERS = (
    "GenericEqualityComparer`1", "EnumEqualityComparer`1", "ByteEqualityComparer", "StringEqualityComparer",
    "+DefaultComparer", "+OrdinalComparer", "OrdinalCaseSensitiveComparer",
)  # fmt: skip


def find_value(env: Environment, target: Operand, key: Operand) -> tuple[bool, Operand | None] | None:
    """(whether the key is there, its value) of a dictionary; None when only its own code can answer."""
    own = env.own_type(target)
    if own.full_name != DICTIONARY or own.arguments[0].kind not in _BY_VALUE or key.data is None:
        return None
    if not implicitly_converts(env.universe, key.type, own.arguments[0], key if key.type.kind is Kind.NUMBER else None):
        return None
    comparer = env.operand(env.read_named(target.data, "_comparer"))
    if comparer.data is not None and not env.own_type(comparer).full_name.endswith(_PLAIN_COMPARERS):
        return None
    wanted = cast(env, key, own.arguments[0])
    count = env.operand(env.read_named(target.data, "_count")).data
    if count > _MOST_ENTRIES:
        return None
    entries = env.operand(env.read_named(target.data, "_entries"))
    if entries.data is None and count:  # as another thread leaves it for a moment
        raise null_reference("the array of the dictionary")
    for candidate, value in _entries(env, entries, count):
        is_text = wanted.type.kind is Kind.STRING
        if strings_equal(env, candidate, wanted) if is_text else candidate.data == wanted.data:
            return True, env.operand(value, own.arguments[1])
    return False, None


def _entries(env: Environment, entries: Operand, count: int) -> Iterator[tuple[Operand, Value]]:
    """(key, value) of the entries in use; `next` of the others is below -1."""
    if not isinstance(entries.data, Value) or entries.data.handle is None:
        return
    refs: list[FieldRef] = []
    for start in range(0, count, _BATCH):
        env.step(min(_BATCH, count - start))
        for entry in env.debuggee.elements(entries.data.handle, start, min(_BATCH, count - start)):
            if entry.handle is None:
                raise EvaluationError("The dictionary's entries cannot be read")
            if not refs:
                found = [find_field(env.program, entry.type, name) for name in ("next", "key", "value")]
                refs = [field.ref for field in found if field is not None]
                if len(refs) != len(found):
                    raise EvaluationError("The dictionary's entries have an unknown layout")
            following, key, value = env.fields(entry, refs)
            if env.operand(following).data >= _FREE:
                yield env.operand(key), value


def missing_key(env: Environment, key: Operand) -> EvaluationError:
    """What the indexer throws."""
    return EvaluationError(
        "System.Collections.Generic.KeyNotFoundException: "
        f"The given key '{to_text(env, key)}' was not present in the dictionary."
    )
