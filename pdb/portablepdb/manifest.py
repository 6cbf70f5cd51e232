"""What an assembly says of itself (ECMA-335 II.22.2), and the types that it exports from elsewhere (II.22.14)."""

from __future__ import annotations

from .errors import LimitError
from .handles import TableNumber, Token, row_of, table_of
from .references import AssemblyIdentity, Member

T = TableNumber

_MAX_NESTING = 64
_LONGEST_NAME = 1 << 18


class AssemblyDef(AssemblyIdentity):
    """The assembly itself: its name, version, culture and public key (II.22.2). Assembly is the file that has it."""

    @property
    def public_key(self) -> bytes:
        """The public key; b"" if it has no strong name."""
        return self._metadata.image.blobs[self._row.public_key]

    @property
    def _key(self) -> tuple[bytes, bool]:
        return self.public_key, True


class ExportedType(Member):
    """A type that the assembly offers though another module has it: a forwarded type, mostly (II.22.14)."""

    _flags = "TypeAttributes"

    @property
    def namespace(self) -> str:
        """The namespace; "" if it has none, as nested types usually have."""
        return self._metadata.image.strings[self._row.namespace]

    @property
    def implementation(self) -> Token:
        """Where it is: an AssemblyRef (it is forwarded), the ExportedType around it, or a File."""
        return self._metadata.object_of(self._row.implementation)

    @property
    def full_name(self) -> str:
        """``Ns.Outer+Inner`1``. LimitError where types are nested in a cycle or the name is too long."""
        chain = self._chain()
        outermost = chain[-1]
        if (size := sum(len(type_.name) for type_ in chain)) > _LONGEST_NAME:
            raise LimitError(f"the name of type 0x{self:08x} has {size} characters", file=self._metadata.file)
        name = "+".join(type_.name for type_ in reversed(chain))
        return f"{outermost.namespace}.{name}" if outermost.namespace else name

    @property
    def assembly(self) -> str | None:
        """The simple name of the assembly that it is forwarded to; None for a type of this one's own files."""
        token = self._chain()[-1].row.implementation
        if table_of(token) != T.ASSEMBLY_REF or not row_of(token):
            return None
        return self._metadata.image.strings[self._metadata.row(token, T.ASSEMBLY_REF).name]

    def _chain(self) -> list[ExportedType]:
        """Itself and the types around it."""
        chain = [self]
        while isinstance(outer := chain[-1].implementation, ExportedType):
            chain.append(outer)
            if len(chain) > _MAX_NESTING:
                raise LimitError(f"type 0x{self:08x} nests too deep, or in a cycle", file=self._metadata.file)
        return chain
