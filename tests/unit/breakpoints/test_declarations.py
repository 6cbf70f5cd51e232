"""Which declaration is around a line, by the source alone. `>N` at the end of a line: it ends on line N of the text."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from dap_dotnet.breakpoints.lines.declaration_reader import declarations_of
from dap_dotnet.breakpoints.lines.declarations import Declarations
from dap_dotnet.symbols.checksums import SourceFile

CSHARP = """\
using System;
Console.WriteLine(";{"); // >main

// above >local
[A("};")] // >local
static // >local
int Local(int x, // >local
    string s = ";")
{ return 1;
} int More() => 1; // <local <main
class C(int x) // >c
    : Base(x) // >c <c
{
    int plain;
    [Obsolete] // >sum
    public int Sum // >sum
    { // >sum
        get // >get
            => 1; // <get
        private set { }
    } // >sum <sum

    event Action E { // >event
        add // >add
        { } // >add <add
        remove { } } // <event

    public static implicit operator // >int
        int(C a) => 1; // <int
    int Bodied => // >bodied
        1; // <bodied
    void M() { // >m
        const int limit = 5; // >m

        /* a comment >inner
         of lines >inner */
        T Inner<T>(T t) { // >inner
            return t; } // <inner
#pragma warning disable >m
        Func<int> f = // >m
            () => { int w; // >m
            w = 1; return w; // >lambda
        }; } // >lambda <lambda <m
    abstract int None { // >none
    get; } // <none
}
record struct R // >r
( // >r
   int A // >r
); // <r
static class Extensions { extension(int x) {
    public int Y
    { get => 1; }
    public void Z() // >z
    { } // <z
} }
"""
RAZOR = """\
@page "/don't"
<p onclick="@(() => { n++; })">@(n)</p>

    @code {
    int plain;
    void M() // >m
    {
    } // <m
    string Name // >name
        => "x"; // <name
}
<p>don't</p>
"""
FSHARP = """\
module Program
let plain x y = // >plain
    x + y
// <plain
[<Obsolete>] // >typed
let typed (x: int) // >typed
          (y: int) = // >typed
    x * y
// <typed
type C(start: int) = // >c
    member _.Value // >value
        with get () = // >get
            start // <get
        and set v = // >set
            () // <set <value
    override _.ToString() = "c" // <c
let outer x = // >outer
    let inner y = // >inner
        fun z -> // >fun
            y // <inner <fun
    inner x // <outer
let last = 1
"""
VISUAL_BASIC = """\
Module Program
    Private _value As Integer
    <Obsolete> ' >item
    Public ReadOnly Property Item(i As Integer, ' >item
                                  j As Integer) As Integer ' >item
        Get ' >get
            Return i

        End Get ' <get
        Private Set(v As Integer) ' >set
        End Set ' <set
    End Property ' <item
    Public Property Plain As Integer
    Public Custom Event Changed As EventHandler ' >event
        AddHandler(value As EventHandler) ' >add
            f = Function(x) x
        End AddHandler ' <add
    End Event ' <event
    MustOverride Sub Nothing()
    Async Function Longer(a As Integer, ' >longer
                          b As Integer) As Task ' >longer
        Return a

    End Function ' <longer
End Module
"""


def declarations(tmp_path: Path, text: str, language: str | None) -> Declarations | None:
    path = tmp_path / "source"
    path.write_text(text, encoding="utf-8")
    return declarations_of(SourceFile(str(path)), language)


@pytest.mark.parametrize(
    ("language", "text"), [("C#", CSHARP), ("C#", RAZOR), ("F#", FSHARP), ("Visual Basic", VISUAL_BASIC)]
)
def test_declaration_around_a_line_ends_where_the_source_says(tmp_path: Path, language: str, text: str) -> None:
    found = declarations(tmp_path, text, language)
    assert found is not None
    lines = text.splitlines()
    ends = {name: number for number, line in enumerate(lines, 1) for name in re.findall(r"<(\w+)(?= |$)", line)}
    for number, line in enumerate(lines, 1):
        around = found.around(number)
        last = around and around.end[0] - (around.end[1] == 1)
        expected = re.search(r">(\w+)(?= |$)", line)
        if expected is not None:
            assert last == ends[expected[1]], (number, line, around)
        elif any(
            line.strip().startswith(word) for word in ("using", "module", "Module", "int plain", "Private _", "MustO")
        ):
            assert around is None, (number, line, around)
    assert [found.around(number) for number in (-1, 0, len(lines) + 2, 2**70)] == [None] * 4


def test_statements_of_local_functions_are_not_the_functions_around(tmp_path: Path) -> None:
    text = "class C { void M() {\n  int a;\n  int ä() => 1; int L() { int Deep() => 2;\n return 1; }\n} }\n"
    found = declarations(tmp_path, text, "C#")
    assert found is not None
    method = found.around(2)
    assert method is not None
    assert (method.end, sorted(method.nested)) == ((5, 2), [((3, 3), (3, 16)), ((3, 17), (4, 13))])
    local = found.around(4)
    assert local is not None
    assert (local.end, local.nested) == ((4, 13), (((3, 27), (3, 43)),))


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("C#", "class C\n{\n  «[A]\n  int M(int a,\n    int b)\n  {\n    »return a;\n  }\n}\n"),
        ("C#", 'class C { int ä = 1; void M() { F("ä", «x => »x); } }\n'),
        ("C#", "«int L(int a) { if (a > 1) { »a++; } }\n"),
        ("F#", "module M\n\n«let add a b =\n    »let sum = a + b\n    sum\n"),
        ("F#", "type T() =\n«    member _.Add a = »a + 1\n"),
        ("Visual Basic", "Module M\n  «»Sub A(x As Integer)\n  End Sub\nEnd Module\n"),
    ],
)
def test_function_of_a_statement_begins_with_its_header(tmp_path: Path, language: str, text: str) -> None:
    """From `«`, for the statement at `»`."""
    found = declarations(tmp_path, re.sub("[«»]", "", text), language)
    assert found is not None

    def place(mark: str) -> tuple[int, int]:
        *above, last = text.partition(mark)[0].replace("«", "").split("\n")
        return len(above) + 1, len(last) + 1

    assert found.start_around(place("»")) == place("«")


@pytest.mark.parametrize(
    "text", ["", '}}} ((( \0 {{{ "', "/* never ends", "#if X\nvoid M(", '"""' + '{"' * 50, "\ufeff\ud7ff"]
)
def test_no_text_is_too_odd(tmp_path: Path, text: str) -> None:
    for language in ("C#", "F#", "Visual Basic"):
        found = declarations(tmp_path, text, language)
        for line in range(4):
            assert found is None or line or found.around(line) is None


def test_source_that_cannot_be_read_or_is_in_another_language_declares_nothing(tmp_path: Path) -> None:
    assert declarations_of(SourceFile(str(tmp_path / "none.cs")), "C#") is None
    assert declarations(tmp_path, "let x = 1", None) is None
