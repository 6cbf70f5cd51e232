"""Text -> tree: what is an expression, what is not, and that no text makes the parser slow."""

from __future__ import annotations

from types import FunctionType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dap_dotnet.errors import EvaluationError
from dap_dotnet.evaluation.syntax import statement_tree
from dap_dotnet.evaluation.syntax import tree as syntax
from dap_dotnet.evaluation.syntax.lexer import MAX_LENGTH, SyntaxFault
from dap_dotnet.evaluation.syntax.parser import ExpressionParser, parse
from dap_dotnet.evaluation.syntax.tree import Binary, Literal, Member, Name
from dap_dotnet.runtime.model import ElementType as E
from tests.support.work import counted

MOST_CALLS = 1_000_000


def number(value: int, code: E = E.I4) -> Literal:
    return Literal(code, value)


@pytest.mark.parametrize(
    ("text", "code", "value"),
    [
        ("0", E.I4, 0),
        ("2147483647", E.I4, 2147483647),
        ("2147483648", E.U4, 2147483648),
        ("-2147483648", E.I4, -2147483648),
        ("4294967296", E.I8, 4294967296),
        ("9223372036854775808", E.U8, 9223372036854775808),
        ("-9223372036854775808", E.I8, -9223372036854775808),
        ("0xFF", E.I4, 255),
        ("0xFFFFFFFF", E.U4, 0xFFFFFFFF),
        ("0b1010_1010", E.I4, 0b10101010),
        ("1_000", E.I4, 1000),
        ("1u", E.U4, 1),
        ("1L", E.I8, 1),
        ("1uL", E.U8, 1),
        ("0xFul", E.U8, 15),
        ("1.5", E.R8, 1.5),
        ("1e3", E.R8, 1000.0),
        ("1f", E.R4, 1.0),
        ("0.1f", E.R4, 0.10000000149011612),
        (".5", E.R8, 0.5),
        ("true", E.BOOLEAN, True),
        ("'a'", E.CHAR, 97),
        ("'\\n'", E.CHAR, 10),
        ("'\\u20ac'", E.CHAR, 0x20AC),
        ("'\\x41'", E.CHAR, 0x41),
        ('"a\\tb\\"c"', E.STRING, 'a\tb"c'),
        ('"\\uD83C\\uDF89"', E.STRING, "🎉"),
        ('"\\U0001F389"', E.STRING, "🎉"),
        ('@"c:\\x ""y"""', E.STRING, 'c:\\x "y"'),
        ('"""raw "quoted" \\n"""', E.STRING, 'raw "quoted" \\n'),
        ('"""\n    two\n      lines\n    """', E.STRING, "two\n  lines"),
        ("null", E.CLASS, None),
    ],
)
def test_parser_literals_have_their_type_and_value(text: str, code: E, value: object) -> None:
    assert parse(text) == Literal(code, value)  # type: ignore[arg-type]


def test_parser_decimal_keeps_its_scale() -> None:
    tree = parse("1.50m")
    assert isinstance(tree, Literal)
    assert str(tree.value) == "1.50"


@pytest.mark.parametrize(
    "text", ["99999999999999999999", "1e400", "'ab'", "''", '"\\q"', "79228162514264337593543950336m"]
)
def test_parser_refuses_literals_out_of_range(text: str) -> None:
    with pytest.raises(EvaluationError, match="error CS"):
        parse(text)


def test_parser_name_in_parentheses_before_minus_is_no_cast() -> None:
    assert parse("(a)-1*2") == Binary("-", Name("a"), Binary("*", number(1), number(2)))
    assert parse("(int)-1") == syntax.Cast(syntax.PredefinedTypeSyntax("int"), syntax.Unary("-", number(1)))
    assert parse("(a.b) + (c) - 1") == Binary("-", Binary("+", Member(Name("a"), "b"), Name("c")), number(1))


def test_parser_indirections_take_casts_to_pointers() -> None:
    number_at = syntax.Unary("*", pointer("int", Name("p")))
    assert parse("*(int*)p") == number_at
    assert parse("2 * *(int*)p + 1") == Binary("+", Binary("*", number(2), number_at), number(1))
    assert parse("!*(bool*)p") == syntax.Unary("!", syntax.Unary("*", pointer("bool", Name("p"))))
    assert parse("(long)*(int*)p") == syntax.Cast(syntax.PredefinedTypeSyntax("long"), number_at)
    assert parse("*(int*)*(long*)p") == syntax.Unary("*", pointer("int", syntax.Unary("*", pointer("long", Name("p")))))
    assert parse("*(int*)p = *(int*)p * (b)") == syntax.Assignment(number_at, "=", Binary("*", number_at, Name("b")))


