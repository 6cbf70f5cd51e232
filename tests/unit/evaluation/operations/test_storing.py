"""What may be handed to the program's code, by the types of the bytes."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from dap_dotnet.errors import EvaluationError
from dap_dotnet.evaluation.operations.assignables import check_fits
from dap_dotnet.evaluation.operations.operand_values import MadeBox
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.csharp_types import Kind, Type
from dap_dotnet.runtime.model import ElementType, ModuleId, TypeDefToken, TypeId, Value, ValueHandle


def structure(number: int, kind: Kind = Kind.STRUCT, *arguments: Type, underlying: Type | None = None) -> Type:
    definition = (ModuleId(1), TypeDefToken(number))
    return Type(
        kind, ElementType.VALUETYPE, f"T{number}", definition=definition, arguments=arguments, underlying=underlying
    )


POINT, PAIR_OF_TEXTS, PAIR_OF_OBJECTS = (
    structure(1),
    structure(2, Kind.STRUCT, types.STRING),
    structure(2, Kind.STRUCT, types.OBJECT),
)
PAIR_OF_NUMBERS = structure(2, Kind.STRUCT, types.I4)
MAYBE_POINT, MAYBE_NUMBER = structure(3, Kind.NULLABLE, POINT), structure(3, Kind.NULLABLE, types.I4)
TINY = structure(4, Kind.ENUM, underlying=types.U1)
KNOWN = {TypeId(number): kind for number, kind in enumerate(
    (POINT, PAIR_OF_TEXTS, PAIR_OF_OBJECTS, PAIR_OF_NUMBERS, MAYBE_POINT, MAYBE_NUMBER, TINY), 1
)}  # fmt: skip
ENV: Any = SimpleNamespace(type_of=KNOWN.get)
HANDLE = ValueHandle(5)


def of(kind: Type, *, is_boxed: bool = False) -> Value:
    type_id = next(number for number, known in KNOWN.items() if known is kind)
    return Value(HANDLE, type_id, ElementType.VALUETYPE, is_boxed=is_boxed, is_reference=is_boxed)


NUMBER = Value(HANDLE, None, ElementType.I4, raw=bytes(4))
BYTE = Value(HANDLE, None, ElementType.U1, raw=bytes(1))
NULL = Value(None, None, ElementType.CLASS, is_null=True, is_reference=True)
TEXT = Value(HANDLE, None, ElementType.STRING, is_reference=True, text="a")


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        (of(POINT), POINT),
        (of(POINT, is_boxed=True), POINT),
        (of(POINT, is_boxed=True), types.OBJECT),
        (of(MAYBE_POINT), MAYBE_POINT),
        (of(PAIR_OF_TEXTS), PAIR_OF_OBJECTS),
        (NUMBER, types.I4),
        (BYTE, TINY),
        (of(TINY), TINY),
        (NULL, types.OBJECT),
        (TEXT, types.STRING),
        (TEXT, None),
    ],
)
def test_values_of_the_type_are_passed(value: Value, kind: Type | None) -> None:
    check_fits(ENV, value, kind, "It cannot be passed")


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        (of(POINT), MAYBE_POINT),
        (of(POINT, is_boxed=True), MAYBE_POINT),
        (of(MAYBE_POINT), POINT),
        (of(MAYBE_POINT), MAYBE_NUMBER),
        (of(MAYBE_POINT), types.OBJECT),
        (NUMBER, MAYBE_NUMBER),
        (NUMBER, types.I8),
        (NUMBER, TINY),
        (NUMBER, types.OBJECT),
        (NUMBER, None),
        (of(PAIR_OF_TEXTS), PAIR_OF_NUMBERS),
        (NULL, types.I4),
        (NULL, MAYBE_NUMBER),
        (TEXT, types.I8),
        (MadeBox(HANDLE, None, ElementType.I4, is_boxed=True, is_reference=True), types.OBJECT),
        (Value(HANDLE, TypeId(99), ElementType.VALUETYPE), POINT),
    ],
)
def test_values_of_another_type_are_refused(value: Value, kind: Type | None) -> None:
    with pytest.raises(EvaluationError, match=r"^It cannot be passed: .* is not what '.*' takes$"):
        check_fits(ENV, value, kind, "It cannot be passed")
