#include "array_elements.h"

#include <cstring>
#include <optional>
#include <vector>

#include "session.h"
#include "value_types.h"

namespace cds {
namespace {

// Fewer are read one by one.
constexpr std::uint32_t fewest = 3;

// Neighbouring elements in memory.
struct Row {
    std::uint64_t first = 0;
    std::uint64_t stride = 0;  // bytes
};

std::uint64_t address_of(ICorDebugArrayValue& array, std::uint32_t position) {
    ComPtr<ICorDebugValue> element;
    std::uint64_t address = 0;
    return !failed(array.GetElementAtPosition(position, element.out())) && element &&
                   !failed(element->GetAddress(&address))
               ? address
               : 0;
}

// Where so many elements are, by what the runtime says of two of them. Elements of any rank follow each other.
std::optional<Row> row_of(ICorDebugArrayValue& array, std::uint32_t start, std::uint32_t count) {
    if (count < fewest) {
        return std::nullopt;
    }
    const std::uint64_t first = address_of(array, start);
    const std::uint64_t last = address_of(array, start + count - 1);
    if (first == 0 || last <= first || (last - first) % (count - 1) != 0) {
        return std::nullopt;
    }
    return Row{first, (last - first) / (count - 1)};
}

std::vector<std::uint8_t> memory_of(Session& session, const Row& row, std::uint32_t count) {
    std::vector<std::uint8_t> bytes(row.stride * count);
    std::size_t read = 0;
    const HRESULT hr = session.process()->ReadMemory(row.first, bytes.size(), bytes.data(), &read);
    return failed(hr) || read != bytes.size() ? std::vector<std::uint8_t>() : bytes;
}

}  // namespace

void add_elements(Session& session, ValueWriter& writer, ICorDebugArrayValue& array, ArrayElement first,
                  std::uint32_t count) {
    const auto element = [&](std::uint32_t number) { return ArrayElement{first.array, first.position + number}; };
    const auto add = [&](std::uint32_t number) {
        ComPtr<ICorDebugValue> value;
        const HRESULT hr = array.GetElementAtPosition(first.position + number, value.out());
        writer.add(hr, value);
    };
    std::uint32_t declared = 0;
    const std::optional<Row> row = row_of(array, first.position, count);
    if (!row || failed(array.GetElementType(&declared))) {
        for (std::uint32_t number = 0; number < count; ++number) {
            add(number);
        }
        return;
    }
    if (is_reference_type(declared)) {
        const auto bytes = row->stride == sizeof(void*) ? memory_of(session, *row, count) : std::vector<std::uint8_t>();
        for (std::uint32_t number = 0; number < count; ++number) {
            std::uint64_t object = 0;
            if (!bytes.empty()) {
                std::memcpy(&object, bytes.data() + number * sizeof(void*), sizeof(void*));
            }
            if (object == 0 || !writer.add_object(object, declared, element(number))) {
                add(number);
            }
        }
        return;
    }
    add(0);
    const cds_value shown = writer.last();
    const bool is_alike = ValueWriter::has_alike(shown) && shown.raw_size <= row->stride;
    const auto bytes = is_alike && shown.raw_size != 0 ? memory_of(session, *row, count) : std::vector<std::uint8_t>();
    for (std::uint32_t number = 1; number < count; ++number) {
        if (!is_alike || (shown.raw_size != 0 && bytes.empty())) {
            add(number);
            continue;
        }
        const std::uint64_t offset = number * row->stride;
        writer.add_alike(shown, row->first + offset, bytes.data() + (bytes.empty() ? 0 : offset), element(number));
    }
}

}  // namespace cds
