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

// Values under handles, as the runtime takes them.
struct Arguments {
    EvalArguments kept;
    std::vector<ICorDebugValue*> pointers;
};

// The runtime takes an object where it expects a reference for the place of one: it would follow the object's first
// word, its method table, and the program would end. A walk of the heap gives such objects.
ComPtr<ICorDebugValue> as_reference(ComPtr<ICorDebugValue> value, EvalArguments& kept) {
    const auto heap = query<ICorDebugHeapValue2>(value);
    if (!heap || query<ICorDebugReferenceValue>(value)) {
        return value;
    }
    ComPtr<ICorDebugHandleValue> handle;
    require(heap->CreateHandle(handle_strong, handle.out()), "CreateHandle");
    kept.handles.push_back(handle);
    return query<ICorDebugValue>(handle);
}

Arguments arguments_of(Session& session, const std::uint64_t* handles, std::uint32_t count) {
    Arguments found;
    found.pointers.reserve(count + 1);  // the runtime refuses NULL for no arguments
    for (std::uint32_t i = 0; i < count; ++i) {
        found.kept.values.push_back(as_reference(session.values.find(handles[i]).original, found.kept));
        found.pointers.push_back(found.kept.values.back().get());
    }
    return found;
}

// Begins an evaluation on a thread and keeps it under an id; `begin` gets the runtime's object.
template <typename Begin>
std::uint32_t start(Session& session, std::uint32_t thread, const char* what, Begin begin) {
    const auto eval = make_eval(session, thread);
    const auto eval2 = second_interface(eval);
    const std::uint32_t id = session.evals.add(eval);
    const HRESULT hr = begin(*eval2.get());
    if (failed(hr)) {
        session.evals.take(id);
        fail_runtime(hr, what);
    }
    return id;
}

}  // namespace
}  // namespace cds

int32_t cds_eval_create_call(cds_session* session, uint32_t thread, uint32_t module, uint32_t token,
                             const uint32_t* type_arguments, uint32_t type_argument_count, const uint64_t* arguments,
                             uint32_t argument_count, uint32_t* out_eval) {
    return cds::guarded([&] {
        auto& made = cds::require_output(out_eval);
        auto& target = cds::acting_session_of(session);
        target.require_held();
        cds::ComPtr<cds::ICorDebugFunction> function;
        cds::require(target.module(module)->GetFunctionFromToken(token, function.out()), "GetFunctionFromToken");
        std::vector<cds::ComPtr<cds::ICorDebugType>> types;
        std::vector<cds::ICorDebugType*> type_pointers;
        for (std::uint32_t i = 0; i < type_argument_count; ++i) {
            types.push_back(target.types.find(type_arguments[i]));
            type_pointers.push_back(types.back().get());
        }
        auto given = cds::arguments_of(target, arguments, argument_count);
        made = cds::start(target, thread, "Calling a method", [&](cds::ICorDebugEval2& eval) {
            return eval.CallParameterizedFunction(function.get(), type_argument_count, type_pointers.data(),
                                                  argument_count, given.pointers.data());
        });
        target.keep_eval_arguments(made, std::move(given.kept));
    });
}

int32_t cds_eval_create_object(cds_session* session, uint32_t thread, uint32_t type, uint32_t token,
                               const uint64_t* arguments, uint32_t argument_count, uint32_t* out_eval) {
    return cds::guarded([&] {
        auto& made = cds::require_output(out_eval);
        auto& target = cds::acting_session_of(session);
        target.require_held();
        const cds::ComPtr<cds::ICorDebugClass> owner = target.types.class_of(type);
        cds::ComPtr<cds::ICorDebugTypeEnum> parameters;
        std::vector<cds::ComPtr<cds::ICorDebugType>> types;
        if (!cds::failed(target.types.find(type)->EnumerateTypeParameters(parameters.out())) && parameters) {
            types = cds::all_of<cds::ICorDebugType>(*parameters.get());
        }
        std::vector<cds::ICorDebugType*> type_pointers;
        type_pointers.reserve(types.size());
        for (const auto& one : types) {
            type_pointers.push_back(one.get());
        }
        const auto count = static_cast<std::uint32_t>(type_pointers.size());
        if (token == 0) {
            made = cds::start(target, thread, "Making an object", [&](cds::ICorDebugEval2& eval) {
                return eval.NewParameterizedObjectNoConstructor(owner.get(), count, type_pointers.data());
            });
            return;
        }
        cds::ComPtr<cds::ICorDebugModule> module;
        cds::ComPtr<cds::ICorDebugFunction> constructor;
        cds::require(owner->GetModule(module.out()), "GetModule");
        cds::require(module->GetFunctionFromToken(token, constructor.out()), "GetFunctionFromToken");
        auto given = cds::arguments_of(target, arguments, argument_count);
        made = cds::start(target, thread, "Making an object", [&](cds::ICorDebugEval2& eval) {
            return eval.NewParameterizedObject(constructor.get(), count, type_pointers.data(), argument_count,
                                               given.pointers.data());
        });
        target.keep_eval_arguments(made, std::move(given.kept));
    });
}

int32_t cds_eval_create_array(cds_session* session, uint32_t thread, uint32_t element_type, uint32_t length,
                              uint32_t* out_eval) {
    return cds::guarded([&] {
        auto& made = cds::require_output(out_eval);
        auto& target = cds::acting_session_of(session);
        target.require_held();
        const cds::ComPtr<cds::ICorDebugType> element = target.types.find(element_type);
        std::uint32_t first = 0;
        made = cds::start(target, thread, "Making an array", [&](cds::ICorDebugEval2& eval) {
            return eval.NewParameterizedArray(element.get(), 1, &length, &first);
        });
    });
}

int32_t cds_eval_create_string(cds_session* session, uint32_t thread, const uint16_t* text, uint32_t length,
                               uint32_t* out_eval) {
    return cds::guarded([&] {
        auto& made = cds::require_output(out_eval);
        auto& target = cds::acting_session_of(session);
        target.require_held();
        made = cds::start(target, thread, "Making a string", [&](cds::ICorDebugEval2& eval) {
            return eval.NewStringWithLength(reinterpret_cast<const char16_t*>(text), length);
        });
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
        auto& target = cds::acting_session_of(session);
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
