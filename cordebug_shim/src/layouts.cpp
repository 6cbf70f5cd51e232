// Where the fields of a type are in memory.
#include <vector>

#include "cordebug/heap.h"
#include "errors.h"
#include "session.h"

namespace cds {
namespace {

// Beyond what the runtime loads; keeps a damaged process from exhausting the memory.
constexpr std::uint32_t most_fields = 100'000;

CorTypeId id_of(const ComPtr<ICorDebugType>& type) {
    const auto type2 = query<ICorDebugType2>(type);
    if (!type2) {
        fail_runtime(E_NOINTERFACE, "ICorDebugType2");
    }
    CorTypeId id{};
    require(type2->GetTypeID(&id), "GetTypeID");
    return id;
}

ComPtr<ICorDebugProcess5> process_of(const Session& session) {
    auto process = query<ICorDebugProcess5>(session.process());
    if (!process) {
        fail_runtime(E_NOINTERFACE, "ICorDebugProcess5");
    }
    return process;
}

std::vector<CorField> fields_of(ICorDebugProcess5& process, CorTypeId id, std::uint32_t count) {
    std::vector<CorField> found(count < most_fields ? count : 0);
    if (!found.empty()) {
        const auto capacity = static_cast<std::uint32_t>(found.size());
        std::uint32_t filled = 0;
        require(process.GetTypeFields(id, capacity, found.data(), &filled), "GetTypeFields");
        found.resize(filled < capacity ? filled : capacity);
    }
    return found;
}

cds_layout_field described(Session& session, ICorDebugProcess5& process, const CorField& field) {
    ComPtr<ICorDebugType> type;
    if (field.element_type == ELEMENT_TYPE_VALUETYPE) {
        process.GetTypeForTypeID(field.type, type.out());
    }
    return {field.token, field.offset, field.element_type, session.types.intern(type.get())};
}

}  // namespace
}  // namespace cds

int32_t cds_type_layout(cds_session* session, uint32_t type, cds_layout_field* fields, uint32_t capacity,
                        uint32_t* out_count, cds_layout* out_layout) {
    return cds::guarded([&] {
        auto& needed = cds::require_output(out_count);
        auto& layout = cds::require_sized(out_layout);
        auto& target = cds::session_of(session);
        target.require_held();
        const auto wanted = target.types.find(type);
        std::uint32_t element_type = 0;
        cds::require(wanted->GetType(&element_type), "GetType");
        const auto process = cds::process_of(target);
        const auto id = cds::id_of(wanted);
        cds_layout made{sizeof(cds_layout), 0, 0, 0};
        std::vector<cds_layout_field> found;
        if (element_type == cds::ELEMENT_TYPE_SZARRAY || element_type == cds::ELEMENT_TYPE_ARRAY) {
            cds::CorArrayLayout array{};
            cds::require(process->GetArrayLayout(id, &array), "GetArrayLayout");
            made.first_element_offset = array.first_element_offset;
            made.element_size = array.element_size;
        } else {
            cds::CorTypeLayout of_type{};
            cds::require(process->GetTypeLayout(id, &of_type), "GetTypeLayout");
            made.object_size = of_type.object_size;
            for (const auto& field : cds::fields_of(*process.get(), id, of_type.field_count)) {
                found.push_back(cds::described(target, *process.get(), field));
            }
        }
        cds::copy_out(found, fields, capacity, needed);
        layout = made;
    });
}
