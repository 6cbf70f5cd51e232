"""Names without namespaces, as narrow views show them."""

from __future__ import annotations

import pytest

from dap_dotnet.symbols.short_names import short_name, short_type_name
from tests.unit.evaluation.fakes import World

TYPES = ("Shop.Cart", "Shop.Sales.Item", "Shop.Sales.Box`1", "Shop.Order", "Store.Order", "Program")


@pytest.fixture
def world() -> World:
    made = World()
    made.metadata.debuggable = (True, True)
    for name in TYPES:
        made.type(name)
    return made


@pytest.mark.parametrize(
    ("name", "short"),
    [
        ("Shop.Cart.Add(Shop.Sales.Item item, int count)", "Cart.Add(Item item, int count)"),
        ("Shop.Cart.Line.Total.get", "Cart.Line.Total.get"),
        ("Shop.Sales.Box<Shop.Sales.Item>.Take<T>(T one)", "Box<Item>.Take<T>(T one)"),
        ("static Shop.Cart.Cart()", "static Cart.Cart()"),
        ("Shop.Cart.Shop.Sales.Item.Run()", "Cart.Shop.Sales.Item.Run()"),
        ("Shop.Cart.operator +(Shop.Cart a, Other.Cart b)", "Cart.operator +(Cart a, Other.Cart b)"),
        ("Shop.Order.Add(Store.Order other)", "Shop.Order.Add(Store.Order other)"),
        ("Program.Main(string[] args)", "Program.Main(string[] args)"),
        ("Shop.Missing.Go()", "Shop.Missing.Go()"),
    ],
)
def test_namespaces_are_left_out_unless_the_simple_name_is_ambiguous(world: World, name: str, short: str) -> None:
    (module,) = list(world.catalog)[:1]
    assert short_name(world.catalog, module, name) == short


def test_type_is_short_unless_its_simple_name_is_ambiguous(world: World) -> None:
    shown = {name: short_type_name(world.catalog, name) for name in ("Shop.Cart+Line", "Store.Order", "Program")}
    assert shown == {"Shop.Cart+Line": "Cart+Line", "Store.Order": "Store.Order", "Program": "Program"}
