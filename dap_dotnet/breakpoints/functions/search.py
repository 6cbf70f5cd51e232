"""From the name of a function to its methods in a module."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from dap_dotnet.breakpoints.functions.candidate_rows import candidate_rows, may_have
from dap_dotnet.breakpoints.functions.names import FunctionPattern, suffix_matches
from dap_dotnet.breakpoints.functions.spellings import spellings
from dap_dotnet.breakpoints.functions.type_texts import TypeText, TypeTextError, matches, parse_types
from dap_dotnet.runtime.model import MethodToken
from dap_dotnet.symbols.modules import LoadedModule

if TYPE_CHECKING:
    from portablepdb import Metadata
    from portablepdb.members import Method

_METHOD_DEF = 0x06000000
_IL_CODE = 0x3


class FoundFunction(NamedTuple):
    """A method that a name means."""

    method: MethodToken
    has_code: bool
    """False: abstract, extern, or made by the runtime."""


class Search(NamedTuple):
    """What a module has for a name. `near` are methods of the name with other parameter types."""

    found: list[FoundFunction]
    near: list[MethodToken]


def is_searched(pattern: FunctionPattern, module: LoadedModule) -> bool:
    """Whether a name is looked up in a module: a method's name alone is, only where there are symbols.

    Not in dynamic ones, whose methods have no code that can be looked at.
    """
    if module.metadata is None or module.info.is_dynamic:
        return False
    if pattern.module is not None:
        names = {module.name.lower(), module.name.lower().rpartition(".")[0]}
        if module.metadata.assembly_name is not None:
            names.add(module.metadata.assembly_name.lower())
        return pattern.module in names
    return not pattern.is_bare or module.pdb is not None


def search(pattern: FunctionPattern, metadata: Metadata) -> Search:
    """The methods of a module that a name means, in the order of the MethodDef table."""
    from portablepdb import PortablePdbError

    result = Search([], [])
    if not may_have(pattern, metadata):
        return result
    wildcard = pattern.wildcard() if pattern.has_wildcard else None
    for row_id in candidate_rows(pattern, metadata):
        try:
            method = metadata.method(_METHOD_DEF | row_id)
            if not _is_near(pattern, metadata, method):
                continue
            written = spellings(metadata, method)
            if not any(suffix_matches(pattern, spelling, wildcard) for spelling in written):
                continue
            token = MethodToken(method.token)
            if not _signature_matches(pattern, metadata, method):
                result.near.append(token)
            else:
                has_code = bool(method.rva) and not method.impl_flags & _IL_CODE
                result.found.append(FoundFunction(token, has_code))
        except PortablePdbError:
            continue  # damaged metadata of one method is not what the user asked about
    return result


def _is_near(pattern: FunctionPattern, metadata: Metadata, method: Method) -> bool:
    """A quick look: the part before the last is in the name of the type or of the method, or it cannot match."""
    if len(pattern.segments) < 2 or pattern.segments[-2].name in ("this", "Main"):
        return True
    before = pattern.segments[-2].name
    return before in metadata.type_name(method.declaring_type) or before in method.name


def _signature_matches(pattern: FunctionPattern, metadata: Metadata, method: Method) -> bool:
    if pattern.parameters is None and pattern.return_type is None:
        return True
    from portablepdb.type_display import type_signature_display

    type_names = [parameter.name for parameter in metadata.generic_parameters_of(method.declaring_type)]
    method_names = [parameter.name for parameter in method.generic_parameters]
    signature = method.signature
    names = dict(_written_names(pattern, type_names, method_names))
    wanted: list[TypeText] = []
    types = []
    if pattern.return_type is not None:
        wanted.append(pattern.return_type)
        types.append(signature.return_type)
    if pattern.parameters is not None:
        wanted += pattern.parameters
        types += signature.parameters
    if method.name.rpartition(".")[2].startswith("set_") and len(wanted) == len(types) - 1:
        types.pop()  # the value: it does not stand in this[int]
    shown = [type_signature_display(metadata, type_, type_names, method_names) for type_ in types]
    shown = [text for text in shown if "<>c__DisplayClass" not in text]  # what a local function captures
    try:
        actual = [one for text in shown for one in parse_types(text)]
    except TypeTextError:
        return False  # a function pointer: it cannot be written in a pattern
    return matches(wanted, actual, names)


def _written_names(
    pattern: FunctionPattern, type_names: list[str], method_names: list[str]
) -> Iterator[tuple[str, TypeText]]:
    """Generic parameters by name with what the pattern has in their place: T and int for ``List<int>.Add(int)``."""
    yield from zip(method_names, pattern.method.arguments, strict=False)
    written = [argument for segment in pattern.segments[:-1] for argument in segment.arguments]
    if written:
        yield from zip(type_names[-len(written) :], written, strict=False)