def pointer(kind: str, value: syntax.Node) -> syntax.Cast:
    return syntax.Cast(syntax.PointerTypeSyntax(syntax.PredefinedTypeSyntax(kind)), value)


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("x'", Name("x'")),
        ("x'' - x'y", Binary("-", Name("x''"), Name("x'y"))),
        ("x' == 'x'", Binary("==", Name("x'"), Literal(E.CHAR, ord("x")))),
        ("``two words`` + 1", Binary("+", Name("two words"), number(1))),
        ("a.``b+c``", Member(Name("a"), "b+c")),
        ("async * async", Binary("*", Name("async"), Name("async"))),
        ("async", Name("async")),
        ("a.async", Member(Name("a"), "async")),
    ],
)
def test_parser_knows_names_of_other_languages(text: str, tree: syntax.Node) -> None:
    assert parse(text) == tree


@pytest.mark.parametrize("text", ["async x => x", "async (x, y) => x", "async () => 1"])
def test_parser_async_before_a_lambda_is_a_modifier(text: str) -> None:
    tree = parse(text)
    assert isinstance(tree, syntax.Lambda)
    assert tree.is_async


def test_parser_not_binds_tighter_than_and() -> None:
    tree = parse("x is not 1 and not 2")
    assert isinstance(tree, statement_tree.IsPattern)
    assert tree.pattern == statement_tree.JunctionPattern(
        statement_tree.NotPattern(statement_tree.ConstantPattern(number(1))),
        statement_tree.NotPattern(statement_tree.ConstantPattern(number(2))),
        True,
    )


@pytest.mark.parametrize(
    ("text", "meaning"),
    [
        ("a is [1, .. [2, 3]]", "a is [1, .. ([2, 3])]"),
        ("a is [.. [> 1, ..], 2] && b", "(a is [.. [> 1, ..], 2]) && b"),
        ("a is [1, ..] b", "a is [1, ..] and var b"),
        ("a is > 5 and not 8 or 3", "a is (> 5 and (not 8)) or 3"),
        ("a switch { A.B | A.C => 1, _ => 2 }", "a switch { (A.B | A.C) => 1, _ => 2 }"),
        ("a is A.B | c", "(a is A.B) | c"),
        ("a + b switch { 1 => 2, _ => 3 }", "a + (b switch { 1 => 2, _ => 3 })"),
        ("a switch { _ when b => c, _ => d }", "a switch { _ when (b) => c, _ => d }"),
        ("a ?[1] : [2]", "a ? ([1]) : ([2])"),
        ("(a)![0]", "((a)!)[0]"),
        ("a + from x in b select x", "a + (from x in b select x)"),
        ("x is int ? 1 : 2", "(x is int) ? 1 : 2"),
        ("x as int? ?? 3", "(x as int?) ?? 3"),
        ("a < b && c > (d)", "(a < b) && (c > d)"),
        ("this..b", "(this)..b"),
        ("a >>= b >> c >>> d", "a >>= ((b >> c) >>> d)"),
        ("-a.b!++", "-((a.b)++)"),
    ],
)
def test_parser_gives_each_part_its_place(text: str, meaning: str) -> None:
    assert parse(text) == parse(meaning)


def test_parser_conditional_access_takes_the_rest_of_its_chain() -> None:
    rest = Member(Member(syntax.Receiver(), "b"), "c")
    assert parse("a?.b.c") == syntax.ConditionalAccess(Name("a"), rest)
    assert parse("(a?.b).c") == Member(
        syntax.Parenthesized(syntax.ConditionalAccess(Name("a"), Member(syntax.Receiver(), "b"))), "c"
    )


def test_parser_operators_have_their_precedence() -> None:
    assert parse("1 + 2 * 3") == Binary("+", number(1), Binary("*", number(2), number(3)))
    assert parse("a && b || c") == Binary("||", Binary("&&", Name("a"), Name("b")), Name("c"))
    assert parse("a ?? b ?? c") == Binary("??", Name("a"), Binary("??", Name("b"), Name("c")))


def test_parser_interpolated_string_has_its_holes() -> None:
    tree = parse('$"a{{{x,-5:F2}}}b{y}"')
    assert tree == syntax.Interpolated(("a{", syntax.Hole(Name("x"), -5, "F2"), "}b", syntax.Hole(Name("y"), 0, "")))


