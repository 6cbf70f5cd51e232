"""Lambdas: what runs their bodies here, and what the program is given of them."""

from __future__ import annotations

from collections.abc import Callable

from dap_dotnet.errors import EvaluationError
from dap_dotnet.evaluation.binding.bound import Bound, Run
from dap_dotnet.evaluation.binding.branch_types import ShownType
from dap_dotnet.evaluation.binding.name_binder import BodyVariable, NameBinder
from dap_dotnet.evaluation.binding.statements import bind_body
from dap_dotnet.evaluation.environment import Environment
from dap_dotnet.evaluation.operations.lambdas import Lambda, Signature
from dap_dotnet.evaluation.operations.program_code import FunctionSource
from dap_dotnet.evaluation.rules.diagnostics import Diagnostic
from dap_dotnet.evaluation.syntax import tree as syntax
from dap_dotnet.evaluation.syntax.element_names import element_names
from dap_dotnet.evaluation.syntax.statement_tree import Block, needs_program
from dap_dotnet.evaluation.types import csharp_types as types
from dap_dotnet.evaluation.types.csharp_types import Operand, Type


def bind_function(
    binder: NameBinder,
    make_binder: Callable[[Environment], NameBinder],
    node: syntax.Lambda,
    result: Type | None = None,
) -> Bound:
    """A lambda, whose result has a type, None: that of its body. `make_binder`: for code of the program."""
    # Most expressions have no lambda, and most lambdas are not given to the program.
    from dap_dotnet.evaluation.binding.program_code.expressions import program_source

    names = {name for one in node.parameters for name in ((one,) if isinstance(one, str) else one)}
    kinds = tuple(binder.type(kind) if kind is not None else None for kind in node.types)
    declared, local = binder.declared, binder.locals
    binder.declared, binder.locals = declared | names, {name: one for name, one in local.items() if name not in names}
    try:
        body = _body(binder, node, kinds, result)
    finally:
        binder.declared, binder.locals = declared, local
    written = tuple(element_names(kind) if kind is not None else None for kind in node.types)
    signature = Signature(kinds, result, written) if kinds or result is not None else None
    is_block, of_program = isinstance(node.body, Block), node.is_async or needs_program(node.body)

    def capture(env: Environment) -> Operand:
        env.kept.extend(env.slots.values())
        captured = env.slots.copy()
        source = program_source(lambda: make_binder(env), node, captured)
        made = Lambda(
            node.parameters,
            body,
            captured,
            signature,
            changes_parameters=is_block,
            source=source,
            needs_program=of_program,
            at=node.body.at,
        )
        return Operand(types.LAMBDA, made)

    return Bound(capture, types.LAMBDA)


def function_of_program(env: Environment, make_binder: Callable[[], NameBinder], node: syntax.Lambda) -> FunctionSource:
    """What the program can be given of a lambda that is not run here."""
    from dap_dotnet.evaluation.binding.program_code.expressions import program_source

    env.kept.extend(env.slots.values())
    return program_source(make_binder, node, env.slots.copy(), env.receiver)


def _body(binder: NameBinder, node: syntax.Lambda, kinds: tuple[Type | None, ...], result: Type | None) -> Run:
    if node.is_async or needs_program(node.body):
        return _without_program
    if isinstance(node.body, Block):
        return _block(binder, node, node.body, kinds, result)
    if isinstance(node.body, syntax.Collection):
        return _without_target  # where the program is given a delegate, that says the type
    return binder.expression(node.body).run


def _block(
    binder: NameBinder, node: syntax.Lambda, block: Block, kinds: tuple[Type | None, ...], result: Type | None
) -> Run:
    names = [name for name in node.parameters if isinstance(name, str)]
    binder.declared.difference_update(names)
    binder.locals.update(
        (name, BodyVariable(kind)) for name, kind in zip(names, kinds or (None,) * len(names), strict=True)
    )
    return bind_body(binder, block, names, result, ShownType(binder, node))


def _without_target(env: Environment) -> Operand:
    raise Diagnostic("CS9176")


def _without_program(env: Environment) -> Operand:
    raise EvaluationError(
        "An async lambda, or one with try, using or lock, runs in the program: it can be passed only to a "
        "method of the program"
    )
