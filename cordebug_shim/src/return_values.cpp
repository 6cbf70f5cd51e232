// What calls return: breakpoints right behind them, and the values there.
#include <algorithm>
#include <iterator>

#include "breakpoints.h"
#include "errors.h"
#include "native_code.h"
#include "session.h"

namespace cds {
namespace {

// Where the value of a call is live; more than one place would say no longer which call it is of.
HRESULT live_offset(ICorDebugCode3& code, std::uint32_t call_offset, std::uint32_t& out_native_offset) {
    std::uint32_t count = 0;
    const HRESULT hr = code.GetReturnValueLiveOffset(call_offset, 1, &count, &out_native_offset);
    if (failed(hr)) {
        return hr;
    }
    return count == 1 ? S_OK : CORDBG_E_UNSUPPORTED;
}

// Where code is about to return; several such places would need a breakpoint each.
HRESULT epilogue_offset(ICorDebugCode& code, std::uint32_t& out_native_offset) {
    const auto mappings = mappings_of(code);
    const auto is_epilogue = [](const cds_code_mapping& one) { return one.il_offset == CDS_CODE_EPILOG; };
    const auto found = std::find_if(mappings.begin(), mappings.end(), is_epilogue);
    if (found == mappings.end() || std::any_of(std::next(found), mappings.end(), is_epilogue)) {
        return CORDBG_E_UNSUPPORTED;
    }
    out_native_offset = found->native_start;
    return S_OK;
}

// The native offset of a place in a frame's code: behind the call at the IL offset `wanted`, or one of CDS_AT_....
HRESULT offset_in(const StackFrame& frame, ICorDebugCode3& code, std::uint32_t wanted,
                  std::uint32_t& out_native_offset) {
    if (wanted == CDS_AT_RETURN) {
        return epilogue_offset(*native_code_of(frame).get(), out_native_offset);
    }
    if (wanted == CDS_AT_FRAME) {
        return query<ICorDebugNativeFrame>(frame.frame)->GetIP(&out_native_offset);
    }
    return live_offset(code, wanted, out_native_offset);
}

HRESULT create_breakpoint(Session& session, ICorDebugCode& code, const cds_breakpoint_location& call,
                          std::uint32_t native_offset, std::uint32_t& out_id) {
    ComPtr<ICorDebugFunctionBreakpoint> breakpoint;
    const HRESULT hr = code.CreateBreakpoint(native_offset, breakpoint.out());
    if (failed(hr)) {
        return hr;
    }
    return arm_breakpoint(session, breakpoint, call, out_id);
}

}  // namespace
}  // namespace cds

int32_t cds_return_breakpoint_create(cds_session* session, uint32_t thread, uint32_t frame_index,
                                     const uint32_t* call_offsets, uint32_t count, cds_breakpoint_result* out_results) {
    return cds::guarded([&] {
        auto& target = cds::acting_session_of(session);
        target.require_held();
        const cds::StackFrame& frame = target.stacks.frame(thread, frame_index);
        const auto code = cds::native_code_of(frame);
        const auto code3 = cds::query<cds::ICorDebugCode3>(code);
        if (!code3) {
            cds::fail_runtime(cds::E_NOINTERFACE, "ICorDebugCode3");
        }
        for (std::uint32_t i = 0; i < count; ++i) {
            std::uint32_t id = 0;
            std::uint32_t native_offset = 0;
            cds::HRESULT hr = cds::offset_in(frame, *code3.get(), call_offsets[i], native_offset);
            if (!cds::failed(hr)) {
                const cds_breakpoint_location call{frame.plain.module, frame.plain.token, call_offsets[i]};
                hr = cds::create_breakpoint(target, *code.get(), call, native_offset, id);
            }
            out_results[i] = cds_breakpoint_result{id, hr};
        }
    });
}

int32_t cds_frame_return_value(cds_session* session, uint32_t thread, uint32_t frame_index, uint32_t call_offset,
                               cds_value_buffer* out_values) {
    return cds::guarded([&] {
        auto& target = cds::acting_session_of(session);
        target.require_held();
        const auto frame3 = cds::query<cds::ICorDebugILFrame3>(&target.stacks.il_frame(thread, frame_index));
        if (!frame3) {
            cds::fail_runtime(cds::E_NOINTERFACE, "ICorDebugILFrame3");
        }
        cds::ComPtr<cds::ICorDebugValue> value;
        cds::require(frame3->GetReturnValueForILOffset(call_offset, value.out()), "GetReturnValueForILOffset");
        cds::ValueWriter writer(target, out_values, 1);
        writer.add(cds::S_OK, value);
    });
}
