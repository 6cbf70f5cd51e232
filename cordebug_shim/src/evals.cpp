// Function evaluations.
#include <string>
#include <utility>
#include <vector>

#include "errors.h"
#include "session.h"
#include "stopper.h"

namespace cds {
namespace {

ComPtr<ICorDebugEval> make_eval(Session& session, std::uint32_t thread) {
    ComPtr<ICorDebugEval> eval;
    require(session.thread(thread)->CreateEval(eval.out()), "CreateEval");
    return eval;
}

ComPtr<ICorDebugEval2> second_interface(const ComPtr<ICorDebugEval>& eval) {
    auto eval2 = query<ICorDebugEval2>(eval);
    if (!eval2) {
        fail_runtime(E_NOINTERFACE, "ICorDebugEval2");
    }
    return eval2;
}

ComPtr<ICorDebugEval> find_eval(Session& session, std::uint32_t id) {
    ComPtr<ICorDebugEval> eval = session.evals.find(id);
    if (!eval) {
        throw Failure(CDS_E_NOT_FOUND, "There is no such evaluation any more.");
    }
    return eval;
}

}  // namespace
}  // namespace cds

int32_t cds_eval_create_call(cds_session* session, uint32_t thread, uint32_t module, uint32_t token,
                             const uint32_t* type_arguments, uint32_t type_argument_count, const uint64_t* arguments,
                             uint32_t argument_count, uint32_t* out_eval) {
    return cds::guarded([&] {
        auto& made = cds::require_output(out_eval);
        auto& target = cds::session_of(session);
        target.require_held();
        cds::ComPtr<cds::ICorDebugFunction> function;
        cds::require(target.module(module)->GetFunctionFromToken(token, function.out()), "GetFunctionFromToken");
        std::vector<cds::ComPtr<cds::ICorDebugType>> types;
        std::vector<cds::ICorDebugType*> type_pointers;
        for (std::uint32_t i = 0; i < type_argument_count; ++i) {
            types.push_back(target.types.find(type_arguments[i]));
            type_pointers.push_back(types.back().get());
        }
        std::vector<cds::ComPtr<cds::ICorDebugValue>> values;
        std::vector<cds::ICorDebugValue*> value_pointers;
        for (std::uint32_t i = 0; i < argument_count; ++i) {
            values.push_back(target.values.find(arguments[i]).original);
            value_pointers.push_back(values.back().get());
        }
        const auto eval = cds::make_eval(target, thread);
        const auto eval2 = cds::second_interface(eval);
        const std::uint32_t id = target.evals.add(eval);
        const cds::HRESULT hr = eval2->CallParameterizedFunction(
            function.get(), type_argument_count, type_pointers.data(), argument_count, value_pointers.data());
        if (cds::failed(hr)) {
            target.evals.take(id);
            cds::fail_runtime(hr, "Calling a method");
        }
        target.keep_eval_arguments(id, std::move(values));
        made = id;
    });
}

int32_t cds_eval_create_string(cds_session* session, uint32_t thread, const uint16_t* text, uint32_t length,
                               uint32_t* out_eval) {
    return cds::guarded([&] {
        auto& made = cds::require_output(out_eval);
        auto& target = cds::session_of(session);
        target.require_held();
        const auto eval = cds::make_eval(target, thread);
        const auto eval2 = cds::second_interface(eval);
        const std::uint32_t id = target.evals.add(eval);
        const cds::HRESULT hr = eval2->NewStringWithLength(reinterpret_cast<const char16_t*>(text), length);
        if (cds::failed(hr)) {
            target.evals.take(id);
            cds::fail_runtime(hr, "Making a string");
        }
        made = id;
    });
}

int32_t cds_eval_result(cds_session* session, uint32_t eval, cds_value_buffer* out_values) {
    return cds::guarded([&] {
        auto& target = cds::session_of(session);
        target.require_held();
        cds::ComPtr<cds::ICorDebugValue> value;
        const cds::HRESULT hr = cds::find_eval(target, eval)->GetResult(value.out());
        cds::require(hr, "GetResult");
        cds::ValueWriter writer(target, out_values, 1);
        // No value: void, or an evaluation that was aborted.
        if (value) {
            writer.add(hr, value);
        }
    });
}

int32_t cds_eval_abort(cds_session* session, uint32_t eval, uint32_t timeout_ms, int32_t* out_returned) {
    return cds::guarded([&] {
        auto& has_returned = cds::require_output(out_returned);
        auto& target = cds::session_of(session);
        target.require_alive();
        const auto deadline = cds::Clock::now() + std::chrono::milliseconds(timeout_ms);
        const bool returned = cds::run_within(deadline, [found = cds::find_eval(target, eval)] { found->Abort(); });
        has_returned = returned ? 1 : 0;
    });
}

int32_t cds_eval_destroy(cds_session* session, uint32_t eval) {
    return cds::guarded([&] {
        auto& target = cds::session_of(session);
        cds::Session::require_library();
        target.forget_eval(eval);
    });
}
