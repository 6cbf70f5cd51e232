// Modules' flags, breakpoints and steppers.
#include "breakpoints.h"

#include <algorithm>
#include <functional>
#include <vector>

#include "errors.h"
#include "session.h"

namespace cds {

HRESULT arm_breakpoint(Session& session, const ComPtr<ICorDebugFunctionBreakpoint>& breakpoint,
                       const cds_breakpoint_location& location, std::uint32_t& out_id) {
    // In the table before it is armed: its first hit must find it.
    const std::uint32_t id = session.breakpoints.add(breakpoint, location.module);
    session.read_plans.add(id, location);
    const HRESULT hr = breakpoint->Activate(1);
    if (failed(hr)) {
        session.breakpoints.take(id);
        session.read_plans.remove(id);
        return hr;
    }
    out_id = id;
    return S_OK;
}

namespace {

HRESULT create_breakpoint(Session& session, const cds_breakpoint_location& location, std::uint32_t& out_id) {
    const ComPtr<ICorDebugModule> module = session.modules.find(location.module);
    if (!module) {
        return CORDBG_E_OBJECT_NEUTERED;
    }
    ComPtr<ICorDebugFunction> function;
    HRESULT hr = module->GetFunctionFromToken(location.token, function.out());
    if (failed(hr)) {
        return hr;
    }
    ComPtr<ICorDebugCode> code;
    hr = function->GetILCode(code.out());
    if (failed(hr)) {
        return hr;
    }
    ComPtr<ICorDebugFunctionBreakpoint> breakpoint;
    hr = code->CreateBreakpoint(location.il_offset, breakpoint.out());
    if (failed(hr)) {
        return hr;
    }
    return arm_breakpoint(session, breakpoint, location, out_id);
}

ComPtr<ICorDebugStepper> make_stepper(Session& session, std::uint32_t thread, std::uint32_t frame_index) {
    ComPtr<ICorDebugStepper> stepper;
    if (frame_index == 0) {
        // The thread's own stepper starts at the leaf and needs no stack walk.
        require(session.thread(thread)->CreateStepper(stepper.out()), "CreateStepper");
        return stepper;
    }
    const StackFrame& frame = session.stacks.frame(thread, frame_index);
    if (!frame.frame) {
        throw Failure(CDS_E_KIND, "A native frame cannot be stepped.");
    }
    require(frame.frame->CreateStepper(stepper.out()), "CreateStepper");
    return stepper;
}

}  // namespace
}  // namespace cds

int32_t cds_module_set_flags(cds_session* session, uint32_t module, int32_t just_my_code,
                             int32_t disable_optimizations) {
    return cds::guarded([&] {
        auto& target = cds::acting_session_of(session);
        target.require_held();
        const auto module2 = cds::query<cds::ICorDebugModule2>(target.module(module));
        if (!module2) {
            cds::fail_runtime(cds::E_NOINTERFACE, "ICorDebugModule2");
        }
        cds::require(module2->SetJMCStatus(just_my_code, 0, nullptr), "SetJMCStatus");
        if (disable_optimizations != 0) {
            const cds::HRESULT hr = module2->SetJITCompilerFlags(cds::CORDEBUG_JIT_DISABLE_OPTIMIZATION);
            if (hr != cds::CORDBG_E_CANNOT_BE_ON_ATTACH && hr != cds::CORDBG_E_CANT_CHANGE_JIT_SETTING_FOR_ZAP_MODULE) {
                cds::require(hr, "SetJITCompilerFlags");
            }
        }
    });
}

int32_t cds_breakpoint_create(cds_session* session, const cds_breakpoint_location* locations, uint32_t count,
                              cds_breakpoint_result* out_results) {
    return cds::guarded([&] {
        auto& target = cds::acting_session_of(session);
        target.require_held();
        for (std::uint32_t i = 0; i < count; ++i) {
            std::uint32_t id = 0;
            const cds::HRESULT hr = cds::create_breakpoint(target, locations[i], id);
            out_results[i] = cds_breakpoint_result{id, hr};
        }
    });
}

