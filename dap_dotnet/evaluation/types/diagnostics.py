"""Errors in the compiler's words, so that clients and users recognise them."""

from __future__ import annotations

from dap_dotnet.errors import EvaluationError
from dap_dotnet.evaluation.numbers import numeric
from dap_dotnet.evaluation.types.csharp_types import Kind, Type
from dap_dotnet.runtime.model import ElementType


def no_operator(operator: str, left: Type, right: Type | None = None) -> EvaluationError:
    """CS0019, CS0023, CS0034 and CS8310."""
    if operator in ("+", "-", "++", "--") and _steps_pointer(left, right):
        return EvaluationError("Pointers are not computed with here: p[1] is the element after the one at p")
    if left.kind is Kind.DEFAULT and (right is None or right.kind is Kind.DEFAULT):
        if operator in ("==", "!="):
            return EvaluationError(
                f"error CS8315: Operator '{operator}' is ambiguous on operands 'default' and 'default'"
            )
        return EvaluationError(f"error CS8310: Operator '{operator}' cannot be applied to operand 'default'")
    if right is not None and Kind.DEFAULT in (left.kind, right.kind):
        return EvaluationError(f"error CS8310: Operator '{operator}' cannot be applied to operand 'default'")
    if right is None and left.kind is Kind.NULL:
        return EvaluationError(f"error CS8310: Operator '{operator}' cannot be applied to operand '<null>'")
    if right is None:
        return EvaluationError(
            f"error CS0023: Operator '{operator}' cannot be applied to operand of type '{left.name}'"
        )
    both_null = left.kind is right.kind is Kind.NULL and operator in ("+", "&", "|", "^")
    if both_null or (operator not in ("&", "|", "^", "<<", ">>", ">>>") and _is_ambiguous(left, right)):
        return EvaluationError(
            f"error CS0034: Operator '{operator}' is ambiguous on operands of type '{left.name}' and '{right.name}'"
        )
    return EvaluationError(
        f"error CS0019: Operator '{operator}' cannot be applied to operands of type '{left.name}' and '{right.name}'"
    )


def _steps_pointer(left: Type, right: Type | None) -> bool:
    """Whether C# has the operator for a pointer, except of void."""
    kinds = [kind for kind in (left, right) if kind is not None]
    if any(kind.kind is Kind.POINTER and kind.element.code is ElementType.VOID for kind in kinds):
        return False
    are_numbers = all(kind.kind is Kind.POINTER or kind.code in numeric.BITS for kind in kinds)
    return are_numbers and any(kind.kind is Kind.POINTER for kind in kinds)


def _is_ambiguous(left: Type, right: Type) -> bool:
    """Whether a number that no signed integer type takes meets a signed one."""
    kinds = [kind.element if kind.kind is Kind.NULLABLE else kind for kind in (left, right)]
    if any(kind.kind is not Kind.NUMBER for kind in kinds):
        return False
    codes = {kind.code for kind in kinds}
    return bool(codes & _WIDEST) and bool(codes & numeric.SIGNED)


_WIDEST = {ElementType.U8, ElementType.U}


def ambiguous_call(one: str, other: str) -> EvaluationError:
    """CS0121: methods with their parameters."""
    return EvaluationError(
        f"error CS0121: The call is ambiguous between the following methods or properties: '{one}' and '{other}'"
    )


def not_inferred(method: str) -> EvaluationError:
    """CS0411."""
    return EvaluationError(
        f"error CS0411: The type arguments for method '{method}' cannot be inferred from the usage. Try specifying the "
        "type arguments explicitly."
    )


def no_statement() -> EvaluationError:
    """CS0201."""
    return EvaluationError(
        "error CS0201: Only assignment, call, increment, decrement, await, and new object expressions can be used as a "
        "statement"
    )


def no_name(name: str) -> EvaluationError:
    """CS0103."""
    return EvaluationError(f"error CS0103: The name '{name}' does not exist in the current context")


def no_member(owner: str, name: str) -> EvaluationError:
    """CS1061."""
    return EvaluationError(f"error CS1061: '{owner}' does not contain a definition for '{name}'")


def no_getter(owner: str, name: str) -> EvaluationError:
    """CS0154: a property that can only be set."""
    return EvaluationError(
        f"error CS0154: The property or indexer '{owner}.{name}' cannot be used in this context because it lacks the "
        "get accessor"
    )


def invalid_here(what: str, kind: str) -> EvaluationError:
    """CS0119: a type, a namespace or a method where a value is needed."""
    return EvaluationError(f"error CS0119: '{what}' is a {kind}, which is not valid in the given context")


