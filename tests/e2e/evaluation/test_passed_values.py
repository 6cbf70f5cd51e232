"""What is given to the program's code arrives as the type that takes it, above all as a nullable."""

from __future__ import annotations

import pytest

from dap_dotnet.client import DapRequestError
from tests.support import programs
from tests.support.dotnet import Runtime
from tests.support.session import Session

pytestmark = pytest.mark.e2e

PASSED = {
    "new KeyValuePair<Type, int>(typeof(int), 3).Key.Name": '"Int32"',
    "new List<Type> { typeof(int), typeof(string) }.Count": "2",
    # a value behind `?.`, as a nullable
    "OfNumber(reading?.Number)": '"<7>"',
    "OfNumber(reading?.Count())": '"<7>"',
    "OfNumber(none?.Number)": '"<null>"',
    "OfWide(reading?.Wide)": '"<9>"',
    "OfWide(reading?.Number)": '"<7>"',
    "OfWide(maybe)": '"<12>"',
    "OfPlace(reading?.Place)": '"<1,2>"',
    "OfPlace((Point?)reading.Place)": '"<1,2>"',
    "OfPlace(place)": '"<10,20>"',
    "OfPlace(maybePlace)": '"<3,4>"',
    "OfPlace(reading?.MaybePlace)": '"<5,6>"',
    "OfPlace(new Point?(place))": '"<10,20>"',
    "OfPlace(readings[0]?.Place ?? place)": '"<1,2>"',
    "OfId(reading?.Id)": '"<00112233-4455-6677-8899-aabbccddeeff>"',
    "OfTime(reading?.Time)": '"<637135200000000000>"',
    "OfPrice(reading?.Price)": '"<3.0>"',
    "OfPrice(maybe)": '"<24>"',
    "OfLevel(reading?.Level)": '"<High>"',
    "OfPlainLevel(0)": '"<Low>"',
    "OfThree(reading?.Number, reading?.Place, reading?.Id.ToString().Substring(0, 2))": '"<7><1,2><00>"',
    "OfThree(maybe, maybePlace, null)": '"<12><3,4><null>"',
    "OfPair((reading?.Number, reading?.Place))": '"<7><1,2>"',
    "OfPair((1, place))": '"<1><10,20>"',
    "OfTag(1, maybeTag)": '"<1><tag1>"',  # of more than 16 bytes, boxed before its turn
    "OfPlaces(reading?.Place, none?.Place, maybePlace, place)": '"<1,2> <null> <3,4> <10,20>"',
    "function(reading?.Place)": '"<1,2>"',
    "(reading?.Place).Extended(reading?.Number)": '"<1,2><7>"',
    "taker[reading?.Number]": "7",
    "(taker + reading?.Number).Given": "12",
    "new Taker(reading?.Number).Given": "7",
    # as an object, and as what a type argument stands for
    "OfObject(reading?.Number)": '"<7>"',
    "OfObject(reading?.Flag)": '"<True>"',
    "OfObject(reading?.Place)": '"<1,2>"',
    "OfObject(reading?.Level)": '"<High>"',
    "OfObject(reading?.Place.X)": '"<1>"',
    "OfObject(none?.Place)": '"<null>"',
    "OfAny(reading?.Place)": '"Nullable`1<1,2>"',
    "OfAny(new { V = reading?.Place.X })": '"<>f__AnonymousType0`1<{ V = 1 }>"',
    'string.Format("{0} {1} {2}", reading?.Number, reading?.Place, none?.Place)': '"7 1,2 "',
    'string.Concat(reading?.Number, "x")': '"7x"',
    "((IFormattable)(reading?.Number)).ToString()": '"7"',
    # in arrays, lists and what lambdas give
    "new Point?[] { reading.Place, null }[0].ToString()": '"1,2"',
    "new Guid?[] { reading.Id }[0].Value.ToString().Length": "36",
    "string.Join(' ', new Level?[] { reading.Level, reading?.Level, null })": '"High High "',
    "OfPlaces(new Point?[] { reading.Place, null, maybePlace })": '"<1,2> <null> <3,4>"',
    "OfPlace(new List<Point?> { reading?.Place }[0])": '"<1,2>"',
    "readings.Select(one => (Point?)one?.Place).ToList()[0].ToString()": '"1,2"',
    "OfPlace(readings.Select(one => one?.Place).ToArray()[0])": '"<1,2>"',
    "new Func<int?, Point?, object>((a, b) => b?.Y + a)(1, place)": "21",
    # of a thousand pairs at once
    'many.ToDictionary(pair => pair.Value, pair => pair.Key)["n999"]': "999",
    "many.Take(9).ToDictionary(pair => pair.Key).Count": "9",
    "many.Take(9).ToDictionary(pair => pair.Key)[3].Value": '"n3"',
    "many.Take(3).ToDictionary(pair => pair.Key, pair => (int?)pair.Key)[2]": "2",
    "many.Take(2).ToDictionary(pair => (object)pair.Key, pair => new { pair.Value }).Values.Last().Value": '"n1"',
    "many.Where(pair => pair.Key > 997).ToList()[1].Value": '"n999"',
    # in variables, fields and properties
    "OfPlace(maybePlace = reading?.Place)": '"<1,2>"',
    "reading.MaybePlace = reading?.Place; ": "{1,2}",
    "OfPlace(reading.MaybePlace)": '"<1,2>"',
    "(taker[1] = reading?.Number) + taker.Given": "15",
    # members of elements that only can be read; what stands in front is evaluated once
    "order.Lines[0].Count = 9": "9",
    "order.Lines[0].Count += 2": "11",
    "order.Lines[0].Count++": "11",
    "order.Lines[^1].Whole = 3": "3",
    "order.Lines[1].Same.Whole--": "3",
    "(Calls = 0) + (order.Lines[Calls++].Same.Count -= 2) + Calls": "11",
    "order.Lines[0].Count + order.Lines[1].Whole": "12",
}
TYPES = {
    "reading?.Number": "int?",
    "none?.Number": "int?",
    "reading?.Place": "Point?",
    "reading?.Count()": "int?",
    "none?.Id.GetHashCode()": "int?",
    "reading?.Id.ToString()": "string",
    "NoNumbers": "ushort[]",
    "NoLevels": "List<Level[,]>",
}
REFUSED = {
    "order.Lines[0] = null": "CS0200",
    "order.Lines[0].Same = null": "CS0200",
    "order.Points[0].X = 3": "CS1612",
    "order.Lines[2].Count = 3": "ArgumentOutOfRange",
}