@pytest.mark.parametrize(
    ("text", "line", "column", "said"),
    [
        ("", 1, 1, "empty"),
        ("  ", 1, 1, "empty"),
        ("1 +", 1, 4, "expected an expression"),
        ("a b", 1, 3, "unexpected 'b'"),
        ("f(1", 1, 4, "expected ')'"),
        ("f(1]", 1, 4, "expected ')'"),
        ("a[1", 1, 4, "expected ']'"),
        ("1)", 1, 2, "unexpected ')'"),
        ("1)+(2", 1, 2, "unexpected ')'"),
        ("a;b", 1, 2, "unexpected ';'"),
        ("a,b", 1, 2, "unexpected ','"),
        ("a *\n  / b", 2, 3, "expected an expression"),
        ('"abc', 1, 1, "not closed"),
        ("\x01", 1, 1, "U+0001"),
        ("日本 語", 1, 4, "unexpected '語'"),
        ("a + ''", 1, 5, "CS1011"),
        ("a == 'bc'", 1, 6, "CS1012"),
        ("'\\nb'", 1, 1, "CS1012"),
        ("'b", 1, 1, "CS1010"),
        ("a + '\\q'", 1, 6, "CS1009"),
        ('"ab\\q"', 1, 4, "CS1009"),
        ("a + 0x", 1, 5, "CS1013"),
        ("1_", 1, 1, "CS1013"),
        ("1.5e+ + 1", 1, 1, "CS0595"),
        ('"🎉" x', 1, 6, "unexpected 'x'"),
        ("a.", 1, 3, "CS1001"),
        ("a[]", 1, 3, "CS0443"),
        ("from x in a", 1, 12, "CS0742"),
        ("new T", 1, 6, "expected '(', '[' or '{'"),
        ("a /* b", 1, 3, "CS1035"),
        ("typeof(1)", 1, 8, "expected a type"),
        ("x => { return 1 }", 1, 17, "expected ';'"),
    ],
)
def test_parser_syntax_error_names_line_column_and_what_was_expected(
    text: str, line: int, column: int, said: str
) -> None:
    with pytest.raises(SyntaxFault) as caught:
        parse(text)
    assert (caught.value.line, caught.value.column) == (line, column)
    assert said in caught.value.message


@pytest.mark.parametrize(
    "text",
    [
        "x => { try { return 1; } }",
        "x => { using Stream y; return 1; }",
        "x => { goto end; }",
        "x => { var y; }",
        "x => { if (x) int y = 1; }",
        "(ref int x) => x",
        "stackalloc int[3]",
    ],
)
def test_parser_refuses_what_is_not_evaluated_in_words(text: str) -> None:
    with pytest.raises(EvaluationError):
        parse(text)


@pytest.mark.parametrize(
    "text",
    [
        "1" * (1 << 20),
        "(" * MAX_LENGTH,
        "(" * 4000 + "1" + ")" * 4000,
        "!" * MAX_LENGTH,
        "- " * (MAX_LENGTH // 2),
        "a[" * (MAX_LENGTH // 2),
        "a<" * (MAX_LENGTH // 2),
        "a?b:" * (MAX_LENGTH // 4),
        "(a)" * (MAX_LENGTH // 3) + "-1",
        "(a)-" * (MAX_LENGTH // 4) + "1",
        "a." * (MAX_LENGTH // 2) + "b",
        '$"{' * (MAX_LENGTH // 3),
        "\ud800" * 100,
        '"' * MAX_LENGTH,
        "a is {A:" * (MAX_LENGTH // 8),
        "\x00" * 1000,
        "x switch{_=>" * 600,
    ],
    ids=lambda text: f"{len(text)}-{text[:8].encode('unicode_escape').decode()}",
)
def test_parser_answers_at_once_whatever_it_gets(text: str) -> None:
    with counted() as work, pytest.raises(EvaluationError):
        parse(text)
    assert work.calls < MOST_CALLS


def test_parser_long_chains_are_no_nesting() -> None:
    tree = parse("+".join(["1"] * 4000))
    assert isinstance(tree, Binary)


@given(st.text(max_size=60))
def test_parser_any_text_gives_a_tree_or_an_evaluation_error(text: str) -> None:
    try:
        parse(text)
    except EvaluationError:
        pass


@given(st.text(alphabet="ab1.+-*/%()[]{}<>?:,;&|^!~=\"'$@ \n\\isaотnew", max_size=40))
def test_parser_any_tokens_give_a_tree_or_an_evaluation_error(text: str) -> None:
    try:
        parse(text)
    except EvaluationError:
        pass


def test_each_layer_of_the_parser_adds_to_those_above_it() -> None:
    layers = ExpressionParser.__mro__[:-1]
    defined = [name for layer in layers for name, method in vars(layer).items() if isinstance(method, FunctionType)]
    replaced = {name for name in defined if defined.count(name) > 1}
    assert replaced == {"expression", "operation", "begins_cast"}  # which those above declare
