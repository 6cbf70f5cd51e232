"""Which local slots a suspended method may have lost, from IL that is written here."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from dap_dotnet.runtime.model import MethodToken, ModuleId, ModuleInfo
from dap_dotnet.symbols import lost_locals
from dap_dotnet.symbols.modules import LoadedModule
from portablepdb.il import CATCH, ExceptionClause, MethodBody

METHOD = MethodToken(0x06000001)
LDARG_0, LDC_0, STLOC_0, STLOC_1, RET, POP = (bytes([code]) for code in (0x02, 0x16, 0x0A, 0x0B, 0x2A, 0x26))


def brtrue(distance: int) -> bytes:
    """A short branch over so many bytes."""
    return bytes([0x2D, distance])


def leave(distance: int) -> bytes:
    """Out of a `try`, over so many bytes."""
    return bytes([0xDE, distance])


def method(il: bytes, *awaits: tuple[int, int], clauses: tuple[ExceptionClause, ...] = (), fields: Any = ()) -> Any:
    """A module with one method of two slots, which awaits at (yield, resume) offsets."""
    module = LoadedModule(ModuleInfo(ModuleId(1), "/nowhere/app.dll", 0, 0, False, False, False), lambda *_: b"")
    body = MethodBody(il, 8, True, None, clauses, "app.dll", 0)
    module.__dict__["metadata"] = SimpleNamespace(
        method_body=lambda _: body,
        method=lambda _: SimpleNamespace(local_types=(None, None), declaring_type=0x02000002),
        fields_of=lambda _: [SimpleNamespace(name=name) for name in fields],
    )
    info = SimpleNamespace(awaits=[SimpleNamespace(yield_offset=one, resume_offset=other) for one, other in awaits])
    return module, info


def lost(monkeypatch: pytest.MonkeyPatch, made: Any, il_offset: int) -> set[int]:
    module, info = made
    monkeypatch.setattr(lost_locals, "async_info", lambda *_: info)
    return set(lost_locals.lost_slots(module, METHOD, il_offset))


# 0: if (resumed) goto 9; 3: slot 0 = 0; 5: if (is complete) goto 9; 8: return (the yield); 9: slot 1 = 0; 11: return.
AWAIT = LDARG_0 + brtrue(6) + LDC_0 + STLOC_0 + LDARG_0 + brtrue(1) + RET + LDC_0 + STLOC_1 + RET


def test_slot_that_was_set_before_an_await_may_be_lost_behind_it(monkeypatch: pytest.MonkeyPatch) -> None:
    made = method(AWAIT, (8, 9))
    assert lost(monkeypatch, made, 3) == set()
    assert lost(monkeypatch, made, 5) == set()
    assert lost(monkeypatch, made, 9) == {0}
    assert lost(monkeypatch, made, 11) == {0}  # slot 1 is set on each way
    assert lost(monkeypatch, made, 6) == lost(monkeypatch, made, 5)  # within an instruction


def test_slot_is_not_lost_where_no_way_has_set_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is declared later: 0 is what it has."""
    assert 1 not in lost(monkeypatch, method(AWAIT, (8, 9)), 9)


def test_iterator_goes_on_from_its_beginning(monkeypatch: pytest.MonkeyPatch) -> None:
    # 0: if (resumed) goto 6; 3: slot 0 = 0; 5: return; 6: behind the `yield`.
    il = LDARG_0 + brtrue(3) + LDC_0 + STLOC_0 + RET + LDC_0 + POP + RET
    module, _ = method(il)
    assert lost(monkeypatch, (module, None), 6) == {0}
    assert lost(monkeypatch, method(il), 6) == set()  # no iterator, and no await: nothing leads there
    assert lost(monkeypatch, method(il, fields=("<>2__current",)), 6) == {0}  # an async iterator


def test_handler_has_what_the_try_had_before_each_instruction(monkeypatch: pytest.MonkeyPatch) -> None:
    # 0: try { slot 0 = 0; leave 6 } 4: catch { leave 6 } 7: return.
    il = LDC_0 + STLOC_0 + leave(3) + POP + leave(0) + RET
    made = method(il, clauses=(ExceptionClause(CATCH, 0, 4, 4, 3, None, None),))
    assert lost(monkeypatch, made, 2) == set()
    assert lost(monkeypatch, made, 4) == {0}
    assert lost(monkeypatch, made, 7) == {0}


@pytest.mark.parametrize("il", [b"", bytes([0xFE]), bytes([0xFE, 0xFF])])
def test_il_that_cannot_be_read_says_nothing(monkeypatch: pytest.MonkeyPatch, il: bytes) -> None:
    assert lost(monkeypatch, method(il), 0) == set()
