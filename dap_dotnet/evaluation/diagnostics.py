"""Errors in the compiler's words, so that clients and users recognise them, and those of the program itself."""

from __future__ import annotations

from dap_dotnet.errors import EvaluationError, Thrown


class Diagnostic(EvaluationError):
    """An error of the C# compiler, or of what is like it: a code, and what its text in `TEXTS` is about.

    `key` is the code; a word behind it tells the texts of one code apart.
    """

    def __init__(self, key: str, *arguments: object, argument: int | None = None) -> None:
        code = key.partition(" ")[0]
        super().__init__(f"error {code}: {TEXTS[key].format(*arguments)}", compiler_code=code)
        self.arguments = arguments
        self.argument = argument


def null_reference(what: str) -> Thrown:
    """A member, an element or a call of null."""
    said = f"Object reference not set to an instance of an object: {what} is null"
    return Thrown("System.NullReferenceException", said)


def calls_forbidden(what: str) -> EvaluationError:
    """The engine would have to run code of the program, and must not. Who evaluates may say where it may."""
    error = EvaluationError(f"{what} needs a call into the program, and calls are not allowed here")
    error.forbids_calls = True
    return error


def not_initialised(kind: str) -> EvaluationError:
    """As `calls_forbidden`: a class's static fields have no values yet."""
    error = EvaluationError(
        f"The class '{kind}' may not be initialised yet, and its initialiser is not allowed to run here"
    )
    error.forbids_calls = True
    return error


