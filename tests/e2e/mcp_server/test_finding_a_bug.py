"""An agent's session of forty calls that finds a bug which was planted in a program that is not of this repository."""

from __future__ import annotations

import pytest

pytest.importorskip("mcp")

import anyio
from mcp import Client, StdioServerParameters

from tests.support import programs
from tests.support.session import Place, adapter_program

pytestmark = pytest.mark.e2e
DEADLINE_S = 120.0
PROGRAM = """\
using System;
using System.Collections.Generic;

namespace Shop
{
    public class Item
    {
        public string Name;
        public int Count;
        public decimal Price;

        public Item(string name, int count, decimal price)
        {
            Name = name;
            Count = count;
            Price = price;
        }

        public decimal Sum => Count * Price;

        public override string ToString() => Count + " " + Name;
    }

    public class Cart
    {
        private readonly List<Item> items = new List<Item>();
        private decimal total;

        public decimal Total => total;

        public void Add(Item item)
        {
            items.Add(item);
            total += item.Sum; // @add
        }

        public void Remove(string name)
        {
            int place = items.FindIndex(one => one.Name == name);
            Item item = items[place]; // @found
            items.RemoveAt(place); // @remove
            total -= item.Price; // @bug: of one, not of all
        } // @removed
    }

    public static class Program
    {
        public static int Main()
        {
            Cart cart = new Cart();
            cart.Add(new Item("apple", 3, 1.5m)); // @first
            cart.Add(new Item("pear", 2, 2m));
            cart.Add(new Item("plum", 10, 0.25m));
            Console.WriteLine("full"); // @full
            cart.Remove("pear");
            Check(cart, 7m); // @check
            return 0;
        }

        private static void Check(Cart cart, decimal expected)
        {
            if (cart.Total != expected)
            {
                throw new InvalidOperationException("the total is wrong"); // @throw
            }
        }
    }
}
"""


class Calls:
    """Calls that succeed, counted."""

    def __init__(self, client):
        self._client = client
        self.count = 0

    async def __call__(self, tool, **arguments):
        self.count += 1
        result = await self._client.call_tool(tool, arguments)
        assert not result.is_error, (tool, result.content)
        assert len(result.content[0].text) < 9_000
        return result.structured_content


def test_forty_calls_find_the_planted_bug(newest_runtime, tmp_path):
    folder = tmp_path / "Shop"
    folder.mkdir()
    (folder / "Program.cs").write_text(PROGRAM, encoding="utf-8")
    program = programs.build(folder, newest_runtime)

    async def main():
        with Place() as place:
            environment = {**place.environment, **program.environment()}
            server = StdioServerParameters(command=adapter_program(), args=["mcp"], env=environment)
            with anyio.fail_after(DEADLINE_S):
                async with Client(server) as client:
                    calls = Calls(client)
                    await see_it_fail(calls, program)
                    await look_around(calls, program)
                    await watch_the_total(calls, program)
                    await go_through_the_culprit(calls, program)
                    await try_a_correction(calls, program)
                    assert calls.count == 40

    anyio.run(main)


async def see_it_fail(call, program):
    """Where it is thrown, and with which values."""
    begun = await call("debug_launch", program=str(program.dll), exceptions=[{"filter": "all"}], stop_at_entry=False)
    stop = begun["stop"]
    assert stop["exception"]["message"] == "the total is wrong"
    assert stop["place"]["line"] == program.line("throw")
    assert "source_note" not in stop
    assert [frame["function"].partition("(")[0] for frame in stop["frames"]] == [
        "Shop.Program.Check",
        "Shop.Program.Main",
    ]
    found = await call("evaluate", expressions=["cart.Total", "expected", "cart.items.Count"])
    assert [one["value"] for one in found["results"]] == ["9.00", "7", "2"]
    (stack,) = (await call("stack_get"))["threads"]
    assert stack["frames"][1]["line"] == program.line("check")
    assert "cart" in {one["name"] for one in (await call("variables_get", frame=1))["variables"]}
    inspected = await call("object_inspect", expression="cart")
    assert {"items", "total"} <= {one["name"] for one in inspected["members"]}
    assert (await call("collection_analyze", expression="cart.items"))["count"] == 2
    items = await call("heap_get", type="Shop.Item")  # whose ToString runs in the program
    assert {one["value"] for one in items["objects"]} == {"{3 apple}", "{2 pear}", "{10 plum}"}
    assert (await call("debug_status"))["sessions"][0]["state"] == "stopped"