def test_values_arrive_as_the_type_that_takes_them(runtime: Runtime, session: Session) -> None:
    program = programs.build("Passed", runtime)
    session.stop_in(program, "here")
    read = {}
    for expression in PASSED:
        try:
            read[expression] = session.evaluate(expression).result
        except DapRequestError as error:
            read[expression] = error.text
    assert read == PASSED
    assert {expression: session.evaluate(expression).type for expression in TYPES} == TYPES
    for expression, said in REFUSED.items():
        with pytest.raises(DapRequestError, match=said):
            session.evaluate(expression)
    frame = session.stack(count=1)[0].id
    answer = session.request("setExpression", {"expression": "order.Lines[0].Count", "value": "5", "frameId": frame})
    assert answer["value"] == "5"
    lines = session.evaluate("order.Lines")
    first = session.variables(lines.variables_reference)[0]
    stored = {"variablesReference": first.variables_reference, "name": "Count", "value": "6"}
    assert session.request("setVariable", stored)["value"] == "6"
    assert session.evaluate("order.Lines[0].Count").result == "6"
    # Each turn calls the program; the mark of the cancel is seen between two of them.
    counted = "Enumerable.Range(0, 1000000).Count(number => OfNumber(number) == null)"
    pending = session.send("evaluate", {"expression": counted, "frameId": frame, "context": "repl"})
    session.request("cancel", {"requestId": pending.seq})
    with pytest.raises(DapRequestError):
        pending.result()
    assert session.evaluate("maybe").result == "12"
    line = program.line("here")
    condition = 'OfNumber(reading?.Number) == "<7>" && reading?.Place.Y == 2'
    session.set_breakpoints(str(program.source), [{"line": line, "condition": condition}])
    session.continue_()
    assert session.wait_for_stop().reason == "breakpoint"
    session.continue_()
    session.wait_for_exit()
