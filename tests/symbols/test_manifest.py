"""The assembly itself, the types that it exports from elsewhere, and what it imports by P/Invoke. Needs no .NET."""

from __future__ import annotations

import pytest

from portablepdb import AssemblyDef, ExportedType, File, LimitError, NoSuchEntryError, PInvokeImport
from portablepdb.flags import AssemblyFlags, FileAttributes, PInvokeAttributes, TypeAttributes
from portablepdb.tables_ecma import AssemblyRefRow, AssemblyRow, ExportedTypeRow, FileRow, ImplMapRow, ModuleRefRow

from .assembly_maker import AssemblyMaker

# The standard public key and its token (ECMA-335 II.6.2.1.3): what every tool prints for System.
ECMA_KEY = bytes(8) + b"\4" + bytes(7)
ECMA_TOKEN = "b77a5c561934e089"


def test_assembly_says_its_name_version_culture_and_key():
    maker = AssemblyMaker()
    string = maker.heaps.string
    maker.tables[0x20] = [
        AssemblyRow(0x8004, 1, 2, 3, 65535, 1, maker.heaps.blob(ECMA_KEY), string("Own"), string("de"))
    ]
    found = maker.metadata().assembly_def
    assert isinstance(found, AssemblyDef)
    assert (found, found.name, found.version, found.culture) == (0x20000001, "Own", (1, 2, 3, 65535), "de")
    assert (found.public_key, found.public_key_token.hex()) == (ECMA_KEY, ECMA_TOKEN)
    assert found.flags == AssemblyFlags.PUBLIC_KEY
    assert maker.metadata().entity(0x20000001) == found


def test_assembly_without_a_strong_name_has_no_token_and_a_module_no_assembly():
    maker = AssemblyMaker("plain")
    found = maker.metadata().assembly_def
    assert found is not None
    assert (found.name, found.culture, found.public_key, found.public_key_token) == ("plain", "", b"", b"")
    del maker.tables[0x20]
    assert maker.metadata().assembly_def is None


@pytest.mark.parametrize(("flags", "key"), [(1, ECMA_KEY), (0, bytes.fromhex(ECMA_TOKEN))], ids=["key", "token"])
def test_reference_has_the_token_whether_it_is_written_or_the_key(flags: int, key: bytes):
    maker = AssemblyMaker()
    maker.add(0x23, AssemblyRefRow(4, 0, 0, 0, flags, maker.heaps.blob(key), maker.heaps.string("System"), 0, 0))
    (reference,) = maker.metadata().assembly_refs
    assert reference.public_key_token.hex() == ECMA_TOKEN
    assert reference.public_key_or_token == key


def test_exported_types_say_where_they_are():
    maker = AssemblyMaker()
    string = maker.heaps.string
    elsewhere = maker.assembly_ref("Elsewhere")
    maker.add(0x27, ExportedTypeRow(0x200000, 0, string("Outer`1"), string("N.P"), elsewhere))
    maker.add(0x27, ExportedTypeRow(0, 0, string("Inner"), 0, 0x27000001))
    maker.add(0x27, ExportedTypeRow(1, 0, string("InFile"), 0, 0x26000001))
    maker.add(0x26, FileRow(0, string("other.netmodule"), maker.heaps.blob(b"hash")))
    metadata = maker.metadata()
    outer, inner, in_file = metadata.exported_types
    assert [type_.full_name for type_ in metadata.exported_types] == ["N.P.Outer`1", "N.P.Outer`1+Inner", "InFile"]
    assert [type_.assembly for type_ in metadata.exported_types] == ["Elsewhere", "Elsewhere", None]
    assert (outer.namespace, outer.flags) == ("N.P", TypeAttributes.IS_TYPE_FORWARDER)
    assert outer.implementation == metadata.assembly_refs[0]
    assert isinstance(inner.implementation, ExportedType)
    assert isinstance(in_file.implementation, File)
    assert in_file.implementation == metadata.files[0]
    assert (in_file.implementation.name, in_file.implementation.hash) == ("other.netmodule", b"hash")
    assert in_file.implementation.flags == FileAttributes.CONTAINS_METADATA
    assert [metadata.display(type_) for type_ in metadata.exported_types] == ["N.P.Outer", "N.P.Outer.Inner", "InFile"]
    assert metadata.display(0x26000001) == "other.netmodule"
    assert metadata.entity(0x27000002) == inner


def test_exported_types_nested_in_a_cycle_are_a_limit_error():
    maker = AssemblyMaker()
    maker.add(0x27, ExportedTypeRow(0, 0, maker.heaps.string("T"), 0, 0x27000001))
    (found,) = maker.metadata().exported_types
    with pytest.raises(LimitError, match="cycle"):
        _ = found.full_name
    with pytest.raises(LimitError, match="cycle"):
        _ = found.assembly


def test_native_functions_are_known_by_their_methods():
    maker = AssemblyMaker()
    string = maker.heaps.string
    maker.type("Native")
    managed = maker.method("Managed", b"\0\0\1")
    beep = maker.method("Beep", b"\0\0\1", flags=0x2016)
    library = maker.add(0x1A, ModuleRefRow(string("user32.dll")))
    maker.add(0x1C, ImplMapRow(0x345, beep, string("MessageBeep"), library))
    metadata = maker.metadata()
    (found,) = metadata.pinvoke_imports
    assert isinstance(found, PInvokeImport)
    assert (found.name, found.library.name, found.member) == ("MessageBeep", "user32.dll", beep)
    assert found.flags == (
        PInvokeAttributes.NO_MANGLE
        | PInvokeAttributes.CHAR_SET_UNICODE
        | PInvokeAttributes.SUPPORTS_LAST_ERROR
        | PInvokeAttributes.CALL_CONV_STDCALL
    )
    assert metadata.display(found) == "user32.dll!MessageBeep"
    assert metadata.method(beep).pinvoke_import == found
    assert metadata.method(managed).pinvoke_import is None


def test_native_function_of_no_library_says_so():
    maker = AssemblyMaker()
    maker.type("Native")
    method = maker.method("M", b"\0\0\1")
    maker.add(0x1C, ImplMapRow(0, method, maker.heaps.string("f"), 0))
    with pytest.raises(NoSuchEntryError):
        _ = maker.metadata().pinvoke_imports[0].library
