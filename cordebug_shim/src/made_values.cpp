// Values that the debugger makes, as arguments of function evaluations.
#include <cstring>

#include "errors.h"
#include "session.h"
#include "values.h"

namespace cds {
namespace {

ComPtr<ICorDebugValue> make_value(Session& session, std::uint32_t thread, std::uint32_t element_type,
                                  std::uint32_t type) {
    ComPtr<ICorDebugEval> eval;
    require(session.thread(thread)->CreateEval(eval.out()), "CreateEval");
    ComPtr<ICorDebugValue> value;
    if (type == 0) {
        require(eval->CreateValue(element_type, nullptr, value.out()), "CreateValue");
        return value;
    }
    const auto eval2 = query<ICorDebugEval2>(eval);
    if (!eval2) {
        fail_runtime(E_NOINTERFACE, "ICorDebugEval2");
    }
    require(eval2->CreateValueForType(session.types.find(type).get(), value.out()), "CreateValueForType");
    return value;
}

}  // namespace
}  // namespace cds

int32_t cds_value_create(cds_session* session, uint32_t thread, uint32_t element_type, uint32_t type,
                         const uint8_t* raw, uint32_t size, cds_value_buffer* out_values) {
    return cds::guarded([&] {
        auto& target = cds::acting_session_of(session);
        target.require_held();
        const auto made = cds::make_value(target, thread, element_type, type);
        if (size > 0) {
            const auto generic = cds::query<cds::ICorDebugGenericValue>(made);
            std::uint32_t expected = 0;
            if (!generic || cds::failed(generic->GetSize(&expected)) || expected != size) {
                throw cds::Failure(CDS_E_KIND, "The bytes given do not fit the type.");
            }
            // SetValue takes a pointer to non-const, and only reads.
            cds::require(generic->SetValue(const_cast<uint8_t*>(raw)), "SetValue");
        }
        cds::ValueWriter writer(target, out_values, 1);
        writer.add(cds::S_OK, made);
    });
}