TEXTS = {
    "CS0019": "Operator '{0}' cannot be applied to operands of type '{1}' and '{2}'",
    "CS0020": "Division by constant zero",
    "CS0021": "Cannot apply indexing with [] to an expression of type '{0}'",
    "CS0022": "Wrong number of indices inside []; expected {0}",
    "CS0023": "Operator '{0}' cannot be applied to operand of type '{1}'",
    "CS0026": "Keyword 'this' is not valid in a static method",
    "CS0029": "Cannot implicitly convert type '{0}' to '{1}'",
    "CS0029 condition": "The condition '{0}' is of type '{1}', not 'bool'",
    "CS0029 tuple": "Cannot implicitly convert the tuple to '{0}'",
    "CS0030": "Cannot convert type '{0}' to '{1}'",
    "CS0030 method group": "Cannot convert type 'method group' to '{0}': say its type of delegates",
    "CS0031": "Constant value '{0}' cannot be converted to a '{1}'",
    "CS0034": "Operator '{0}' is ambiguous on operands of type '{1}' and '{2}'",
    "CS0037": "Cannot convert null to '{0}' because it is a non-nullable value type",
    "CS0039": (
        "Cannot convert type '{0}' to '{1}' via a reference conversion, boxing conversion, unboxing conversion, "
        "wrapping conversion, or null type conversion"
    ),
    "CS0070": (
        "The event '{0}' can only appear on the left hand side of += or -= (except when used from within the type "
        "'{1}')"
    ),
    "CS0077": (
        "The as operator must be used with a reference type or nullable type ('{0}' is a non-nullable value type)"
    ),
    "CS0103": "The name '{0}' does not exist in the current context",
    "CS0103 exception": "No exception is being raised on this thread: '$exception' has no value",
    "CS0103 special": "'{0}' has no value: {1}",
    "CS0117": "'{0}' does not contain a definition for '{1}'",
    "CS0118": "'{0}' is a variable but is used like a type",
    "CS0119": "'{0}' is a {1}, which is not valid in the given context",
    "CS0120": "An object reference is required for the non-static field, method, or property '{0}.{1}'",
    "CS0121": "The call is ambiguous between the following methods or properties: '{0}' and '{1}'",
    "CS0123": "No overload for '{0}' matches delegate '{1}'",
    "CS0123 unknown": "No overload for '{0}' matches the delegate",
    "CS0126": "An object of a type convertible to the result is required",
    "CS0128": "A local variable named '{0}' is already defined in this scope",
    "CS0128 console": "'{0}' means something here already; choose another name",
    "CS0131": "The left-hand side of an assignment must be a variable, property or indexer",
    "CS0133": "The expression being assigned to '{0}' must be constant",
    "CS0136": (
        "A local or parameter named '{0}' cannot be declared in this scope because that name is used in an enclosing "
        "local scope to define a local or parameter"
    ),
    "CS0139": "No enclosing loop out of which to break or continue",
    "CS0144": "Cannot create an instance of the abstract type or interface '{0}'",
    "CS0149": "Method name expected",
    "CS0150": "A constant value is expected",
    "CS0154": "The property or indexer '{0}.{1}' cannot be used in this context because it lacks the get accessor",
    "CS0155": "The type caught or thrown must be derived from System.Exception",
    "CS0156": "A throw statement with no arguments is not allowed outside of a catch clause",
    "CS0157": "Control cannot leave the body of a finally clause",
    "CS0160": "A previous catch clause already catches all exceptions of this or of a super type ('{0}')",
    "CS0163": "Control cannot fall through from one case label to another",
    "CS0165": "Use of unassigned local variable '{0}'",
    "CS0173": (
        "Type of conditional expression cannot be determined because there is no implicit conversion between '{0}' "
        "and '{1}'"
    ),
    "CS0176": "Member '{0}.{1}' cannot be accessed with an instance reference; qualify it with a type name instead",
    "CS0185": "'{0}' is not a reference type as required by the lock statement",
    "CS0191": "A readonly field cannot be assigned to (except in a constructor of the type): '{0}'",
    "CS0193": "The * or -> operator must be applied to a pointer",
    "CS0198": "A static readonly field cannot be assigned to (except in a static constructor): '{0}'",
    "CS0200": "Property or indexer '{0}' cannot be assigned to -- it is read only",
    "CS0201": (
        "Only assignment, call, increment, decrement, await, and new object expressions can be used as a statement"
    ),
    "CS0201 excerpt": (
        "Only assignment, call, increment, decrement, await, and new object expressions can be used as a statement: "
        "'{0}'"
    ),
    "CS0210": "You must provide an initializer in a fixed or using statement declaration",
    "CS0220": "The operation overflows at compile time in checked mode",
    "CS0221": "Constant value '{0}' cannot be converted to a '{1}' (use 'unchecked' syntax to override)",
    "CS0233": "'{0}' does not have a predefined size",
    "CS0234": "The type or namespace name '{0}' does not exist in the namespace '{1}'",
    "CS0242": "The operation in question is undefined on void pointers",
    "CS0246": "The type or namespace name '{0}' could not be found among the modules loaded so far",
    "CS0248": "Cannot create an array with a negative size",
    "CS0266": "Cannot implicitly convert type '{0}' to '{1}'. An explicit conversion exists (are you missing a cast?)",
    "CS0304": "Cannot create an instance of the variable type '{0}' because it does not have the new() constraint",
    "CS0305": "Using the generic {0} '{1}' requires {2} type arguments",
    "CS0307": "The {0} '{1}' cannot be used with type arguments",
    "CS0308": "The non-generic {0} '{1}' cannot be used with type arguments",
    "CS0310": "'{0}' must be a non-abstract type with a public parameterless constructor in order to use it as {1}",
    "CS0311": (
        "The type '{0}' cannot be used as type {1}. There is no implicit reference conversion from '{0}' to '{2}'."
    ),
    "CS0313": (
        "The type '{0}' cannot be used as type {1}. The nullable type '{0}' does not satisfy the constraint of '{2}'. "
        "Nullable types can not satisfy any interface constraints."
    ),
    "CS0315": "The type '{0}' cannot be used as type {1}. There is no boxing conversion from '{0}' to '{2}'.",
    "CS0407": "'{0} {1}.{2}' has the wrong return type",
    "CS0411": (
        "The type arguments for method '{0}' cannot be inferred from the usage. Try specifying the type arguments "
        "explicitly."
    ),
    "CS0417": "'{0}': cannot provide arguments when creating an instance of a variable type",
    "CS0426": "The type name '{0}' does not exist in the type '{1}'",
    "CS0445": "Cannot modify the result of an unboxing conversion",
    "CS0452": "The type '{0}' must be a reference type in order to use it as {1}",
    "CS0453": "The type '{0}' must be a non-nullable value type in order to use it as {1}",
    "CS0463": "Evaluation of the decimal constant expression failed",
    "CS0518": "Predefined type '{0}' is not defined or imported",
    "CS0594": "Floating-point constant is outside the range of type '{0}'",
    "CS0622": "Can only use array initializer expressions to assign to array types",
    "CS0664": (
        "Literal of type double cannot be implicitly converted to type '{0}'; use an '{1}' suffix to create a literal "
        "of this type"
    ),
    "CS0712": "Cannot create an instance of the static class '{0}'",
    "CS0724": (
        "A throw statement with no arguments is not allowed in a finally clause that is nested inside the nearest "
        "enclosing catch clause"
    ),
    "CS0746": "Invalid anonymous type member declarator: give '{0}' a name",
    "CS0747": "Invalid initializer member declarator",
    "CS0704": "Cannot do non-virtual member lookup in '{0}' because it is a type parameter",
    "CS0815": "Cannot assign {0} to an implicitly-typed variable",
    "CS0815 untyped": "The value has no type that a variable could have",
    "CS0818": "Implicitly-typed variables must be initialized",
    "CS0826": "No best type found for implicitly-typed array",
    "CS0828": "Cannot assign '{0}' to anonymous type property",
    "CS0833": "An anonymous type cannot have multiple properties named '{0}'",
    "CS0846": "A nested array initializer is expected",
    "CS0847": "An array initializer of length '{0}' is expected",
    "CS1001": "Identifier expected",
    "CS1001 var": "Identifier expected: only names stand in the parentheses behind 'var'",
    "CS1009": "Unrecognized escape sequence '{0}'",
    "CS1011": "Empty character literal",
    "CS1012": "Too many characters in character literal",
    "CS1012 hole": "The character literal in the hole is not closed",
    "CS1017": "Catch clauses cannot follow the general catch clause of a try statement",
    "CS1021": "Integral constant is too large: '{0}'",
    "CS1021 malformed": "Integral constant is too large or malformed: '{0}'",
    "CS1023": "Embedded statement cannot be a declaration or labeled statement",
    "CS1039": "Unterminated {0}",
    "CS1056": "Unexpected character '{0}'",
    "CS1059": "The operand of an increment or decrement operator must be a variable, property or indexer",
    "CS1061": "'{0}' does not contain a definition for '{1}'",
    "CS1501": "No overload for method '{0}' takes {1} arguments",
    "CS1501 string": "A string takes one index",
    "CS1503": "Argument {0}: cannot convert from '{1}' to '{2}'",
    "CS1503 overloads": "No overload of '{0}' takes the arguments ({1}){2}",
    "CS1510": "A ref or out value must be an assignable variable",
    "CS1511": "Keyword 'base' is not available in a static method",
    "CS1524": "Expected catch or finally",
    "CS1525": "Invalid expression term '{0}'",
    "CS1579": (
        "foreach statement cannot operate on variables of type '{0}' because '{0}' does not contain a public instance "
        "or extension definition for 'GetEnumerator'"
    ),
    "CS1586": "Array creation must have array size or array initializer",
    "CS1593": "Delegate '{0}' does not take {1} arguments",
    "CS1593 function pointer": "Function pointer '{0}' does not take {1} arguments",
    "CS1604": "Cannot assign to 'this' because it is read-only",
    "CS1612": "Cannot modify the return value of '{0}' because it is not a variable",
    "CS1615": "Argument {0} may not be passed with the '{1}' keyword",
    "CS1620": "Argument {0} must be passed with the '{1}' keyword",
    "CS1643": "Not all code paths return a value in the lambda expression",
    "CS1648": "Members of readonly field '{0}' cannot be modified (except in a constructor of the type)",
    "CS1650": "Fields of static readonly field '{0}' cannot be assigned to (except in a static constructor)",
    "CS1654": "Cannot modify members of '{0}' because it is a '{1}'",
    "CS1656": "Cannot assign to '{0}' because it is a '{1}'",
    "CS1660": "Cannot convert the lambda expression to type '{0}'",
    "CS1673": (
        "Anonymous methods, lambda expressions, query expressions, and local functions inside structs cannot access "
        "instance members of 'this'"
    ),
    "CS1674": "'{0}': type used in a using statement must implement 'System.IDisposable'.",
    "CS1678": "Parameter {0} is declared as type '{1}' but should be '{2}'",
    "CS1729": "'{0}' does not contain a constructor that takes {1} arguments",
    "CS1729 arguments": "No constructor of '{0}' takes the arguments ({1})",
    "CS1729 string": "No constructor of 'string' takes these arguments",
    "CS1739": "The best overload for '{0}' does not have a parameter named '{1}'",
    "CS1740": "Named argument '{0}' cannot be specified multiple times",
    "CS1742": "An array access may not have a named argument specifier",
    "CS1744": "Named argument '{0}' specifies a parameter for which a positional argument has already been given",
    "CS1746": "The delegate '{0}' does not have a parameter named '{1}'",
    "CS1918": "Members of property '{0}' of a value type cannot be assigned",
    "CS1929": (
        "'{0}' does not contain a definition for '{1}' and the best extension method overload '{2}' requires a "
        "receiver of type '{3}'"
    ),
    "CS1930": "The range variable '{0}' has already been declared",
    "CS1932": "Cannot assign {0} to a range variable",
    "CS1936": "Could not find an implementation of the query pattern for source type '{0}'.  '{1}' not found.",
    "CS1941": (
        "The type of one of the expressions in the {0} clause is incorrect.  Type inference failed in the call to "
        "'{1}'."
    ),
    "CS1942": (
        "The type of the expression in the select clause is incorrect.  Type inference failed in the call to 'Select'."
    ),
    "CS1955": "Non-invocable member '{0}' cannot be used like a method",
    "CS1989": "Async lambda expressions cannot be converted to expression trees",
    "CS1996": "Cannot await in the body of a lock statement",
    "CS4008": "Cannot await 'void'",
    "CS4010": (
        "Cannot convert async lambda expression to delegate type '{0}'. An async lambda expression may return void, "
        "Task or Task<T>, none of which are convertible to '{0}'."
    ),
    "CS4034": (
        "The 'await' operator can only be used within an async lambda expression. Consider marking this lambda "
        "expression with the 'async' modifier."
    ),
    "CS7003": "Unexpected use of an unbound generic name",
    "CS7036": "There is no argument given that corresponds to the required parameter '{0}' of '{1}'",
    "CS7036 local": (
        "There is no argument given that corresponds to the required parameter '{0}' of '{1}' (an old compiler keeps "
        "no defaults of local functions)"
    ),
    "CS7094": "Cannot await in the filter expression of a catch clause",
    "CS8030": "Anonymous function converted to a void returning delegate cannot return a value",
    "CS8031": "Async lambda expression converted to a 'Task' returning delegate cannot return a value",
    "CS8070": "Control cannot fall out of switch from its final case label",
    "CS8076": "Missing close delimiter '}}' for an interpolated expression",
    "CS8081": "Expression does not have a name",
    "CS8082": "Sub-expression cannot be used in an argument to nameof.",
    "CS8086": "A '}}' character must be escaped (by doubling) in an interpolated string",
    "CS8112": "Local function '{0}' must declare a body because it is not marked 'static extern'",
    "CS8115": "A throw expression is not allowed in this context.",
    "CS8121": "An expression of type '{0}' cannot be handled by a pattern of type '{1}'.",
    "CS8125": "Tuple element name '{0}' is only allowed at position {1}.",
    "CS8126": "Tuple element name '{0}' is disallowed at any position.",
    "CS8127": "Tuple element names must be unique.",
    "CS8129": "No suitable 'Deconstruct' instance was found for type '{0}', with {1} out parameters",
    "CS8132": "Cannot deconstruct a tuple of '{0}' elements into '{1}' variables",
    "CS8310": "Operator '{0}' cannot be applied to operand '{1}'",
    "CS8315": "Operator '{0}' is ambiguous on operands 'default' and 'default'",
    "CS8323": "Named argument '{0}' is used out-of-position but is followed by an unnamed argument",
    "CS8325": "Both conditional operator values must be ref values or neither may be a ref value",
    "CS8327": "The expression must be of type '{0}' to match the alternative ref value",
    "CS8156": "An expression cannot be used in this context because it may not be passed or returned by reference",
    "CS8172": "Cannot initialize a by-reference variable with a value",
    "CS8173": "The expression must be of type '{0}' because it is being assigned by reference",
    "CS8174": "A declaration of a by-reference variable must have an initializer",
    "CS8331": (
        "Cannot assign to {0} or use it as the right hand side of a ref assignment because it is a readonly variable"
    ),
    "CS8332": (
        "Cannot assign to a member of {0} or use it as the right hand side of a ref assignment because it is a "
        "readonly variable"
    ),
    "CS8384": "Tuple types used as operands of an {0} operator must have matching cardinalities",
    "CS8410": (
        "'{0}': type used in an asynchronous using statement must implement 'System.IAsyncDisposable' or implement a "
        "suitable 'DisposeAsync' method."
    ),
    "CS8411": (
        "Asynchronous foreach statement cannot operate on variables of type '{0}' because '{0}' does not contain a "
        "suitable public instance or extension definition for 'GetAsyncEnumerator'"
    ),
    "CS8428": "Invocation of implicit Index Indexer cannot name the argument.",
    "CS8505": (
        "A default literal 'default' is not valid as a pattern. Use another literal (e.g. '0' or 'null') as "
        "appropriate. To match everything, use a discard pattern '_'."
    ),
    "CS8506": "No best type was found for the switch expression.",
    "CS8510": (
        "The pattern is unreachable. It has already been handled by a previous arm of the switch expression or it is "
        "impossible to match."
    ),
    "CS8516": "The name '{0}' does not identify tuple element 'Item{1}'.",
    "CS8517": "The name '{0}' does not match the corresponding 'Deconstruct' parameter '{1}'.",
    "CS8716": "There is no target type for the default literal",
    "CS8754": "There is no target type for 'new()'; write new T(…)",
    "CS8780": "A variable may not be declared within a 'not' or 'or' pattern.",
    "CS8852": (
        "Init-only property or indexer '{0}' can only be assigned in an object initializer, or on 'this' or 'base' in "
        "an instance constructor or an 'init' accessor."
    ),
    "CS8858": "The receiver type '{0}' is not a valid record type and is not a struct type",
    "CS8917": "The delegate type could not be inferred.",
    "CS8917 console": "The delegate type could not be inferred: {0}",
    "CS8926": "A static virtual or abstract interface member can be accessed only on a type parameter.",
    "CS8941": "Interpolated string handler methods of '{0}' are malformed. They do not return 'void' or 'bool'.",
    "CS8942": "The Append methods of '{0}' return different types",
    "CS8950": (
        "Parameter '{0}' is an argument to the interpolated string handler conversion on parameter '{1}', but the "
        "corresponding argument is specified after the interpolated string expression. Reorder the arguments to move "
        "'{0}' before '{1}'."
    ),
    "CS8980": "Slice patterns may only be used once",
    "CS8985": (
        "List patterns may not be used for a value of type '{0}'. No suitable 'Length' or 'Count' property was found."
    ),
    "CS8997": "Unterminated raw string literal",
    "CS8997 lines": "A raw string literal over several lines must begin and end on lines of its own",
    "CS8998": "Not enough quotes around the raw string",
    "CS8999": "A line of a raw string literal begins left of its closing quotes",
    "CS9026": "The input string cannot be converted into the equivalent UTF-8 byte representation.",
    "CS9035": "Required member '{0}.{1}' must be set in the object initializer or attribute constructor.",
    "CS9135": "A constant value is expected in the pattern",
    "CS9174": "Cannot initialize type '{0}' with a collection expression because the type is not constructible",
    "CS9176": "There is no target type for the collection expression",
}
"""The compiler's codes and texts, and ours under a code and a word where the compiler has no such text."""
