"""What keeps objects alive: chains of references from each to a root."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence

from msgspec import Struct

from dap_dotnet.runtime.model import ThreadId
from dap_dotnet.values.context import Program
from dap_dotnet.values.heap.instances import TypeStatistics
from dap_dotnet.values.heap.referrers import referrers_of

_MOST_WALKS = 20


class Chain(Struct, frozen=True):
    """The words for each reference, the one to the object first.

    Whole where the last is a root, or nothing keeps the object.
    """

    type_name: str
    links: list[str]
    is_whole: bool


def chains_to_roots(program: Program, types: Sequence[TypeStatistics], count: int, thread: ThreadId) -> Iterator[Chain]:
    """For the first objects of some types. Each link takes a walk through the heap."""
    for one in types:
        for address in program.debuggee.heap_instances(one.type, 0, count):
            yield _chain(program, one.name, address, thread)
            count -= 1
        if count <= 0:
            return


def _chain(program: Program, type_name: str, address: int, thread: ThreadId) -> Chain:
    """The shortest one to a root, among what can be seen in some walks; some referring objects are dead themselves."""
    chains: deque[tuple[int, list[str]]] = deque([(address, [])])
    seen = {address}
    longest: list[str] = []
    for _ in range(_MOST_WALKS):
        if not chains:
            return Chain(type_name, [], is_whole=True)  # all that refers to it is dead, as it is
        address, links = chains.popleft()
        found = referrers_of(program, address, thread).found
        root = next((one for one in found if not one.address), None)
        if root is not None:
            return Chain(type_name, [*links, root.text], is_whole=True)
        for one in found:
            if one.address not in seen:
                seen.add(one.address)
                chains.append((one.address, [*links, one.text]))
                longest = chains[-1][1]
    return Chain(type_name, longest, is_whole=not longest)
