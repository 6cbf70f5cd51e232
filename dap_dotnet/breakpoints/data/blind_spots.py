"""Which stores a data breakpoint cannot see, in words: what its message and its explanation say beforehand."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from msgspec import Struct

from dap_dotnet.breakpoints.data.addresses import Escape
from dap_dotnet.breakpoints.data.stores import Store
from dap_dotnet.runtime.model import MethodToken, ModuleId

ALWAYS = (
    "Not seen until the next store that is: reflection, native code and code made at run time; pointers and references "
    "that are made elsewhere; what the expression that stores does after it when an exception leaves the method."
)
"""Of every data breakpoint."""
OF_ALL_OBJECTS = (
    "Of all objects, no store is seen to what a call returns that does more than read, in an initialiser whose object "
    "goes straight into a call or a field, and by a copy of a whole struct that has the field."
)
"""Of the field of all objects, or of all values of a struct."""
_MOST_PLACES = 3

MethodText = Callable[[ModuleId, MethodToken], str]


class SearchedModule(Struct, frozen=True):
    """What the search for stores in one module could not do."""

    name: str
    unwatched: str = ""
    """Why none of its code is watched."""
    unread: tuple[MethodToken, ...] = ()
    """Methods whose IL cannot be understood."""


def blind_spots(stores: Iterable[Store], searched: Iterable[SearchedModule], method_text: MethodText) -> str:
    """Sentences about what is special to these stores and modules; empty when there is nothing to say."""
    stores = list(stores)
    returned = _places([store for store in stores if Escape.RETURNED in store.escapes], method_text)
    pointers = _places([store for store in stores if Escape.POINTER in store.escapes], method_text)
    sentences = []
    if returned:
        sentences.append(f"A reference to it is returned by {returned}: what is stored through that is not seen.")
    if pointers:
        sentences.append(f"A pointer to it is made in {pointers}: what is stored through that elsewhere is not seen.")
    for module in searched:
        if module.unwatched:
            sentences.append(f"Stores in {module.name} are not seen: it {module.unwatched}.")
        if module.unread:
            count = len(module.unread)
            what = f"{count} methods that use" if count > 1 else "a method that uses"
            sentences.append(f"Stores in {what} it in {module.name} are not seen: the IL cannot be read.")
    return " ".join(sentences)


def _places(stores: Sequence[Store], method_text: MethodText) -> str:
    places = dict.fromkeys(
        method_text(store.location.module, store.location.method) + (f" (line {store.span.line})" if store.span else "")
        for store in stores
    )
    shown = list(places)[:_MOST_PLACES]
    more = len(places) - len(shown)
    return ", ".join(shown) + (f" and {more} more" if more else "")