def takes_no_type_arguments(what: str, name: str) -> EvaluationError:
    """CS0307: `what` is "variable", "field" or "property"."""
    return EvaluationError(f"error CS0307: The {what} '{name}' cannot be used with type arguments")


def not_in_namespace(name: str, namespace: str) -> EvaluationError:
    """CS0234."""
    return EvaluationError(
        f"error CS0234: The type or namespace name '{name}' does not exist in the namespace '{namespace}'"
    )


def no_static_member(owner: str, name: str) -> EvaluationError:
    """CS0117."""
    return EvaluationError(f"error CS0117: '{owner}' does not contain a definition for '{name}'")


def static_through_instance(owner: str, name: str) -> EvaluationError:
    """CS0176."""
    return EvaluationError(
        f"error CS0176: Member '{owner}.{name}' cannot be accessed with an instance reference; qualify it with a type "
        "name instead"
    )


def no_type(name: str) -> EvaluationError:
    """CS0246."""
    return EvaluationError(
        f"error CS0246: The type or namespace name '{name}' could not be found among the modules loaded so far"
    )


def no_conversion(source: Type, target: Type, *, explicit: bool = False) -> EvaluationError:
    """CS0030 and CS0029."""
    if explicit:
        return EvaluationError(f"error CS0030: Cannot convert type '{source.name}' to '{target.name}'")
    return EvaluationError(f"error CS0029: Cannot implicitly convert type '{source.name}' to '{target.name}'")


def not_assignable(source: Type, target: Type, constant: object = None) -> EvaluationError:
    """CS0031, CS0037, CS0266 and CS0029: an assignment of another type."""
    if source.kind is Kind.NULL:
        return EvaluationError(
            f"error CS0037: Cannot convert null to '{target.name}' because it is a non-nullable value type"
        )
    numbers = Kind.NUMBER in (source.kind, target.kind) and {source.kind, target.kind} <= {Kind.NUMBER, Kind.ENUM}
    is_char = target.code is ElementType.CHAR
    if numbers and source.name == "int" and isinstance(constant, int) and target.kind is Kind.NUMBER and not is_char:
        return EvaluationError(f"error CS0031: Constant value '{constant}' cannot be converted to a '{target.name}'")
    is_object = source.is_reference and source.name == "object"
    if numbers or is_object or _is_lifted(source, target) or _is_pointers(source, target):
        return EvaluationError(
            f"error CS0266: Cannot implicitly convert type '{source.name}' to '{target.name}'. An explicit conversion "
            "exists (are you missing a cast?)"
        )
    return no_conversion(source, target)


def _is_pointers(source: Type, target: Type) -> bool:
    """Whether a cast leads from one to the other, for one is a pointer and the other one, too, or an integer."""
    kinds = {source.kind, target.kind}
    codes = {kind.code for kind in (source, target) if kind.kind is Kind.NUMBER}
    return Kind.POINTER in kinds and kinds <= {Kind.POINTER, Kind.NUMBER} and codes <= numeric.BITS.keys()


def _is_lifted(source: Type, target: Type) -> bool:
    """Whether one of two numbers is nullable: a cast leads from each to the other."""
    inner = [kind.element if kind.kind is Kind.NULLABLE else kind for kind in (source, target)]
    return inner != [source, target] and all(kind.kind is Kind.NUMBER for kind in inner)


def needs_suffix(target: Type) -> EvaluationError:
    """CS0664: `target` is float or decimal."""
    return EvaluationError(
        f"error CS0664: Literal of type double cannot be implicitly converted to type '{target.name}'; use an "
        f"'{'F' if target.name == 'float' else 'M'}' suffix to create a literal of this type"
    )


def never_as(source: Type, target: Type) -> EvaluationError:
    """CS0039."""
    return EvaluationError(
        f"error CS0039: Cannot convert type '{source.name}' to '{target.name}' via a reference conversion, boxing "
        "conversion, unboxing conversion, wrapping conversion, or null type conversion"
    )


def wrong_argument(position: int, source: str, target: str) -> EvaluationError:
    """CS1503: no conversion to a parameter's type; `position` is 1-based, the others are types as they are shown."""
    error = EvaluationError(f"error CS1503: Argument {position}: cannot convert from '{source}' to '{target}'")
    error.argument = position - 1
    return error


def not_a_variable() -> EvaluationError:
    """CS0131."""
    return EvaluationError("error CS0131: The left-hand side of an assignment must be a variable, property or indexer")