int32_t cds_breakpoint_destroy(cds_session* session, const uint32_t* breakpoints, uint32_t count) {
    return cds::guarded([&] {
        auto& target = cds::session_of(session);
        target.require_held();
        // The newest first: the runtime keeps them in a list to whose head it adds, and searches it from there.
        std::vector<std::uint32_t> ids(breakpoints, breakpoints + count);
        std::sort(ids.begin(), ids.end(), std::greater<>());
        for (const std::uint32_t id : ids) {
            target.read_plans.remove(id);
            if (const auto breakpoint = target.breakpoints.take(id); breakpoint) {
                breakpoint->Activate(0);
            }
        }
    });
}

int32_t cds_breakpoint_set_plan(cds_session* session, uint32_t breakpoint, uint32_t number, const cds_read* reads,
                                uint32_t count, uint32_t text_limit) {
    return cds::guarded([&] {
        cds::acting_session_of(session).read_plans.set(breakpoint, number, {reads, reads + count}, text_limit);
    });
}

int32_t cds_breakpoint_set_test(cds_session* session, uint32_t breakpoint, uint32_t number, const cds_test* tests,
                                uint32_t count, const uint16_t* text, uint32_t text_length, int32_t direct) {
    return cds::guarded([&] {
        const auto* units = reinterpret_cast<const char16_t*>(text);
        cds::acting_session_of(session).read_plans.set_test(
            breakpoint, number, {tests, tests + count},
            text_length == 0 ? std::u16string() : std::u16string(units, text_length), direct != 0);
    });
}

int32_t cds_breakpoint_passed(cds_session* session, uint32_t breakpoint, uint64_t* out_count) {
    return cds::guarded([&] {
        std::uint64_t& count = cds::require_output(out_count);
        count = cds::session_of(session).read_plans.passed(breakpoint);
    });
}

int32_t cds_breakpoint_activate(cds_session* session, uint32_t breakpoint, int32_t active) {
    return cds::guarded([&] {
        auto& target = cds::acting_session_of(session);
        target.require_held();
        const auto found = target.breakpoints.find(breakpoint);
        if (!found) {
            throw cds::Failure(CDS_E_NOT_FOUND, "There is no such breakpoint any more.");
        }
        cds::require(found->Activate(active), "Activate");
    });
}

int32_t cds_stepper_create(cds_session* session, uint32_t thread, uint32_t frame_index, uint32_t kind,
                           int32_t just_my_code, const cds_il_range* ranges, uint32_t range_count,
                           uint32_t* out_stepper) {
    return cds::guarded([&] {
        auto& armed = cds::require_output(out_stepper);
        auto& target = cds::acting_session_of(session);
        target.require_held();
        const auto stepper = cds::make_stepper(target, thread, frame_index);
        cds::require(
            stepper->SetInterceptMask(cds::INTERCEPT_ALL & ~(cds::INTERCEPT_SECURITY | cds::INTERCEPT_CLASS_INIT)),
            "SetInterceptMask");
        cds::require(stepper->SetUnmappedStopMask(cds::STOP_NONE), "SetUnmappedStopMask");
        if (const auto stepper2 = cds::query<cds::ICorDebugStepper2>(stepper); stepper2) {
            cds::require(stepper2->SetJMC(just_my_code), "SetJMC");
        }
        // In the table before it is armed, as its end comes on another thread.
        const std::uint32_t id = target.steppers.add(stepper);
        cds::HRESULT hr = cds::S_OK;
        const std::int32_t step_in = kind == CDS_STEP_INTO ? 1 : 0;
        if (kind == CDS_STEP_OUT) {
            hr = stepper->StepOut();
        } else if (range_count == 0) {
            hr = stepper->Step(step_in);
        } else {
            std::vector<cds::COR_DEBUG_STEP_RANGE> il_ranges;
            il_ranges.reserve(range_count);
            for (std::uint32_t i = 0; i < range_count; ++i) {
                il_ranges.push_back({ranges[i].start, ranges[i].end});
            }
            hr = stepper->SetRangeIL(1);
            if (!cds::failed(hr)) {
                hr = stepper->StepRange(step_in, il_ranges.data(), range_count);
            }
        }
        if (cds::failed(hr)) {
            target.steppers.take(id);
            cds::fail_runtime(hr, "Stepping");
        }
        armed = id;
    });
}

int32_t cds_stepper_destroy(cds_session* session, uint32_t stepper) {
    return cds::guarded([&] {
        auto& target = cds::session_of(session);
        target.require_held();
        if (const auto found = target.steppers.take(stepper); found) {
            found->Deactivate();
        }
    });
}
