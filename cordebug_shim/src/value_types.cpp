#include "value_types.h"

#include <string>

#include "cordebug/metadata.h"

namespace cds {
namespace {

constexpr std::uint32_t longest_name = 64;  // of those that matter; longer ones are cut, and are none of them
constexpr std::uint32_t type_ref_table = 0x01;
constexpr std::uint32_t type_def_table = 0x02;

// The name of a TypeDef or TypeRef, and what a TypeDef extends.
std::u16string name_of(IMetaDataImport& metadata, std::uint32_t token, std::uint32_t* out_extends) {
    char16_t name[longest_name] = {};
    std::uint32_t length = 0;
    HRESULT hr = E_FAIL;
    if (token >> 24 == type_def_table) {
        hr = metadata.GetTypeDefProps(token, name, longest_name, &length, nullptr, out_extends);
    } else if (token >> 24 == type_ref_table) {
        hr = metadata.GetTypeRefProps(token, nullptr, name, longest_name, &length);
    }
    return failed(hr) || length == 0 || length > longest_name ? std::u16string() : std::u16string(name, length - 1);
}

}  // namespace

bool is_reference_type(std::uint32_t element_type) {
    switch (element_type) {
        case ELEMENT_TYPE_BYREF:
        case ELEMENT_TYPE_CLASS:
        case ELEMENT_TYPE_OBJECT:
        case ELEMENT_TYPE_STRING:
        case ELEMENT_TYPE_ARRAY:
        case ELEMENT_TYPE_SZARRAY:
            return true;
        default:
            return false;
    }
}

bool is_value_type(ICorDebugModule& module, std::uint32_t type_def) {
    ComPtr<IUnknown> found;
    if (failed(module.GetMetaDataInterface(IMetaDataImport::iid, found.out())) || !found) {
        return false;
    }
    const auto metadata = query<IMetaDataImport>(found);
    if (!metadata) {
        return false;
    }
    std::uint32_t extends = 0;
    const std::u16string own = name_of(*metadata.get(), type_def, &extends);
    std::uint32_t ignored = 0;
    const std::u16string base = name_of(*metadata.get(), extends, &ignored);
    return base == u"System.Enum" || (base == u"System.ValueType" && own != u"System.Enum");  // ECMA-335 I.8.9.7
}

}  // namespace cds
