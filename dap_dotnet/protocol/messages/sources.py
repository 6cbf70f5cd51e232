"""Sources and modules."""

from typing import Annotated, Any, Literal

from dap_dotnet.protocol.messages.base import NEEDED, WireModel

ChecksumAlgorithm = Literal["MD5", "SHA1", "SHA256", "timestamp"]


class Checksum(WireModel):
    """Checksum of a source, in hexadecimal digits."""

    algorithm: ChecksumAlgorithm
    checksum: str


class Source(WireModel):
    """A source file: a `path`, or a `source_reference` above 0 whose text the `source` request gives."""

    name: str | None = None
    path: Annotated[str | None, NEEDED] = None
    source_reference: int | None = None
    presentation_hint: Literal["normal", "emphasize", "deemphasize"] | None = None
    origin: str | None = None
    sources: "list[Source] | None" = None
    adapter_data: Any = None
    checksums: list[Checksum] | None = None


class SourceArguments(WireModel):
    """The text of a source: by its number, or where that is 0 by what `source` says."""

    source: Source | None = None
    source_reference: int


class SourceResponseBody(WireModel):
    """The text."""

    content: str
    mime_type: str | None = None


class LoadedSourcesResponseBody(WireModel):
    """All sources known now."""

    sources: list[Source]


class Module(WireModel):
    """A loaded module (assembly)."""

    id: int | str
    name: str
    path: str | None = None
    is_optimized: bool | None = None
    is_user_code: bool | None = None
    version: str | None = None
    symbol_status: str | None = None
    symbol_file_path: str | None = None
    date_time_stamp: str | None = None
    address_range: str | None = None


class ModulesArguments(WireModel):
    """A page of modules; `module_count` 0 or None means all from `start_module`."""

    start_module: Annotated[int | None, NEEDED] = None
    module_count: int | None = None


class ModulesResponseBody(WireModel):
    """A page of modules."""

    modules: list[Module]
    total_modules: int | None = None


class ModuleEventBody(WireModel):
    """A module came, went or changed."""

    reason: Literal["new", "changed", "removed"]
    module: Module
