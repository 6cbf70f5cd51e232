"""What is given for a token: names, tokens of other tables and of no row are refused, and never answered for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from portablepdb import Assembly, Metadata, NoSuchEntryError, PortablePdb
from portablepdb.disassembler import Disassembler

from .assembly_maker import AssemblyMaker
from .sample_files import sample_image, sample_pdb

Ask = Callable[[Metadata, Any], object]

OF_TYPES: dict[str, Ask] = {
    name: lambda metadata, token, name=name: getattr(metadata, name)(token)  # type: ignore[misc]
    for name in (
        "type_def",
        "methods_of",
        "fields_of",
        "properties_of",
        "events_of",
        "nested_types",
        "nested_type_tokens",
        "enclosing_type",
        "enclosing_type_token",
        "field_rows",
        "method_rows",
        "property_rows",
        "event_rows",
    )
}
OF_TYPES["method_tokens_named"] = lambda metadata, token: metadata.method_tokens_named(token, "Sell")
OF_METHODS: dict[str, Ask] = {
    "method": lambda metadata, token: metadata.method(token),
    "params_of": lambda metadata, token: metadata.params_of(token),
    "parameter_rows": lambda metadata, token: metadata.parameter_rows(token),
    "display_method": lambda metadata, token: metadata.display_method(token),
    "il": lambda metadata, token: list(Disassembler(metadata).method(token)),
}
OTHERS: dict[str, Ask] = {
    "field": lambda metadata, token: metadata.field(token),
    "property": lambda metadata, token: metadata.property(token),
    "event": lambda metadata, token: metadata.event(token),
    "declaring_type": lambda metadata, token: metadata.declaring_type(token),
    "generic_parameters_of": lambda metadata, token: metadata.generic_parameters_of(token),
    "constant_of": lambda metadata, token: metadata.constant_of(token),
    "attributes_of": lambda metadata, token: metadata.attributes_of(token),
    "type_name": lambda metadata, token: metadata.type_name(token),
    "object_of": lambda metadata, token: metadata.object_of(token),
}
ALL = {**OF_TYPES, **OF_METHODS, **OTHERS}


@pytest.fixture(scope="module")
def metadata() -> Metadata:
    return Assembly.open(sample_image()).metadata


@pytest.mark.parametrize("name", OF_TYPES)
@pytest.mark.parametrize("token", [0x06000001, 2, 0x02000000, 0x02009999, -1])
def test_what_is_no_type_is_not_taken_for_the_type_of_that_row(metadata: Metadata, name: str, token: int):
    with pytest.raises(NoSuchEntryError, match=r"of a type \(0x02......\)|row .* of the TypeDef table"):
        OF_TYPES[name](metadata, token)


@pytest.mark.parametrize("name", OF_METHODS)
@pytest.mark.parametrize("token", [0x02000001, 1, 0x06000000, 0x06009999, -1])
def test_what_is_no_method_is_not_taken_for_the_method_of_that_row(metadata: Metadata, name: str, token: int):
    with pytest.raises(NoSuchEntryError, match=r"of a method \(0x06......\)|row .* of the MethodDef table"):
        OF_METHODS[name](metadata, token)


@pytest.mark.parametrize(
    ("name", "token", "says"),
    [
        ("generic_parameters_of", 0x04000001, "0x04000001 is not a token of a type .* or a method "),
        ("generic_parameters_of", 0x02009999, "row 39321 of the TypeDef table"),
        ("constant_of", 0x04009999, "row 39321 of the Field table"),
        ("constant_of", 0x02000001, "0x02000001 is not a token of a field .*, a parameter|or a property"),
        ("attributes_of", 0x06009999, "row 39321 of the MethodDef table"),
        ("attributes_of", 0x70000001, "0x70000001 is not a token of what can have attributes"),
        ("attributes_of", -1, "-1 is not a token"),
        ("declaring_type", -1, "-1 is not a method, field, property or event"),
        ("declaring_type", 0x04009999, "row 39321 of the Field table"),
        ("type_name", 0x06000001, "0x06000001 is not a type"),
    ],
)
def test_token_that_has_no_answer_is_named(metadata: Metadata, name: str, token: int, says: str):
    with pytest.raises(NoSuchEntryError, match=says):
        ALL[name](metadata, token)


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("wrong", ["N.Shop.Sell", None, 1.5])
def test_what_is_no_token_is_a_type_error(metadata: Metadata, name: str, wrong: Any):
    with pytest.raises(TypeError, match=r"a token or an object is wanted, not .*find_type and find_method take names"):
        ALL[name](metadata, wrong)


def test_parent_of_debug_information_that_is_no_token_is_a_type_error():
    with PortablePdb.open(sample_pdb()) as pdb:
        for ask in (pdb.custom_debug_information, lambda parent: pdb.custom_value(parent, "source_link")):
            with pytest.raises(TypeError, match="a token, an object or a Document is wanted, not str"):
                ask("x")  # type: ignore[arg-type]


def test_assembly_token_of_a_bare_module_has_no_attributes():
    maker = AssemblyMaker()
    del maker.tables[0x20]
    metadata = maker.metadata()
    assert metadata.attributes_of(0x20000001) == []
    assert metadata.debuggable is None


def test_user_string_is_the_text_itself(metadata: Metadata):
    body = metadata.methods[0].body
    assert body is not None
    operand = next(body.instructions()).operand
    assert metadata.user_string(operand) == "hello"  # type: ignore[arg-type]
    for wrong in (0x06000001, -1):
        with pytest.raises(NoSuchEntryError, match="is not a token of a string"):
            metadata.user_string(wrong)
    with pytest.raises(TypeError, match="a token or an object is wanted"):
        metadata.user_string("hello")  # type: ignore[arg-type]