def not_stepped() -> EvaluationError:
    """CS1059."""
    return EvaluationError(
        "error CS1059: The operand of an increment or decrement operator must be a variable, property or indexer"
    )


def needs_object(owner: str, name: str) -> EvaluationError:
    """CS0120."""
    return EvaluationError(
        f"error CS0120: An object reference is required for the non-static field, method, or property '{owner}.{name}'"
    )


def init_only(name: str) -> EvaluationError:
    """CS8852."""
    return EvaluationError(
        f"error CS8852: Init-only property or indexer '{name}' can only be assigned in an object initializer, or on "
        "'this' or 'base' in an instance constructor or an 'init' accessor."
    )


def read_only_variable(name: str) -> EvaluationError:
    """CS8331."""
    return EvaluationError(
        f"error CS8331: Cannot assign to variable '{name}' or use it as the right hand side of a ref assignment "
        "because it is a readonly variable"
    )


def read_only(what: str, name: str) -> EvaluationError:
    """CS0200 and CS0191: `what` is "property" or "field"."""
    if what == "property":
        return EvaluationError(f"error CS0200: Property or indexer '{name}' cannot be assigned to -- it is read only")
    return EvaluationError(
        f"error CS0191: A readonly field cannot be assigned to (except in a constructor of the type): '{name}'"
    )


def rethrow_outside() -> EvaluationError:
    """CS0156."""
    return EvaluationError("error CS0156: A throw statement with no arguments is not allowed outside of a catch clause")


def falls_through() -> EvaluationError:
    """CS0163."""
    return EvaluationError("error CS0163: Control cannot fall through from one case label to another")


def cannot_assign_to(name: str, what: str) -> EvaluationError:
    """CS1656: `what` is "foreach iteration variable" or "using variable"."""
    return EvaluationError(f"error CS1656: Cannot assign to '{name}' because it is a '{what}'")


def null_reference(what: str) -> EvaluationError:
    """A member, an element or a call of null."""
    error = EvaluationError(f"Object reference not set to an instance of an object: {what} is null")
    error.is_thrown = True
    return error


def calls_forbidden(what: str) -> EvaluationError:
    """The engine would have to run code of the program, and must not. Who evaluates may say where it may."""
    error = EvaluationError(f"{what} needs a call into the program, and calls are not allowed here")
    error.forbids_calls = True
    return error


def not_initialised(kind: Type) -> EvaluationError:
    """As `calls_forbidden`: a class's static fields have no values yet."""
    error = EvaluationError(
        f"The class '{kind.name}' may not be initialised yet, and its initialiser is not allowed to run here"
    )
    error.forbids_calls = True
    return error


def no_address() -> EvaluationError:
    """`&x`."""
    return EvaluationError("Addresses are not taken in expressions")


def already_defined(name: str, *, in_same: bool) -> EvaluationError:
    """A variable of a lambda's body has the name of another one, of the same block or of one around it."""
    if in_same:
        return EvaluationError(f"error CS0128: A local variable named '{name}' is already defined in this scope")
    return EvaluationError(
        f"error CS0136: A local or parameter named '{name}' cannot be declared in this scope because that name is used "
        "in an enclosing local scope to define a local or parameter"
    )


def not_constructible(kind: Type) -> EvaluationError:
    """A collection expression for a target that is not made of one here."""
    return EvaluationError(
        f"error CS9174: Cannot initialize type '{kind.name}' with a collection expression because the type is not "
        "constructible"
    )


def misplaced_throw() -> EvaluationError:
    """CS1525, of `throw` as an operand."""
    return EvaluationError("error CS1525: Invalid expression term 'throw'")


def no_common_type(first: str, second: str) -> EvaluationError:
    """CS0173."""
    return EvaluationError(
        "error CS0173: Type of conditional expression cannot be determined because there is no implicit conversion "
        f"between '{first}' and '{second}'"
    )


def no_target_of_default() -> EvaluationError:
    """CS8716."""
    return EvaluationError("error CS8716: There is no target type for the default literal")


def no_pattern_of_default() -> EvaluationError:
    """CS8505."""
    return EvaluationError(
        "error CS8505: A default literal 'default' is not valid as a pattern. Use another literal (e.g. '0' or 'null') "
        "as appropriate. To match everything, use a discard pattern '_'."
    )


def no_target() -> EvaluationError:
    """A collection expression where nothing says its type."""
    return EvaluationError("error CS9176: There is no target type for the collection expression")


def not_indexed(kind: Type) -> EvaluationError:
    """CS0021."""
    return EvaluationError(f"error CS0021: Cannot apply indexing with [] to an expression of type '{kind.name}'")
