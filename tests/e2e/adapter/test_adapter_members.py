"""Members that a compiler hides or names by itself: listed as the source has them, and stored in by that name."""

from __future__ import annotations

import pytest

from dap_dotnet.client import DapRequestError
from dap_dotnet.protocol.messages.variables import Variable
from tests.support import programs
from tests.support.dotnet import Runtime
from tests.support.session import Session

pytestmark = pytest.mark.e2e


def listed(session: Session, reference: int) -> dict[str, tuple[str, str | None]]:
    """The children of a value by their names, each with its text and its expression."""
    return {entry.name: (entry.value, entry.evaluate_name) for entry in session.variables(reference)}


def need_primary_constructors(runtime: Runtime) -> None:
    if runtime.major in ("3.1", "5.0", "6.0", "7.0"):
        pytest.skip("primary constructors are of C# 12")


def test_parameters_of_primary_constructors_are_members_of_what_keeps_them(runtime: Runtime, session: Session) -> None:
    need_primary_constructors(runtime)
    session.stop_in_file(programs.build("Members", runtime), "Parameters.cs", "outside")
    outside = session.locals()["outside"].variables_reference
    assert listed(session, outside) == {
        "size": ("7", None),  # no expression of this frame can name it
        "more": ("2", None),
        "size (Box)": ("70", None),
        "unit": ('"cm!"', None),
        "Size": ("3", "outside.Size"),
    }
    with pytest.raises(DapRequestError, match="CS1061"):
        session.evaluate("outside.size")
    with pytest.raises(DapRequestError, match="only the members of its own class can name it"):
        session.request("setVariable", {"variablesReference": outside, "name": "size", "value": "8"})


@pytest.mark.parametrize(
    ("marker", "own", "others"),
    [
        ("box", {"size": "70", "unit": '"cm!"'}, ("more",)),  # of a Lid, which has a `size` of its own
        ("lid", {"size": "7", "more": "2"}, ("unit",)),
        ("unit", {"size": "1", "unit": '"mm"'}, ("hidden",)),
        ("count", {"count": "3"}, ()),
        ("maker", {"item": '"made"'}, ()),
    ],
)
def test_frames_have_the_parameters_of_their_own_class_only(
    runtime: Runtime, session: Session, marker: str, own: dict[str, str], others: tuple[str, ...]
) -> None:
    need_primary_constructors(runtime)
    session.stop_in_file(programs.build("Members", runtime), "Parameters.cs", marker)
    shown = session.locals()
    assert {name: shown[name].value for name in own} == own
    assert {name: session.evaluate(name).result for name in own} == own
    members = [entry for entry in session.variables(shown["this"].variables_reference) if entry.evaluate_name in own]
    assert {entry.evaluate_name: entry.value for entry in members} == own
    for name in others:
        assert name not in shown
        with pytest.raises(DapRequestError, match="CS0103"):
            session.evaluate(name)


def test_parameters_of_primary_constructors_are_stored_in_by_their_names(runtime: Runtime, session: Session) -> None:
    need_primary_constructors(runtime)
    session.stop_in_file(programs.build("Members", runtime), "Parameters.cs", "box")
    this = session.locals()["this"].variables_reference
    stored = session.request("setVariable", {"variablesReference": this, "name": "size (Box)", "value": "80"})
    assert stored["value"] == "80"
    frame = session.stack(count=1)[0].id
    session.request("setExpression", {"expression": "unit", "value": '"m"', "frameId": frame})
    session.evaluate("size += 1")
    found = {name: value for name, (value, _) in listed(session, this).items() if name != "Size"}
    assert found == {"size": "7", "more": "2", "size (Box)": "81", "unit": '"m"'}
    offered = session.request("completions", {"text": "si", "column": 3, "frameId": frame})["targets"]
    assert "size" in [target["label"] for target in offered]


