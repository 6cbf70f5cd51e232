"""Which variables and members the source declares as `dynamic`: for the runtime they are of type object.

The compiler keeps that beside them (Roslyn: DynamicAttribute, and in the PDB for locals), flattened as the names of
tuple elements are; the first flag is that of the type itself.
"""

from __future__ import annotations

from dap_dotnet.symbols.modules import LoadedModule, ModuleMemo

_ATTRIBUTE = "System.Runtime.CompilerServices.DynamicAttribute"
_LOCAL_VARIABLE = 0x33
_MOST = 5_000


def is_dynamic_local(module: LoadedModule, method: int, il_offset: int, slot: int) -> bool:
    """Whether a local in scope at an IL offset is declared so. False without a PDB."""
    return _LOCALS(module, (method, il_offset, slot))


def is_dynamic_member(module: LoadedModule, token: int) -> bool:
    """Whether a field, a property or a parameter is declared so."""
    return _MEMBERS(module, token)


def _local(module: LoadedModule, place: tuple[int, int, int]) -> bool:
    from portablepdb.blob_reader import BlobReader
    from portablepdb.custom_debug_info import decode_dynamic

    method, il_offset, slot = place
    pdb = module.pdb
    if pdb is None:
        return False
    for scope in pdb.scopes(method):
        if not scope.covers(il_offset):
            continue
        for row_id, (found, _, _) in scope.variable_rows():
            if found == slot:
                value = pdb.custom_value(_LOCAL_VARIABLE << 24 | row_id, "dynamic")
                return value is not None and decode_dynamic(BlobReader(value, 0, pdb.file))[:1] == [True]
    return False


def _member(module: LoadedModule, token: int) -> bool:
    if module.metadata is None:
        return False
    for attribute in module.metadata.attributes_of(token):
        if attribute.type_name == _ATTRIBUTE:
            flags = attribute.fixed_arguments[0].value if attribute.fixed_arguments else ()
            first = next(iter(flags), True) if isinstance(flags, (list, tuple)) else True
            return bool(getattr(first, "value", first))
    return False


_LOCALS = ModuleMemo("dynamic locals", _local, _MOST)
_MEMBERS = ModuleMemo("dynamic members", _member, _MOST)