async def look_around(call, program):
    """Which members there are, and where they are."""
    assert {one["name"] for one in (await call("types_find", pattern="Shop.*"))["types"]} >= {"Shop.Cart", "Shop.Item"}
    members = await call("members_get", type="Shop.Cart")
    assert {"total", "Add", "Remove"} <= {one["name"] for one in members["members"]}
    source = await call("source_get", file=str(program.source), line=program.line("bug"), around=2)
    assert source["lines"][2]["columns"]
    assert [one["name"] for one in (await call("modules_get"))["modules"]] == ["Shop.dll"]
    layout = await call("layout_get", type="Shop.Item")
    assert {"name": "Name", "type": "string", "offset": 8, "size": 8} in layout["fields"]
    assert "full" in (await call("output_read"))["text"]


async def watch_the_total(call, program):
    """Each change of the field, until one is not what it should be."""
    await call("breakpoint_set_exception", exceptions=[])
    assert (await call("breakpoint_set", field="Shop.Cart.total"))["verified"]
    restarted = await call("debug_restart", wait_s=60)
    changes = [restarted["stop"]]
    for _ in range(3):
        changes.append((await call("execution_continue", wait_s=60))["stop"])
    assert [change["text"].partition(": ")[2] for change in changes] == [
        "0 -> 4.5",
        "4.5 -> 8.5",
        "8.5 -> 11.00",
        "11.00 -> 9.00",
    ]
    culprit = changes[-1]["place"]
    assert culprit["function"].startswith("Shop.Cart.Remove")
    values = {one["name"]: one["value"] for one in changes[-1]["locals"]}
    assert values["name"] == '"pear"'
    should_be = await call("evaluate", expressions=["item.Price", "item.Sum"])
    assert [one["value"] for one in should_be["results"]] == ["2", "4"]  # it takes away 2, the price of one
    listed = await call("breakpoint_list")
    assert [one["hit_count"] for one in listed["breakpoints"]] == [4]


async def go_through_the_culprit(call, program):
    """The method step by step, with what each statement changes."""
    ids = [one["id"] for one in (await call("breakpoint_list"))["breakpoints"]]
    disabled = await call("breakpoint_enable", ids=ids, enabled=False)
    assert [one["state"] for one in disabled["breakpoints"]] == ["disabled"]
    made = await call("breakpoint_set", function="Cart.Remove", condition='name == "pear"')
    assert made["verified"]
    logged = await call("breakpoint_set", file=str(program.source), line=program.line("add"), log_text="{item.Name}")
    assert logged["verified"]
    stopped = await call("debug_restart", wait_s=60)
    assert stopped["stop"]["place"]["function"].startswith("Shop.Cart.Remove")
    logs = (await call("timeline_get", kinds=["log"]))["entries"]
    assert [one["text"] for one in logs[-3:]] == ["apple", "pear", "plum"]
    arrived = await call("execution_run_to", file=str(program.source), line=program.line("found"))
    assert arrived["stop"]["place"]["line"] == program.line("found")
    await call("snapshot_create", name="before", expressions=["this"])
    step = await call("execution_step")
    assert [one["name"] for one in step["changes"]] == ["item"]
    assert step["stop"]["returned"][0]["name"].endswith(" returned")
    await call("execution_step")
    await call("execution_step")
    await call("snapshot_create", name="after", expressions=["this"])
    changes = (await call("snapshot_diff", before="before", after="after"))["changes"]
    assert {"name": "this.total", "before": "11.00", "after": "9.00"} in changes
    explained = await call("breakpoint_explain", file=str(program.source), line=program.line("bug"))
    assert "bug" not in explained["text"]


async def try_a_correction(call, program):
    """The value that the correction would give lets the program succeed."""
    assert (await call("variable_set", expression="total", value="7m"))["value"] == "7"
    program.source.write_text(PROGRAM.replace("item.Price; // @bug", "item.Sum; // corrected"), encoding="utf-8")
    back = await call("execution_step", kind="out")
    assert back["stop"]["place"]["function"].startswith("Shop.Program.Main")
    assert "not the file that" in back["stop"]["source_note"]  # it has to be built again
    end = await call("execution_continue", wait_s=60)
    assert (end["state"], end["exit_code"]) == ("ended", 0)
    await call("debug_disconnect")