INITIALISERS = {
    "initialiser": {"count": "13", "unused": "4", "text": '"tin"'},
    "lastInitialiser": {"count": "50", "unused": "4", "text": '"tin"'},
    "initialiserLambda": {"count": "50"},
    "afterInitialisers": {"count": "50", "text": '"tin"'},
    "structInitialiser": {"count": "6"},
}
"""What each name is at a marker, in the order of the stops; the first one stores 50."""


def test_initialisers_have_the_parameters_as_the_members_do(runtime: Runtime, session: Session) -> None:
    need_primary_constructors(runtime)
    program = programs.build("Members", runtime)
    lines = {program.line(marker, "Parameters.cs"): marker for marker in INITIALISERS}
    path = str(program.source_dir / "Parameters.cs")
    session.launch(str(program.dll), breakpoints={path: list(lines)}, env=dict(program.env))
    for marker, wanted in INITIALISERS.items():
        session.wait_for_stop()
        assert lines[session.line()] == marker
        assert {name: session.evaluate(name).result for name in wanted} == wanted
        shown = session.values()
        assert {name: value for name, value in shown.items() if name in wanted and name != "text"} == {
            name: value
            for name, value in wanted.items()
            if name != "text"  # which is a field for the members
        }
        if marker == "initialiser":
            frame = session.stack(count=1)[0].id
            session.request("setExpression", {"expression": "count", "value": "50", "frameId": frame})
            assert (session.evaluate("count").result, session.values()["count"]) == ("50", "50")
        session.continue_()


def test_inherited_members_come_before_parameters_of_primary_constructors(runtime: Runtime, session: Session) -> None:
    need_primary_constructors(runtime)
    session.stop_in_file(programs.build("Members", runtime), "Parameters.cs", "over")
    assert (session.evaluate("size").result, session.evaluate("seen").result) == ("100", "100")
    for missing in ("base.Nobody", "base.Nobody(1)", "base.Nobody.Length"):
        with pytest.raises(DapRequestError, match=r"CS0117: '.*HasSize' does not contain"):
            session.evaluate(missing)


def statics(session: Session, name: str) -> dict[str, Variable]:
    """The static members of a variable."""
    group = next(e for e in session.variables(session.locals()[name].variables_reference) if e.name == "Static members")
    return {entry.name: entry for entry in session.variables(group.variables_reference)}


def test_constants_are_listed_with_the_static_members(runtime: Runtime, session: Session) -> None:
    session.stop_in_file(programs.build("Members", runtime), "Statics.cs", "statics")
    constants = statics(session, "constants")
    assert {name: (entry.value, entry.type) for name, entry in constants.items()} == {
        "Number": ("-5", "int"),
        "Text": (r'"a\"b"', "string"),
        "Nothing": ("null", "string"),
        "Rate": ("0.25", "decimal"),
        "Day": ("Friday", "DayOfWeek"),
        "Half": ("0.5", "double"),
        "Letter": ("120 'x'", "char"),
        "Yes": ("true", "bool"),
    }
    for entry in constants.values():
        if entry.name != "Half":  # it is private
            assert session.evaluate(entry.evaluate_name or "").result == entry.value
    hint = constants["Half"].presentation_hint
    assert hint is not None
    assert (hint.kind, hint.visibility) == ("data", "private")
    assert set(hint.attributes or ()) >= {"static", "constant", "readOnly"}


def test_members_in_groups_are_set_by_the_object_too(runtime: Runtime, session: Session) -> None:
    """As clients have it that look for the names of members, and not for groups."""
    session.stop_in_file(programs.build("Members", runtime), "Statics.cs", "statics")
    early = session.locals()["early"].variables_reference
    stored = session.request("setVariable", {"variablesReference": early, "name": "Zero", "value": "5"})
    assert stored["value"] == "5"
    assert session.evaluate("Members.Early.Zero").result == "5"
    with pytest.raises(DapRequestError, match="no variable 'Nope'"):
        session.request("setVariable", {"variablesReference": early, "name": "Nope", "value": "5"})


