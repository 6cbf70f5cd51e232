#include "primitives.h"

#include <string>
#include <string_view>

#include "cordebug/metadata.h"
#include "module_name.h"

namespace cds {
namespace {

struct Primitive {
    const char16_t* name;
    std::uint32_t element_type;
};

// ECMA-335 II.23.1.16.
constexpr Primitive all_primitives[] = {
    {u"System.Boolean", 0x02}, {u"System.Char", 0x03},    {u"System.SByte", 0x04},  {u"System.Byte", 0x05},
    {u"System.Int16", 0x06},   {u"System.UInt16", 0x07},  {u"System.Int32", 0x08},  {u"System.UInt32", 0x09},
    {u"System.Int64", 0x0a},   {u"System.UInt64", 0x0b},  {u"System.Single", 0x0c}, {u"System.Double", 0x0d},
    {u"System.IntPtr", 0x18},  {u"System.UIntPtr", 0x19},
};

constexpr std::u16string_view core_library = u"System.Private.CoreLib.dll";

}  // namespace

void Primitives::set_core_library(ICorDebugModule* module, std::uint32_t id) {
    if (module_id_ != 0) {
        return;
    }
    const std::u16string path = module_name(module);
    if (path.size() >= core_library.size() &&
        path.compare(path.size() - core_library.size(), core_library.size(), core_library) == 0) {
        module_ = ComPtr<ICorDebugModule>(module);
        module_id_ = id;
    }
}

void Primitives::look_up() {
    looked_up_ = true;
    ComPtr<IUnknown> found;
    if (!module_ || failed(module_->GetMetaDataInterface(IMetaDataImport::iid, found.out())) || !found) {
        return;
    }
    const auto metadata = query<IMetaDataImport>(found);
    for (const Primitive& primitive : all_primitives) {
        std::uint32_t token = 0;
        if (metadata && !failed(metadata->FindTypeDefByName(primitive.name, 0, &token))) {
            element_types_[token] = primitive.element_type;
        }
    }
}

std::uint32_t Primitives::element_type_of(std::uint32_t module, std::uint32_t token) {
    if (module == 0 || module != module_id_) {
        return 0;
    }
    if (!looked_up_) {
        look_up();
    }
    const auto found = element_types_.find(token);
    return found == element_types_.end() ? 0 : found->second;
}

}  // namespace cds
