// What a delegate calls, without running any code.
#include <cstdint>

#include "cordebug/code.h"
#include "errors.h"
#include "session.h"

int32_t cds_delegate_method(cds_session* session, uint64_t delegate, uint32_t* out_module, uint32_t* out_token) {
    return cds::guarded([&] {
        auto& target = cds::session_of(session);
        target.require_held();
        const auto object = target.values.as<cds::ICorDebugDelegateObjectValue>(delegate, "a delegate");
        cds::ComPtr<cds::ICorDebugFunction> function;
        cds::ComPtr<cds::ICorDebugModule> module;
        cds::require(object->GetFunction(function.out()), "ICorDebugDelegateObjectValue::GetFunction");
        cds::require(function->GetModule(module.out()), "ICorDebugFunction::GetModule");
        cds::require(function->GetToken(&cds::require_output(out_token)), "ICorDebugFunction::GetToken");
        cds::require_output(out_module) = target.modules.id_of(module.get());
    });
}