NO_STATIC_VALUE = "not initialised yet, or a static pointer, which the runtime does not provide"


def test_static_properties_are_listed_with_the_static_fields(runtime: Runtime, session: Session) -> None:
    session.stop_in_file(programs.build("Members", runtime), "Statics.cs", "statics")
    early = statics(session, "early")
    shown = {name: (entry.value, entry.evaluate_name) for name, entry in early.items()}
    assert shown == {
        "Zero": ("0", "Members.Early.Zero"),  # its constructor has run the initialiser
        "Items": ("Count = 2", "Members.Early.Items"),
        "Address": (f"<{NO_STATIC_VALUE}>", "Members.Early.Address"),
        "First": ("1", "Members.Early.First"),
    }
    with pytest.raises(DapRequestError, match=NO_STATIC_VALUE):
        session.evaluate("Members.Early.Address")
    assert {name: entry.value for name, entry in statics(session, "only").items()} == {"Total": "8"}
    assert {name: entry.value for name, entry in statics(session, "zeros").items()} == {"First": "0"}
    hint = early["First"].presentation_hint
    assert hint is not None
    assert (hint.kind, hint.attributes, hint.visibility) == (
        "property",
        ["static", "readOnly", "interpreted"],
        "public",
    )


def test_static_members_of_a_class_that_is_not_initialised_have_no_false_values(
    runtime: Runtime, session: Session
) -> None:
    session.stop_in_file(programs.build("Members", runtime), "Statics.cs", "statics")
    frame = session.stack(count=1)[0].id
    for unknown in ("Members.Wider.Limit", "Members.Wider.Whole.Second"):  # a hover runs no initialiser
        with pytest.raises(DapRequestError, match="may not be initialised yet"):
            session.request("evaluate", {"expression": f"{unknown},nse", "frameId": frame})
        hovered = session.request("evaluate", {"expression": unknown, "frameId": frame, "context": "hover"})
        assert hovered["result"] == "runs code: add to watch"
    assert [session.evaluate(f"Members.Wider.{name}").result for name in ("Whole.Second", "Limit")] == ["8", "4"]
    assert session.evaluate("Members.Wider.Whole.Name").result == '"whole"'
    late = statics(session, "late")
    at_once = {name: entry.value for name, entry in late.items() if not is_lazy(entry)}
    assert at_once == {"Count": "7", "Count (Late)": "5", "Hidden": "4", "Bounds": "(5, 9)"}
    assert {name for name in late if is_lazy(late[name])} == {"Limit", "Name", "Nothing", "Text", "Broken"}
    assert "may not be initialised yet" in late["Limit"].value
    opened = {}
    for name in ("Limit", "Name", "Nothing", "Text", "Broken"):
        (inside,) = session.variables(late[name].variables_reference)
        opened[name] = inside.value
    assert opened.pop("Broken").startswith("<The called code threw System.InvalidOperationException: no number")
    assert opened == {
        "Limit": "3",
        "Name": '"late"',
        "Nothing": "null",
        "Text": '"late5"',
    }
    assert {name: entry.value for name, entry in statics(session, "late").items() if not is_lazy(entry)} == {
        "Limit": "3",
        "Name": '"late"',
        "Nothing": "null",
        "Count": "7",
        "Count (Late)": "5",
        "Bounds": "(5, 9)",
        "Hidden": "4",
    }
    for name, entry in late.items():
        if name != "Broken":
            expected = opened.get(name, entry.value)
            assert session.evaluate(entry.evaluate_name or "").result == expected, name


def is_lazy(entry: Variable) -> bool:
    return bool(entry.presentation_hint and entry.presentation_hint.lazy)


AS_WORDS = [("null", "null"), ("true", "true"), ("false", "false")]


