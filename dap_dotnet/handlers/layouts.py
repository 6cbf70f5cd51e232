"""`dap-dotnet/typeLayout`, a request of our own: where the fields of a type are in memory."""

from __future__ import annotations

import re
from collections.abc import Sequence

from dap_dotnet.errors import RuntimeCallError, UserError
from dap_dotnet.handlers.variables import context_of
from dap_dotnet.protocol.messages.layouts import FieldPlace, TypeLayoutArguments, TypeLayoutResponseBody
from dap_dotnet.runtime.model import ElementType, FieldLayout, TypeId
from dap_dotnet.session.session import Session
from dap_dotnet.symbols.types import members
from dap_dotnet.values.context import FrameContext
from dap_dotnet.values.members import hierarchy
from dap_dotnet.values.type_sizes import field_size, value_size
from dap_dotnet.values.typenames import shown_type_name

_PARAMETER = re.compile(r"!(\d+)")
"""A type parameter of the declaring type, as signatures have it."""


def type_layout(session: Session, arguments: TypeLayoutArguments) -> TypeLayoutResponseBody:
    """The layout of a type by its name, or of an expression's value. Runs no code of the program."""
    from dap_dotnet.evaluation.evaluator import type_meant

    debuggee = session.need_stopped()
    context = context_of(session, arguments.frame_id)
    wanted = type_meant(arguments.expression, context)
    name = shown_type_name(context.program, wanted)
    try:
        layout = debuggee.type_layout(wanted)
    except RuntimeCallError as error:
        raise UserError(
            f"The runtime has no layout of {name}: it has not loaded the type yet, or there is none, as of pointers, "
            "and up to .NET 8 of structures of generic structures."
        ) from error
    is_value_type = debuggee.type_info(wanted).element_type is ElementType.VALUETYPE
    fields = _fields(context, wanted, layout.fields)
    if not is_value_type and layout.element_size is None:
        for declaring, _ in hierarchy(context.program, wanted)[1:]:
            fields += _fields(context, declaring, debuggee.type_layout(declaring).fields)
    return TypeLayoutResponseBody(
        type=name,
        is_value_type=is_value_type,
        object_size=layout.object_size,
        value_size=value_size(context.program, wanted, layout),
        fields=sorted(fields, key=lambda field: field.offset),
        first_element_offset=layout.first_element_offset,
        element_size=layout.element_size,
    )


def _fields(context: FrameContext, declaring: TypeId, places: Sequence[FieldLayout]) -> list[FieldPlace]:
    info = context.program.debuggee.type_info(declaring)
    module = context.program.modules.get(info.module)
    known = {field.token: field for field in members(module, info.token).fields}
    metadata = module.metadata if module is not None else None
    owner = shown_type_name(context.program, declaring)
    arguments = {str(place): shown_type_name(context.program, one) for place, one in enumerate(info.arguments)}
    found = []
    for place in places:
        field = known.get(place.field)
        if field is None or metadata is None:  # added while the program runs: its metadata is not in the file
            name, kind = f"0x{place.field:08x}", "?"
        else:
            name, kind = field.shown_name, metadata.display_type(metadata.field(field.token).signature)
            kind = _PARAMETER.sub(lambda match: arguments.get(match[1], match[0]), kind)
        found.append(
            FieldPlace(
                name=name, type=kind, offset=place.offset, size=field_size(context.program, place), declared_by=owner
            )
        )
    return found
