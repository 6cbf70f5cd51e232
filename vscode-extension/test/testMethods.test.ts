import * as assert from "node:assert/strict";
import { test } from "node:test";

import { testPlaces } from "../src/testMethods";

function filters(source: string): string[] {
    return testPlaces(source).map((place) => `${place.line} ${place.name} ${place.filter}`);
}

test("tests of all frameworks are found, with their classes", () => {
    const source = `using Xunit;
namespace Shop.Tests;

public class CartTests : IDisposable
{
    [Fact]
    public void Adds() { }

    [Theory]
    [InlineData(1)]
    public async Task Grows<T>(int by) => await Task.Delay(by);

    [Test, Category("slow (really)")] public void Sells() { if (true) { } }
    [TestCase(new[] { 1, 2 }, "]")]
    public void Counts(int[] all, string text) { }
    [Microsoft.VisualStudio.TestTools.UnitTesting.TestMethod()]
    public void Pays() { }

    // [Fact] public void NotThis() { }
    [Obsolete] public void Helper() { }
}
`;
    assert.deepEqual(filters(source), [
        "3 CartTests FullyQualifiedName~Shop.Tests.CartTests.",
        "5 Adds FullyQualifiedName=Shop.Tests.CartTests.Adds",
        "8 Grows FullyQualifiedName=Shop.Tests.CartTests.Grows",
        "12 Sells FullyQualifiedName=Shop.Tests.CartTests.Sells",
        "13 Counts FullyQualifiedName~Shop.Tests.CartTests.Counts",
        "15 Pays FullyQualifiedName=Shop.Tests.CartTests.Pays",
    ]);
});

test("names have their namespaces and outer classes", () => {
    const source = `namespace A { namespace B.C {
    class Outer<T> { [Fact] void Generic() { } }
    record class Outer2(int X) { public class Inner : Base<int> { [Fact] public void Deep() { var x = new { Y = 1 }; } } }
} }
class Bare { [Fact] void Alone() { } }`;
    assert.deepEqual(
        testPlaces(source)
            .filter((place) => place.filter.includes("="))
            .map((place) => place.filter),
        ["FullyQualifiedName=A.B.C.Outer2+Inner.Deep", "FullyQualifiedName=Bare.Alone"],
    );
});

test("any text ends", () => {
    for (const source of ["[", "class A { [Fact", "class A { [Fact] (", "}}}", "namespace", "class", "class A : B {", ""]) {
        assert.deepEqual(testPlaces(source), [], source);
    }
});