def test_getters_that_do_more_than_read_are_answered_as_the_program_would(runtime: Runtime, session: Session) -> None:
    session.stop_in_file(programs.build("Members", runtime), "Described.cs", "texts")
    frame = session.stack(count=1)[0].id
    noted = session.evaluate("texts")
    answered, wrong = set(), []
    for entry in session.variables(noted.variables_reference):
        place, is_noted, expected = entry.value[1:-1].partition("=")
        if not is_noted:
            continue
        try:
            hover = session.request("evaluate", {"expression": place, "frameId": frame, "context": "hover"})
        except DapRequestError:
            continue
        if hover["result"].startswith("runs code"):
            continue
        answered.add(place)
        shown = hover["result"]
        if shown != f'"{expected}"' and (shown, expected) not in AS_WORDS:
            wrong.append((place, expected, shown))
    assert wrong == []
    getters = {"Host", "Authority", "AbsolutePath", "Query", "Fragment", "PathAndQuery", "AbsoluteUri", "LocalPath"}
    assert answered >= {f"uris[0].{getter}" for getter in getters}
    assert answered >= {
        f"files[{number}].{getter}" for number in (0, 1) for getter in ("Name", "Extension", "FullName")
    }
    assert answered >= {"files[0].DirectoryName", "folders[0].Name", "failures[0].Message", "failures[2].Message"}
    of_types = ("Name", "FullName", "Namespace", "IsValueType", "IsArray", "IsGenericType", "ToString()")
    assert answered >= {f"types[{number}].{getter}" for number in range(8) for getter in of_types}
    cells = {'row["Name"]': '"ann"', 'row["Id"]': "5", 'empty["Name"]': "{}", "row[1]": "5"}
    for expression, expected in cells.items():
        ways = [session.request("evaluate", {"expression": expression, "frameId": frame, "context": way})["result"]
                for way in ("hover", "watch")]  # fmt: skip
        assert ways == [expected, expected], expression
    with pytest.raises(DapRequestError, match="CS0019"):
        session.evaluate('row["Id"] + 1')


EXPLICIT = {
    "Name": ('"own"', "both.Name"),
    "INamed.Size": ("6", "((Members.INamed)both).Size"),
    "INamed.Size (Explicit.Both)": ("4", None),  # nothing reaches it
    "INamed.Name": ('"derived"', "((Members.INamed)both).Name"),
    "IHolding<KeyValuePair<string, int>>.Held": (
        '{["k", 7]}',
        "((Members.IHolding<System.Collections.Generic.KeyValuePair<string, int>>)both).Held",
    ),
    "IHolding<Explicit.INested>.Held": ("null", "((Members.IHolding<Members.Explicit.INested>)both).Held"),
    "Explicit.INested.Deep": (None, "((Members.Explicit.INested)both).Deep"),
    "Explicit.IList2.class": ("5", "((Members.Explicit.IList2)both).@class"),
}


def test_explicit_implementations_are_listed_with_their_interface(runtime: Runtime, session: Session) -> None:
    session.stop_in_file(programs.build("Members", runtime), "Explicit.cs", "explicit")
    shown = session.locals()
    members = {one.name: one for one in session.variables(shown["both"].variables_reference)}
    assert {name for name in members if name != "Static members"} == EXPLICIT.keys()
    for name, (value, path) in EXPLICIT.items():
        one = members[name]
        assert (name, one.evaluate_name) == (name, path)
        if path is None:
            assert one.value == value
        elif value is None:
            assert one.presentation_hint is not None
            assert one.presentation_hint.lazy  # it has not run
            assert session.evaluate("Members.Explicit.Both.Calls").result == "0"
            (opened,) = session.variables(one.variables_reference)
            assert (opened.value, session.evaluate(path).result) == ("1", "2")
        else:
            assert (one.value, session.evaluate(path).result) == (value, value)
        assert one.presentation_hint is not None
        assert one.presentation_hint.visibility == ("public" if name == "Name" else "private")
    parent = shown["both"].variables_reference
    arguments = {"variablesReference": parent, "name": "INamed.Size", "value": "9"}
    assert session.request("setVariable", arguments)["value"] == "9"
    assert session.evaluate("((Members.INamed)both).Size").result == "9"
    held = {one.name: one for one in session.variables(shown["held"].variables_reference)}
    assert {name: one.value for name, one in held.items()} == {
        "IHolding<int[]>.Held": "null",
        "Explicit.INested2.Inside": "3",
    }
    assert session.evaluate(held["Explicit.INested2.Inside"].evaluate_name or "").result == "3"
    assert not [one.name for one in session.variables(shown["numbers"].variables_reference) if "." in one.name]


