from __future__ import annotations

import pytest

from dap_dotnet.breakpoints.data.field_names import (
    data_id,
    field_names,
    is_assembly,
    is_type,
    parse_data_id,
    parse_field_name,
    shown_field_of,
)
from dap_dotnet.breakpoints.model import FieldPlace
from dap_dotnet.errors import UserError


@pytest.mark.parametrize(
    ("written", "full_name", "is_meant"),
    [
        ("Shop.Cart.total", "Shop.Cart", True),
        ("Cart.total", "Shop.Cart", True),
        ("art.total", "Shop.Cart", False),
        ("Other.Cart.total", "Shop.Cart", False),
        ("Shop.Cart.Line.total", "Shop.Cart+Line", True),
        ("Shop.Cart+Line.total", "Shop.Cart+Line", True),
        ("Cart.Line.total", "Shop.Cart+Line", True),
        ("Box<T>.total", "Shop.Box`1", True),
        ("Box<int, List<string>>.total", "Shop.Box`2", True),
        ("Box`1.total", "Shop.Box`1", True),
        ("Box`2.total", "Shop.Box`1", False),
        ("Box.total", "Shop.Box`1", True),
        ("Box<T>.Node.total", "Shop.Box`1+Node", True),
    ],
)
def test_type_of_a_field_may_be_written_shorter(written: str, full_name: str, is_meant: bool) -> None:
    place = parse_field_name(written)
    assert place.field == "total"
    assert is_type(place, full_name) == is_meant


def test_name_of_a_property_means_the_field_behind_it() -> None:
    place = parse_field_name("Cart.Total")
    assert field_names(place) == ["Total", "<Total>k__BackingField", "<Total>i__Field"]
    exact = FieldPlace("Cart", "Total", "shop.dll", is_exact=True)
    assert field_names(exact) == ["Total"]


def test_module_restricts_where_the_field_is() -> None:
    place = parse_field_name("Shop!Cart.total")
    assert (place.module, place.type_name) == ("Shop", "Cart")
    assert is_assembly(place, "shop")
    assert not is_assembly(place, "Other")
    assert is_assembly(parse_field_name("Cart.total"), "Other")


@pytest.mark.parametrize(
    "text", ["", "total", "a b.c", "Cart.", ".total", "Cart.to tal", "1.5", "x + y.z", "Cart.total()"]
)
def test_what_is_no_name_of_a_field_is_refused(text: str) -> None:
    with pytest.raises(UserError) as caught:
        parse_data_id(text)
    assert caught.value.code == "INVALID_FIELD"
    assert "Namespace.Type.Field" in caught.value.message


@pytest.mark.parametrize(
    "place",
    [
        FieldPlace("Shop.Cart+Line`1", "<Total>k__BackingField", "shop.dll", True, 3),
        FieldPlace("Shop.Cart", "total", "shop.dll", True),
        FieldPlace("<>c__DisplayClass0_0", "seen", "my app.dll", True, 1),
        FieldPlace("Shop.Cart", "total", "Shop"),
        FieldPlace("Cart", "total"),
    ],
)
def test_data_id_comes_back_as_what_it_was_made_of(place: FieldPlace) -> None:
    assert parse_data_id(data_id(place)) == place


@pytest.mark.parametrize(
    ("type_name", "field", "shown"),
    [
        ("Shop.Cart", "total", "Shop.Cart.total"),
        ("Shop.Cart+Line", "<Price>k__BackingField", "Shop.Cart.Line.Price"),
        ("Shop.Program+<Main>d__12", "<counter>5__2", "counter in Shop.Program.Main"),
        ("Shop.Program+<Shop.IRun.Go>d__1`1", "<i>5__1", "i in Shop.Program.Shop.IRun.Go"),
        ("Shop.Program+<>c__DisplayClass0_0", "seen", "seen in Shop.Program"),
    ],
)
def test_field_is_shown_as_it_was_written(type_name: str, field: str, shown: str) -> None:
    assert shown_field_of(type_name, field) == shown
