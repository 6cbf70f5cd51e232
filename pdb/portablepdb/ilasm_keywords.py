"""The words that ilasm takes for itself: an identifier equal to one is quoted (ECMA-335 II.5.3, VI.C.1)."""

from __future__ import annotations

from .opcodes import OPCODES

_DIRECTIVE_WORDS = """
abstract algorithm alignment amd64 ansi any arm array as assembly assert at auto autochar beforefieldinit blob
blob_object bool bstr byreflike byte bytearray byvalstr callmostderived carray catch cdecl cf char cil class clsid
const currency custom date decimal default demand deny disablejitoptimizer endmac enum error explicit extends extern
false famandassem family famorassem fastcall fault field filetime filter final finally fixed float float32 float64
forwardref fromunmanaged handler hidebysig hresult idispatch il illegal implements implicitcom implicitres import in
inf inheritcheck init initonly instance int int16 int32 int64 int8 interface internalcall iunknown lasterr lcid
linkcheck literal localloc lpstr lpstruct lptstr lpvoid lpwstr managed marshal method modopt modreq module mta nan
native nested newslot noappdomain noinlining nomachine nomangle nometadata noncasdemand noncasinheritance
noncaslinkdemand noprocess not not_in_gc_heap notremotable notserialized null nullref object objectref off on opt
optil out permitonly pinned pinvokeimpl platformapi prejitdeny prejitgrant preservesig private privatescope property
protected public record refany reqmin reqopt reqrefuse reqsecobj request retval rtspecialname runtime safearray sealed
sequential serializable special specialname static stdcall storage stored_object stream streamed_object strict string
struct sta synchronized syschar sysstring tbstr thiscall tls to true type typedref uint uint16 uint32 uint64 uint8
unicode unmanaged unmanagedexp unsafe unsigned unused userdefined utf8 value valuetype vararg variant vector virtual
void wchar winapi with wrapper
"""

KEYWORDS = frozenset(_DIRECTIVE_WORDS.split()) | {op.name for op in OPCODES.values() if op.name.isalnum()}
"""The words of directives and types, and the opcodes without a dot in their names."""