def test_explicit_implementations_of_the_framework_are_not_public(runtime: Runtime, session: Session) -> None:
    session.stop_in_file(programs.build("Members", runtime), "Explicit.cs", "explicit")

    def opened(reference: int, name: str) -> dict[str, tuple[str, str | None]]:
        (found,) = [one for one in session.variables(reference) if one.name == name]
        return {one.name: (one.value, one.evaluate_name) for one in session.variables(found.variables_reference)}

    raw = next(one for one in session.variables(session.locals()["list"].variables_reference) if one.name == "Raw View")
    hidden = opened(raw.variables_reference, "Non-Public members")
    name = "ICollection<string>.IsReadOnly"
    assert hidden[name] == ("false", "((System.Collections.Generic.ICollection<string>)list).IsReadOnly")
    assert hidden["IList.IsFixedSize"] == ("false", "((System.Collections.IList)list).IsFixedSize")


PATTERN_VARIABLES = {
    "string": {"s": '"text"'},
    "inLambda": {"s": '"other"'},  # which is stored at the stop before
    "behind": {},
    "int": {"n": "5"},
    "list": {"s": "Count = 2"},
    "nested": {"s": '"outer"', "t": '"inner"'},
    "same": {"s": '"inner"'},
    "awaited": {"s": '"later"'},
    "awaitedTwice": {"s": '"later"', "n": "7"},
    "noLonger": {},
    "yielded": {"s": '"some"'},
    "generic": {"t": "6"},
}
"""The variables at each marker, in the order in which it is come to first."""


def test_captured_variables_of_patterns_are_those_of_their_section(runtime: Runtime, session: Session) -> None:
    program = programs.build("Members", runtime)
    lines = {program.line(marker, "Patterns.cs"): marker for marker in PATTERN_VARIABLES}
    path = str(program.source_dir / "Patterns.cs")
    session.launch(str(program.dll), breakpoints={path: list(lines)}, env=dict(program.env))
    seen: dict[str, dict[str, str]] = {}
    while len(seen) < len(PATTERN_VARIABLES):
        session.wait_for_stop()
        marker = lines[session.line()]
        shown = session.values()
        found = {name: shown[name] for name in ("s", "t", "n") if name in shown}
        assert found == {name: session.evaluate(name).result for name in found}
        assert seen.setdefault(marker, found) == found
        if marker == "string":
            assert session.evaluate("s.Length").result == "4"
            session.evaluate('s = "other"')
            assert session.evaluate("length()").result == "5"
            with pytest.raises(DapRequestError, match="CS0103"):
                session.evaluate("n")
        session.continue_()
    assert seen == PATTERN_VARIABLES


def test_property_that_only_initialisers_set_is_read_only(newest_runtime: Runtime, session: Session) -> None:
    if newest_runtime.major in ("3.1", "5.0", "6.0"):
        pytest.skip("the program is of C# 11")
    session.stop_in(programs.build("NewStores", newest_runtime), "init")
    children = session.variables(session.locals()["made"].variables_reference)
    attributes = {
        child.name: (child.presentation_hint and child.presentation_hint.attributes) or [] for child in children
    }
    settable = {name for name, found in attributes.items() if "readOnly" not in found}
    assert (settable, set(attributes) - settable) == ({"Value", "Halved"}, {"Name", "Needed"})
