"""Frames' names and places: kept with their module, and still those of the frame that is asked for."""

from __future__ import annotations

from dap_dotnet.runtime.model import MAPPING_EXACT, Frame, FrameKind, MethodToken, ModuleId, ModuleInfo
from dap_dotnet.symbols.entry_point import entry_location
from dap_dotnet.symbols.frames import describe_frame
from dap_dotnet.symbols.modules import ModuleCatalog
from tests.support.fake_debuggee.sample import SAMPLE


def test_a_frame_is_described_alike_each_time_and_another_one_otherwise() -> None:
    modules = ModuleCatalog()
    info = ModuleInfo(ModuleId(7), str(SAMPLE), 0, 0, is_dynamic=False, is_in_memory=False, is_mapped_layout=False)
    loaded = modules.add(info, lambda address, size: b"")
    main = entry_location(loaded)
    assert main is not None
    assert loaded.pdb is not None
    last = [point for point in loaded.pdb.sequence_points(main.method) if not point.is_hidden][-1]

    def frame(method: int, il_offset: int | None) -> Frame:
        return Frame(0, FrameKind.IL, loaded.id, MethodToken(method), il_offset, MAPPING_EXACT, 0, 0)

    first = describe_frame(modules, frame(main.method, main.il_offset))
    end = describe_frame(modules, frame(main.method, last.il_offset))
    assert first.span is not None
    assert end.span is not None
    assert first.span.line < end.span.line == last.start_line
    other = next(token for token in range(0x06000001, 0x06000010) if token != main.method)
    assert describe_frame(modules, frame(other, None)).name != first.name
    assert describe_frame(modules, frame(main.method, None)).span is None
    assert describe_frame(modules, frame(main.method, main.il_offset)) == first
    assert describe_frame(modules, frame(main.method, last.il_offset)) == end
    modules.close()
