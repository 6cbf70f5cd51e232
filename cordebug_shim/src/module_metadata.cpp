// The metadata of modules that have no image, as Reflection.Emit makes them.
#include <vector>

#include "cordebug/metadata.h"
#include "errors.h"
#include "session.h"

namespace cds {
namespace {

// Beyond what programs make at run time; keeps a damaged process from exhausting the memory.
constexpr std::uint32_t most_bytes = 256U << 20U;
constexpr std::uint32_t accurate = 0;

std::vector<std::uint8_t> metadata_of(ICorDebugModule& module) {
    ComPtr<IUnknown> found;
    require(module.GetMetaDataInterface(IMetaDataEmit::iid, found.out()), "GetMetaDataInterface");
    const auto metadata = query<IMetaDataEmit>(found);
    if (!metadata) {
        fail_runtime(E_NOINTERFACE, "IMetaDataEmit");
    }
    std::uint32_t size = 0;
    require(metadata->GetSaveSize(accurate, &size), "GetSaveSize");
    if (size > most_bytes) {
        throw Failure(CDS_E_KIND, "The metadata of the module is too large.");
    }
    std::vector<std::uint8_t> bytes(size);
    if (size != 0) {
        require(metadata->SaveToMemory(bytes.data(), size), "SaveToMemory");
    }
    return bytes;
}

}  // namespace
}  // namespace cds

int32_t cds_module_metadata(cds_session* session, uint32_t module, uint8_t* bytes, uint32_t capacity,
                            uint32_t* out_size) {
    return cds::guarded([&] {
        auto& needed = cds::require_output(out_size);
        auto& target = cds::session_of(session);
        target.require_held();
        const auto wanted = target.module(module);
        cds::copy_out(cds::metadata_of(*wanted.get()), bytes, capacity, needed);
    });
}
