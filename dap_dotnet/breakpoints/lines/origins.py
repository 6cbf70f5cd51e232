"""Which of the user's methods a method of the program was made from, by the names that compilers give. Pure."""

from __future__ import annotations

from typing import NamedTuple


class Origin(NamedTuple):
    """Which of the user's methods a method was made from.

    `name` is that method's name; None where the compiler's names do not say. `is_generated`: a lambda or local
    function, which stands within that method. `state_machine`: the simple name of the type that has its body, which may
    be in several methods; empty where there is none.
    """

    name: str | None
    is_generated: bool
    state_machine: str = ""


def origin_of(method_name: str, type_name: str) -> Origin:
    """Which of the user's methods a method was made from, by its name and the simple name of its type.

    Roslyn writes ``<Outer>b__0`` for lambdas, ``<Outer>g__Local|0_0`` for local functions, and puts the body of an
    async method or iterator into MoveNext of ``<Outer>d__0``; in Visual Basic it is ``_Lambda$__0-1`` and
    ``VB$StateMachine_1_Outer``. An iterator's `finally` is ``<>m__Finally1`` beside its MoveNext. F# makes a class or
    method with an ``@`` in its name of each closure.
    """
    is_finally = method_name.startswith("<>m__Finally")
    if method_name.startswith("<") and not method_name.startswith("<Main>$") and not is_finally:
        return Origin(_outermost(method_name), True)
    if method_name == "MoveNext" or method_name.endswith(".MoveNext") or is_finally:
        if type_name.startswith("VB$StateMachine_"):
            outer = type_name.split("_", 2)[-1]
            is_lambda = outer.startswith("_Lambda$")
            return Origin(None if is_lambda else outer, is_lambda, type_name)
        if type_name.startswith("<"):
            inner = type_name[1:].rpartition(">d")[0]
            is_generated = inner.startswith("<") and not inner.startswith("<Main>$")
            return Origin(_outermost(type_name), is_generated, type_name)
    if (
        method_name.startswith("_Lambda$")
        or type_name.startswith(("_Closure$", "VB$"))
        or "@" in type_name + method_name
    ):
        return Origin(None, True)
    return Origin(method_name, False)


def _outermost(name: str) -> str:
    """``M`` of ``<M>b__0`` and of ``<<M>g__Local|0_0>d``; ``<Main>$`` of ``<<Main>$>b__0``."""
    if name.startswith(("<<Main>$>", "<<<Main>$>")):
        return "<Main>$"
    return name.lstrip("<").partition(">")[0]
