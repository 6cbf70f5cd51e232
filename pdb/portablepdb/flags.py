"""The flags of metadata, with the specification's names (ECMA-335 II.23.1, II.25; Portable PDB 1.0).

Some bits are one value together, as the access of a method: those of a mask. PUBLIC is 6 there, ASSEMBLY 3; they are
no sum of others. ``MethodAttributes.PUBLIC in flags`` compares what is in the mask, and a value is shown by its name.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import EnumMeta, IntFlag


class _AllNames(EnumMeta):
    """dir() of the class has the values of masks, too, which Python takes for names of sums."""

    def __dir__(cls) -> list[str]:
        return sorted({*super().__dir__(), *cls.__members__})


class _Flags(IntFlag, metaclass=_AllNames):
    """Single bits, and values of several bits within masks (the members called ``..._MASK``)."""

    def __contains__(self, other: object) -> bool:
        """Whether it has a bit, or the value of a mask: PUBLIC is not in an ASSEMBLY one, though it has its bits."""
        if not isinstance(other, type(self)):
            raise TypeError(f"a {type(self).__name__} is wanted, not {type(other).__name__}")
        wanted, own = int(other), int(self)
        if not wanted:
            return type(self)._name_of_zero() is None or not own & type(self)._zero_mask()
        return own & wanted == wanted and all(
            own & mask == wanted & mask for mask in type(self)._masks() if wanted & mask
        )

    def __iter__(self) -> Iterator[_Flags]:
        """The value of each mask that is not 0, then the single bits."""
        left = int(self)
        for mask in type(self)._masks():
            if left & mask:
                yield type(self)(left & mask)
                left &= ~mask
        while left > 0:
            bit = left & -left
            yield type(self)(bit)
            left ^= bit

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __repr__(self) -> str:
        return f"<{self}: {int(self)}>"

    def __str__(self) -> str:
        return f"{type(self).__name__}.{self._words()}"

    def __format__(self, spec: str) -> str:
        return int(self).__format__(spec) if spec else str(self)

    def _words(self) -> str:
        names: dict[int, str] = {}
        for name, member in type(self).__members__.items():
            names.setdefault(int(member), name)  # a mask comes after its values
        if not int(self):
            return names.get(0, "0")
        return "|".join(names.get(int(part), hex(part)) for part in self)

    @classmethod
    def _masks(cls) -> list[int]:
        return [int(member) for name, member in cls.__members__.items() if name.endswith("_MASK")]

    @classmethod
    def _name_of_zero(cls) -> str | None:
        return next((name for name, member in cls.__members__.items() if not int(member)), None)

    @classmethod
    def _zero_mask(cls) -> int:
        """The bits that are all 0 where the member of the value 0 holds: of the one mask, or all that there are."""
        masks = cls._masks()
        return masks[0] if masks else -1


class TypeAttributes(_Flags):
    """Flags of a TypeDef or ExportedType (II.23.1.15). The lowest three bits are one value, the visibility."""

    NOT_PUBLIC = 0x0
    PUBLIC = 0x1
    NESTED_PUBLIC = 0x2
    NESTED_PRIVATE = 0x3
    NESTED_FAMILY = 0x4
    NESTED_ASSEMBLY = 0x5
    NESTED_FAM_AND_ASSEM = 0x6
    NESTED_FAM_OR_ASSEM = 0x7
    VISIBILITY_MASK = 0x7
    SEQUENTIAL_LAYOUT = 0x8
    EXPLICIT_LAYOUT = 0x10
    INTERFACE = 0x20
    ABSTRACT = 0x80
    SEALED = 0x100
    SPECIAL_NAME = 0x400
    RT_SPECIAL_NAME = 0x800
    IMPORT = 0x1000
    SERIALIZABLE = 0x2000
    WINDOWS_RUNTIME = 0x4000
    UNICODE_CLASS = 0x10000
    AUTO_CLASS = 0x20000
    HAS_SECURITY = 0x40000
    BEFORE_FIELD_INIT = 0x100000
    IS_TYPE_FORWARDER = 0x200000


class FieldAttributes(_Flags):
    """Flags of a Field (II.23.1.5). The lowest three bits are one value, the access."""

    COMPILER_CONTROLLED = 0x0
    PRIVATE = 0x1
    FAM_AND_ASSEM = 0x2
    ASSEMBLY = 0x3
    FAMILY = 0x4
    FAM_OR_ASSEM = 0x5
    PUBLIC = 0x6
    ACCESS_MASK = 0x7
    STATIC = 0x10
    INIT_ONLY = 0x20
    LITERAL = 0x40
    NOT_SERIALIZED = 0x80
    HAS_FIELD_RVA = 0x100
    SPECIAL_NAME = 0x200
    RT_SPECIAL_NAME = 0x400
    HAS_FIELD_MARSHAL = 0x1000
    PINVOKE_IMPL = 0x2000
    HAS_DEFAULT = 0x8000


class MethodAttributes(_Flags):
    """Flags of a MethodDef (II.23.1.10). The lowest three bits are one value, the access."""

    COMPILER_CONTROLLED = 0x0
    PRIVATE = 0x1
    FAM_AND_ASSEM = 0x2
    ASSEMBLY = 0x3
    FAMILY = 0x4
    FAM_OR_ASSEM = 0x5
    PUBLIC = 0x6
    ACCESS_MASK = 0x7
    UNMANAGED_EXPORT = 0x8
    STATIC = 0x10
    FINAL = 0x20
    VIRTUAL = 0x40
    HIDE_BY_SIG = 0x80
    NEW_SLOT = 0x100
    STRICT = 0x200
    ABSTRACT = 0x400
    SPECIAL_NAME = 0x800
    RT_SPECIAL_NAME = 0x1000
    PINVOKE_IMPL = 0x2000
    HAS_SECURITY = 0x4000
    REQUIRE_SEC_OBJECT = 0x8000


class MethodImplAttributes(_Flags):
    """Implementation flags of a MethodDef (II.23.1.11). The lowest two bits are one value, the kind of code."""

    IL = 0x0
    NATIVE = 0x1
    OPTIL = 0x2
    RUNTIME = 0x3
    CODE_TYPE_MASK = 0x3
    UNMANAGED = 0x4
    NO_INLINING = 0x8
    FORWARD_REF = 0x10
    SYNCHRONIZED = 0x20
    NO_OPTIMIZATION = 0x40
    PRESERVE_SIG = 0x80
    AGGRESSIVE_INLINING = 0x100
    AGGRESSIVE_OPTIMIZATION = 0x200
    INTERNAL_CALL = 0x1000


class PInvokeAttributes(_Flags):
    """Flags of an ImplMap (II.23.1.8). CHAR_SET_MASK and CALL_CONV_MASK have one value each."""

    NO_MANGLE = 0x1
    CHAR_SET_ANSI = 0x2
    CHAR_SET_UNICODE = 0x4
    CHAR_SET_AUTO = 0x6
    CHAR_SET_MASK = 0x6
    BEST_FIT_ENABLED = 0x10
    BEST_FIT_DISABLED = 0x20
    SUPPORTS_LAST_ERROR = 0x40
    CALL_CONV_PLATFORM_API = 0x100
    CALL_CONV_CDECL = 0x200
    CALL_CONV_STDCALL = 0x300
    CALL_CONV_THISCALL = 0x400
    CALL_CONV_FASTCALL = 0x500
    CALL_CONV_MASK = 0x700
    THROW_ON_UNMAPPABLE_CHAR_ENABLED = 0x1000
    THROW_ON_UNMAPPABLE_CHAR_DISABLED = 0x2000


class ParamAttributes(_Flags):
    """Flags of a Param (II.23.1.13)."""

    IN = 0x1
    OUT = 0x2
    OPTIONAL = 0x10
    HAS_DEFAULT = 0x1000
    HAS_FIELD_MARSHAL = 0x2000


class PropertyAttributes(_Flags):
    """Flags of a Property (II.23.1.14)."""

    SPECIAL_NAME = 0x200
    RT_SPECIAL_NAME = 0x400
    HAS_DEFAULT = 0x1000


class EventAttributes(_Flags):
    """Flags of an Event (II.23.1.4)."""

    SPECIAL_NAME = 0x200
    RT_SPECIAL_NAME = 0x400


class GenericParamAttributes(_Flags):
    """Flags of a GenericParam (II.23.1.7). The lowest two bits are one value, the variance."""

    COVARIANT = 0x1
    CONTRAVARIANT = 0x2
    VARIANCE_MASK = 0x3
    REFERENCE_TYPE_CONSTRAINT = 0x4
    NOT_NULLABLE_VALUE_TYPE_CONSTRAINT = 0x8
    DEFAULT_CONSTRUCTOR_CONSTRAINT = 0x10
    ALLOW_BY_REF_LIKE = 0x20


class MethodSemanticsAttributes(_Flags):
    """What a method is to a property or event (II.23.1.12)."""

    SETTER = 0x1
    GETTER = 0x2
    OTHER = 0x4
    ADD_ON = 0x8
    REMOVE_ON = 0x10
    FIRE = 0x20


class AssemblyFlags(_Flags):
    """Flags of an Assembly or AssemblyRef (II.23.1.2)."""

    PUBLIC_KEY = 0x1
    RETARGETABLE = 0x100
    WINDOWS_RUNTIME = 0x200
    DISABLE_JIT_COMPILE_OPTIMIZER = 0x4000
    ENABLE_JIT_COMPILE_TRACKING = 0x8000


class ManifestResourceAttributes(_Flags):
    """Flags of a ManifestResource (II.23.1.9): one value."""

    PUBLIC = 0x1
    PRIVATE = 0x2


class FileAttributes(_Flags):
    """Flags of a File (II.23.1.6): one value."""

    CONTAINS_METADATA = 0x0
    CONTAINS_NO_METADATA = 0x1


class CorFlags(_Flags):
    """Flags of the CLI header (II.25.3.3.1)."""

    IL_ONLY = 0x1
    REQUIRES_32_BIT = 0x2
    IL_LIBRARY = 0x4
    STRONG_NAME_SIGNED = 0x8
    NATIVE_ENTRY_POINT = 0x10
    TRACK_DEBUG_DATA = 0x10000
    PREFERS_32_BIT = 0x20000


class LocalVariableAttributes(_Flags):
    """Flags of a LocalVariable (Portable PDB 1.0, table 0x33)."""

    DEBUGGER_HIDDEN = 0x1
