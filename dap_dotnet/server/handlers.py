"""The table of requests: which function answers what, and which capabilities follow from that."""

from __future__ import annotations

import importlib
import typing
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pydantic import BaseModel

from dap_dotnet.errors import InternalError
from dap_dotnet.protocol.messages.base import WireModel
from dap_dotnet.protocol.messages.initialize import CAPABILITY_OF_COMMAND, Capabilities
from dap_dotnet.server.arguments import parse_arguments


@dataclass(frozen=True, slots=True)
class HandlerSpec:
    """A handler that is imported when its request comes for the first time.

    `target` is ``package.module:function``. The function takes the session and, if it has a second parameter, the
    arguments, whose model is that parameter's annotation (it must be importable at run time, not only for type
    checkers). It returns the response's body (None for none), or `DEFERRED`, or raises a `DapDotnetError`.

    `capabilities` are the members of `Capabilities` (snake_case) that hold because of this handler, besides the one
    that follows from the command.
    """

    target: str
    capabilities: Mapping[str, Any] = field(default_factory=dict)
    only_reads: bool = False
    """Whether it reads what the client is shown, which may be the past."""


class Handler:
    """A resolved handler."""

    def __init__(self, command: str, function: Callable[..., Any], *, only_reads: bool = False) -> None:
        self.only_reads = only_reads
        self._command = command
        self._function = function
        self._model = arguments_model(function)

    def prepare(self) -> None:
        """Build the validators and serializers of the handler's models, which otherwise happens at their first use."""
        for model in (self._model, *response_models(self._function)):
            if model is not None:
                model.model_rebuild()

    def parse(self, arguments: Any) -> WireModel | None:
        """Validate the arguments of a request, as `parse_arguments` does; None when the handler takes none."""
        return None if self._model is None else parse_arguments(self._model, self._command, arguments)

    def call(self, session: Any, arguments: WireModel | None) -> Any:
        """Run the handler."""
        return self._function(session) if self._model is None else self._function(session, arguments)


class HandlerTable:
    """All handlers. Session thread only."""

    def __init__(self, specs: Mapping[str, HandlerSpec], usual: Sequence[str] = ()) -> None:
        """`usual`: the commands that `prepare_next` prepares for, in this order."""
        self._specs = dict(specs)
        self._resolved: dict[str, Handler] = {}
        self._to_prepare = list(reversed(usual))

    def get(self, command: str) -> Handler | None:
        """The handler of a command, imported now if need be; None when there is none."""
        handler = self._resolved.get(command)
        if handler is None and command in self._specs:
            spec = self._specs[command]
            module_name, _, function_name = spec.target.partition(":")
            function = getattr(importlib.import_module(module_name), function_name)
            handler = Handler(command, function, only_reads=spec.only_reads)
            self._resolved[command] = handler
        return handler

    @property
    def has_unprepared(self) -> bool:
        """Whether `prepare_next` has something to do."""
        return bool(self._to_prepare)

    def prepare_next(self) -> None:
        """Import the next usual handler, which may not have been needed yet, and build its models."""
        if self._to_prepare:
            handler = self.get(self._to_prepare.pop())
            if handler is not None:
                handler.prepare()

    def capabilities(self) -> Capabilities:
        """What the handlers make possible. Raises `InternalError` for a declared name that `Capabilities` lacks."""
        flags: dict[str, Any] = {}
        for command, spec in self._specs.items():
            if command in CAPABILITY_OF_COMMAND:
                flags[CAPABILITY_OF_COMMAND[command]] = True
            flags.update(spec.capabilities)
        flags[CAPABILITY_OF_COMMAND["cancel"]] = True
        unknown = flags.keys() - Capabilities.model_fields.keys()
        if unknown:
            raise InternalError(f"The protocol has no capability {', '.join(sorted(unknown))}.")
        return Capabilities(**flags)


def response_models(function: Callable[..., Any]) -> list[type[BaseModel]]:
    """The models among the alternatives of the return annotation."""
    annotation = function.__annotations__.get("return")
    if isinstance(annotation, str):
        annotation = eval(annotation, function.__globals__)
    alternatives = typing.get_args(annotation) or (annotation,)
    return [model for model in alternatives if isinstance(model, type) and issubclass(model, BaseModel)]


def arguments_model(function: Callable[..., Any]) -> type[WireModel] | None:
    """The model in the annotation of the second parameter; None when there is no second parameter."""
    code = function.__code__
    if code.co_argcount < 2:
        return None
    annotation = function.__annotations__[code.co_varnames[1]]
    if isinstance(annotation, str):
        # Only this one is evaluated: the others may name what is imported for type checkers alone.
        annotation = eval(annotation, function.__globals__)
    if not (isinstance(annotation, type) and issubclass(annotation, WireModel)):
        raise InternalError(f"{function.__qualname__}: the second parameter must be annotated with a message model.")
    return annotation
