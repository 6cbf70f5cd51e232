// Storing in the places that values were read from: locals, arguments, fields, elements.
#include <vector>

#include "accelerator.h"
#include "errors.h"
#include "session.h"
#include "values.h"

namespace cds {
namespace {

// A value type is stored where the value itself is: behind byrefs and, for some statics, in a box.
ComPtr<ICorDebugGenericValue> bytes_of(Session& session, std::uint64_t handle, std::uint32_t& out_size) {
    auto generic = session.values.as<ICorDebugGenericValue>(handle, "of a value type");
    require(generic->GetSize(&out_size), "GetSize");
    return generic;
}

// A reference is stored where it stands: only byrefs are followed.
ComPtr<ICorDebugReferenceValue> reference_of(Session& session, std::uint64_t handle) {
    ComPtr<ICorDebugValue> value = session.values.find(handle).original;
    std::uint32_t element_type = 0;
    require(value->GetType(&element_type), "GetType");
    if (element_type == ELEMENT_TYPE_BYREF) {
        const auto by_reference = query<ICorDebugReferenceValue>(value);
        ComPtr<ICorDebugValue> inner;
        if (!by_reference || failed(by_reference->Dereference(inner.out())) || !inner) {
            throw Failure(CDS_E_KIND, "The reference to the place cannot be followed.");
        }
        value = std::move(inner);
    }
    auto reference = query<ICorDebugReferenceValue>(value);
    if (!reference) {
        throw Failure(CDS_E_KIND, "The place does not hold a reference.");
    }
    return reference;
}

std::uint64_t address_in(Session& session, std::uint64_t handle) {
    std::uint64_t address = 0;
    if (handle != 0) {
        require(reference_of(session, handle)->GetValue(&address), "GetValue");
    }
    return address;
}

// Some values are written without a message to the debuggee, which would drop what was read before.
void require_stored(Session& session, HRESULT hr) {
    accelerator::drop_cache();
    session.values.stored();
    require(hr, "SetValue");
}

}  // namespace
}  // namespace cds

int32_t cds_value_store_bytes(cds_session* session, uint64_t place, const uint8_t* raw, uint32_t size) {
    return cds::guarded([&] {
        auto& target = cds::acting_session_of(session);
        target.require_held();
        std::uint32_t expected = 0;
        const auto generic = cds::bytes_of(target, place, expected);
        if (size != 0 && size != expected) {
            throw cds::Failure(CDS_E_KIND, "The bytes given do not fit the type.");
        }
        std::vector<std::uint8_t> bytes(expected, 0);
        if (size != 0) {
            bytes.assign(raw, raw + size);
        }
        cds::require_stored(target, generic->SetValue(bytes.data()));
    });
}

int32_t cds_value_store_copy(cds_session* session, uint64_t place, uint64_t source) {
    return cds::guarded([&] {
        auto& target = cds::acting_session_of(session);
        target.require_held();
        std::uint32_t expected = 0;
        std::uint32_t size = 0;
        const auto generic = cds::bytes_of(target, place, expected);
        const auto from = cds::bytes_of(target, source, size);
        if (size != expected) {
            throw cds::Failure(CDS_E_KIND, "The value does not fit the place.");
        }
        std::vector<std::uint8_t> bytes(size, 0);
        cds::require(from->GetValue(bytes.data()), "GetValue");
        cds::require_stored(target, generic->SetValue(bytes.data()));
    });
}

int32_t cds_value_store_reference(cds_session* session, uint64_t place, uint64_t source) {
    return cds::guarded([&] {
        auto& target = cds::acting_session_of(session);
        target.require_held();
        const auto reference = cds::reference_of(target, place);
        cds::require_stored(target, reference->SetValue(cds::address_in(target, source)));
    });
}
