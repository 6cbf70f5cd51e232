"""Completions in a real program."""

from __future__ import annotations

import pytest

from tests.support import programs
from tests.support.dotnet import Runtime
from tests.support.session import Session

pytestmark = pytest.mark.e2e
COMPLETED = {
    "cap": {"captured": "variable"},
    "dog.Pa": {"Pats": "field"},
    "dog.leg": {"Legs": "property", "legs": "field"},
    "dog.Ad": {"Add": "method"},
    "Dog.Tw": {"Twice": "method"},
    "Dog.Si": {"Size": "class"},
    "Dog.Size.L": {"Large": "enum"},
    "numbers.Cou": {"Count": "property"},
    "numbers.Whe": {"Where": "method"},
    "numbers.Where(n => n.CompareT": {"CompareTo": "method"},
    "words.First(w => w.Leng": {"Length": "property"},
    "Program.Iterate(3).Where(n => n.CompareT": {"CompareTo": "method"},  # nothing runs for its elements
    "map.First(kv => kv.Va": {"Value": "property"},
    "words.Where((w, n) => w.Leng": {"Length": "property"},
    "from w in words where w.Leng": {"Length": "property"},
    '$"{dog.leg}: {words.First(w => w.Leng': {"Length": "property"},
    "int.MaxV": {"MaxValue": "field"},
    "typeof(Dog).Na": {"Name": "property"},
    "word.ToUpp": {"ToUpper": "method", "ToUpperInvariant": "method"},
    "System.Collections.Gene": {"Generic": "module"},
    "System.DateTim": {"DateTime": "class", "DateTimeOffset": "class"},
    "Mon": {"Money": "class"},
    "typ": {"typeof": "keyword"},
    "tuple.": {"X": "field", "Y": "field"},
    "maybe.Has": {"HasValue": "property"},
    "words.First().Leng": {"Length": "property"},
    "numbers.ToString().ToUpp": {"ToUpper": "method"},
    "numbers.OrderBy(n => n).ToList().Cou": {"Count": "property"},
    "map.First().Va": {"Value": "property"},
    "new Mon": {"Money": "class"},
    "typeof(Mon": {"Money": "class"},
    "new Dog { le": {"legs": "field"},
    "dog is { le": {"legs": "field"},
    "dog is Dog { legs: 1, Pa": {"Pats": "field"},
    "$e": {"$exception": "variable"},
    "@cap": {"captured": "variable"},
    "new Dog.": {"Size": "class"},
    "new Dog().Pa": {"Pats": "field"},
    "typeof(Dog.Si": {"Size": "class"},
    "new System.Collections.Generic.Lis": {"List": "class"},
    "new Dog.Le": {},
    "new Dog.Tw": {},
    "boxed as Dog.Si": {"Size": "class"},
    "dog.Bar": {"Bark": "method"},
    "words.Bar": {},
    "maybe?.Com": {"CompareTo": "method"},
    "maybe?.Has": {},
    "maybe.Get": {"GetValueOrDefault": "method"},
    "maybe?.GetV": {},
    "new Dog { Pa": {"Pats": "field"},
    "new Dog { Nam": {},
    "dog is { Nam": {"Name": "property"},
    "dog is { Name.Len": {"Length": "property"},
    "dog is { Name: { Len": {"Length": "property"},
    "from w in words let n = w.Length where n.CompareT": {"CompareTo": "method"},
    "dog.Add(": {"first:": "variable", "text:": "variable", "dog": "variable"},
    "dog.Add(1, se": {"second:": "variable"},
    "dog.Bark(ti": {"times:": "variable"},
    "dog.Bark(do": {"dog": "variable"},
    "numbers.Where(pred": {"predicate:": "variable"},
    "string.Join(sepa": {"separator:": "variable"},
    "new System.Text.StringBuilder(cap": {"capacity:": "variable", "captured": "variable"},
    "dog.Add(dog.Add(1), 2).Comp": {"CompareTo": "method"},
    "dog,": {"raw": "keyword", "nq": "keyword"},
    "dog,ra": {"raw": "keyword"},
    "(dog, Rando": {"Random": "class"},
    "(true ? dog : null).Pa": {"Pats": "field"},
    "(numbers.Count > 3 && dog != null).Comp": {"CompareTo": "method"},
    "words.Select(w => (Long: w.Length, 1)).First().Lo": {"Long": "field"},
    "System.Threading.Tasks.Task.FromResult(dog).Result.Pa": {"Pats": "field"},
    "(await System.Threading.Tasks.Task.FromResult(dog)).Pa": {"Pats": "field"},
    "dog is Dog found && found.Pa": {"Pats": "field"},
    "numbers.Aggregate(dog, (d, n) => d.Pa": {"Pats": "field"},
    "words.ToDictionary(w => w, w => w.Length).First().Val": {"Value": "property"},
    "words.Select(w => { var n = w.Length; return n.CompareT": {"CompareTo": "method"},
    "from w in words group w by w.Length into g select g.Ke": {"Key": "property"},
    "dog switch { { le": {"legs": "field"},
    "var pats = dog.Pa": {"Pats": "field"},
    "new { dog }.dog.Pa": {"Pats": "field"},
    "new System.Collections.Generic.List<Mon": {"Money": "class"},
    "words.Where(w => w.Length > numb": {"numbers": "variable"},
    "// dog.Pa": {},
    '"text': {},
    "nobody.": {},
}


def test_completions_in_a_frame(newest_runtime: Runtime, session: Session) -> None:
    session.stop_in(programs.build("Expressions", newest_runtime), "main")
    frame = session.stack()[0].id
    for text, expected in COMPLETED.items():
        targets = session.request("completions", {"text": text, "column": len(text) + 1, "frameId": frame})["targets"]
        found = {target["label"]: target["type"] for target in targets}
        assert {label: found.get(label) for label in expected} == expected, text
        assert bool(found) is bool(expected), text
    assert session.evaluate("dog.Pats").result == "0"


def test_members_of_an_expando_object(newest_runtime: Runtime, session: Session) -> None:
    session.stop_in_file(programs.build("Shown", newest_runtime), "Collections.cs", "others")
    arguments = {"text": "bag.N", "column": 6, "frameId": session.stack()[0].id}
    targets = session.request("completions", arguments)["targets"]
    assert ("Name", "property") in {(target["label"], target["type"]) for target in targets}
