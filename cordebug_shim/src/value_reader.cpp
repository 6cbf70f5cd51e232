// What the shim's values are made of: one value of the runtime, or one element of an array, described.
#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "cordebug/heap.h"
#include "cordebug/layout.h"
#include "errors.h"
#include "session.h"
#include "value_types.h"
#include "values.h"

namespace cds {
namespace {

// A value type's raw bytes are copied up to this size.
constexpr std::uint32_t largest_raw = sizeof(cds_value::raw);

// To follow a reference to a string copies all of it; those that are longer are read from memory.
constexpr std::uint32_t longest_copied = 32768;

// A reference to an object or to an interface may be to a string.
bool may_be_string(std::uint32_t element_type) {
    return element_type == ELEMENT_TYPE_STRING || element_type == ELEMENT_TYPE_OBJECT ||
           element_type == ELEMENT_TYPE_CLASS;
}

bool has_raw_bytes(std::uint32_t element_type) {
    return (element_type >= ELEMENT_TYPE_BOOLEAN && element_type <= ELEMENT_TYPE_R8) ||
           element_type == ELEMENT_TYPE_I || element_type == ELEMENT_TYPE_U || element_type == ELEMENT_TYPE_FNPTR ||
           element_type == ELEMENT_TYPE_VALUETYPE;
}

}  // namespace

// Fills one cds_value from a value of the runtime.
class ValueReader {
  public:
    ValueReader(ValueWriter& writer, cds_value& out) : writer_(writer), out_(out) {}

    HRESULT read(const ComPtr<ICorDebugValue>& value) {
        kept_.original = value;
        kept_.target = value;
        HRESULT hr = follow();
        if (failed(hr)) {
            return hr;
        }
        if (is_string_) {
            read_string_at(type_of_string());
        } else if ((out_.flags & CDS_VALUE_NULL) == 0 && kept_.is_followed) {
            hr = read_target();
            if (failed(hr)) {
                return hr;
            }
            if (out_.element_type == ELEMENT_TYPE_CLASS && (out_.flags & CDS_VALUE_BOXED) == 0) {
                writer_.session_.values.learn_table(table_, out_.type);
            }
        }
        out_.handle = writer_.session_.values.keep(std::move(kept_));
        return S_OK;
    }

    // As `read`, of an element of an array that refers to the object at an address. False, and nothing is kept: it has
    // to be looked into, for no object like it was.
    bool read_element(std::uint64_t address, std::uint32_t declared, ArrayElement element) {
        if (!read_head(address) || !(find_string(declared) || find_known_object())) {
            return false;
        }
        if (kept_.long_string != 0) {
            return false;
        }
        out_.flags |= CDS_VALUE_REFERENCE;
        if (is_string_) {
            read_string_at(writer_.session_.values.string_type);
        }
        kept_.element = element;
        out_.handle = writer_.session_.values.keep(std::move(kept_));
        return true;
    }

  private:
    // Goes through byrefs, references and boxes down to the value itself.
    HRESULT follow() {
        for (int step = 0; step < most_steps; ++step) {
            ICorDebugValue& value = *kept_.target.get();
            std::uint32_t element_type = 0;
            HRESULT hr = value.GetType(&element_type);
            if (failed(hr)) {
                return hr;
            }
            out_.element_type = element_type;
            if (!is_reference_type(element_type)) {
                return S_OK;
            }
            const auto reference = query<ICorDebugReferenceValue>(kept_.target);
            if (!reference) {
                if (!open_box()) {
                    return S_OK;
                }
                continue;
            }
            std::int32_t is_null = 0;
            hr = reference->IsNull(&is_null);
            if (failed(hr)) {
                return hr;
            }
            out_.flags |= element_type == ELEMENT_TYPE_BYREF ? CDS_VALUE_BYREF : CDS_VALUE_REFERENCE;
            if (is_null != 0) {
                out_.flags |= CDS_VALUE_NULL;
                out_.type = type_of(value);
                kept_.target.reset();
                return S_OK;
            }
            if (std::uint64_t object = 0; may_be_string(element_type) && !failed(reference->GetValue(&object)) &&
                                          read_head(object) && (find_string(element_type) || find_known_object())) {
                return S_OK;
            }
            ComPtr<ICorDebugValue> target;
            hr = reference->Dereference(target.out());
            if (failed(hr)) {
                return hr;
            }
            reference->GetValue(&out_.address);
            kept_.target = std::move(target);
        }
        return E_FAIL;
    }

    // What every object begins with. An object that is no string may have other things where those have their length.
    bool read_head(std::uint64_t address) {
        std::array<std::uint8_t, string_length_offset + sizeof(std::uint32_t)> head{};
        std::size_t read = 0;
        table_ = 0;
        if (address == 0 || failed(writer_.session_.process()->ReadMemory(address, head.size(), head.data(), &read)) ||
            read != head.size()) {
            return false;
        }
        std::memcpy(&table_, head.data(), sizeof table_);
        std::memcpy(&length_, head.data() + string_length_offset, sizeof length_);
        object_ = address;
        return true;
    }

    // Whether the reference is to a string that need not be copied by the runtime: what is shown of it is read from
    // memory. Of short ones once a string was described; long ones always.
    bool find_string(std::uint32_t declared) {
        auto& values = writer_.session_.values;
        if (declared == ELEMENT_TYPE_STRING) {
            values.string_table = table_;
        }
        const bool is_long = length_ > longest_copied;
        if (is_long ? !is_string() : values.string_table != table_ || values.string_type == 0) {
            return false;
        }
        out_.element_type = ELEMENT_TYPE_STRING;
        out_.address = object_;
        out_.length = length_;
        is_string_ = true;
        is_declared_string_ = declared == ELEMENT_TYPE_STRING;
        if (is_long) {
            kept_.long_string = object_;
            kept_.long_length = length_;
        } else {
            kept_.target.reset();
            kept_.is_followed = false;
        }
        return true;
    }

    // Whether the reference is to an object like one that was read before: only that one had to be looked into.
    bool find_known_object() {
        const std::uint32_t type = writer_.session_.values.type_of_table(table_);
        if (type == 0) {
            return false;
        }
        out_.element_type = ELEMENT_TYPE_CLASS;
        out_.type = type;
        out_.address = object_;
        kept_.target.reset();
        kept_.is_followed = false;
        return true;
    }

    bool is_string() {
        auto& string_table = writer_.session_.values.string_table;
        if (string_table != 0) {
            return string_table == table_;
        }
        const auto process = query<ICorDebugProcess5>(writer_.session_.process());
        CorTypeId id{};
        CorTypeLayout layout{};
        if (!process || failed(process->GetTypeID(object_, &id)) || failed(process->GetTypeLayout(id, &layout)) ||
            layout.element_type != ELEMENT_TYPE_STRING) {
            return false;
        }
        string_table = table_;
        return true;
    }

    // 0 where no string was described before, and the type of the reference, which is the declared one, does not say.
    std::uint32_t type_of_string() {
        const std::uint32_t known = writer_.session_.values.string_type;
        return known != 0 || !is_declared_string_ ? known : type_of(*kept_.target.get());
    }

    // The head of a string from memory.
    void read_string_at(std::uint32_t type) {
        out_.type = type;
        const cds_value_buffer& buffer = writer_.buffer_;
        const std::uint32_t wanted =
            std::min({out_.length, buffer.text_limit, buffer.text_capacity - writer_.text_used_});
        out_.text_offset = writer_.text_used_;
        out_.text_length =
            read_string_memory(writer_.session_, out_.address, 0, wanted, buffer.text + writer_.text_used_);
        writer_.text_used_ += out_.text_length;
    }

    bool open_box() {
        const auto box = query<ICorDebugBoxValue>(kept_.target);
        ComPtr<ICorDebugObjectValue> content;
        if (!box || failed(box->GetObject(content.out())) || !content) {
            return false;
        }
        kept_.target = query<ICorDebugValue>(content);
        out_.flags |= CDS_VALUE_BOXED;
        return static_cast<bool>(kept_.target);
    }

    HRESULT read_target() {
        ICorDebugValue& value = *kept_.target.get();
        read_type(value);
        if (out_.address == 0) {
            value.GetAddress(&out_.address);
        }
        switch (out_.element_type) {
            case ELEMENT_TYPE_STRING:
                writer_.session_.values.string_type = out_.type;
                return read_string();
            case ELEMENT_TYPE_ARRAY:
            case ELEMENT_TYPE_SZARRAY:
                if (const auto array = query<ICorDebugArrayValue>(kept_.target); array) {
                    return array->GetCount(&out_.length);
                }
                return S_OK;
            case ELEMENT_TYPE_PTR:
            case ELEMENT_TYPE_FNPTR:
                return read_pointer();
            default:
                return has_raw_bytes(out_.element_type) ? read_raw(value) : S_OK;
        }
    }

    std::uint32_t type_of(ICorDebugValue& value) {
        const auto value2 = query<ICorDebugValue2>(&value);
        ComPtr<ICorDebugType> type;
        if (!value2 || failed(value2->GetExactType(type.out()))) {
            return 0;
        }
        return writer_.session_.types.intern(type.get());
    }

    // The exact type knows a string or array behind a reference of type object.
    void read_type(ICorDebugValue& value) {
        out_.type = type_of(value);
        if (out_.type != 0) {
            out_.element_type = writer_.session_.types.value_element_type(out_.type);
        }
    }

    // Pointers are reference values to ICorDebug.
    HRESULT read_pointer() {
        const auto pointer = query<ICorDebugReferenceValue>(kept_.target);
        std::uint64_t value = 0;
        if (!pointer) {
            return read_raw(*kept_.target.get());
        }
        const HRESULT hr = pointer->GetValue(&value);
        if (!failed(hr)) {
            std::memcpy(out_.raw, &value, sizeof value);
            out_.raw_size = sizeof value;
        }
        return hr;
    }

    HRESULT read_raw(ICorDebugValue& value) {
        std::uint32_t size = 0;
        HRESULT hr = value.GetSize(&size);
        if (failed(hr) || size == 0 || size > largest_raw) {
            return hr;
        }
        const auto generic = query<ICorDebugGenericValue>(&value);
        if (!generic) {
            return S_OK;
        }
        hr = generic->GetValue(out_.raw);
        if (!failed(hr)) {
            out_.raw_size = size;
        }
        return hr;
    }

    HRESULT read_string() {
        const auto string = query<ICorDebugStringValue>(kept_.target);
        if (!string) {
            return S_OK;
        }
        HRESULT hr = string->GetLength(&out_.length);
        if (failed(hr)) {
            return hr;
        }
        cds_value_buffer& buffer = writer_.buffer_;
        const std::uint32_t wanted =
            std::min({out_.length, buffer.text_limit, buffer.text_capacity - writer_.text_used_});
        out_.text_offset = writer_.text_used_;
        if (wanted == 0) {
            return S_OK;
        }
        std::uint32_t fetched = 0;
        hr = string->GetString(wanted, &fetched, reinterpret_cast<char16_t*>(buffer.text + writer_.text_used_));
        if (failed(hr)) {
            return hr;
        }
        out_.text_length = wanted;
        writer_.text_used_ += wanted;
        return S_OK;
    }

    ValueWriter& writer_;
    cds_value& out_;
    KeptValue kept_;
    bool is_string_ = false;  // a string whose text is read from memory
    bool is_declared_string_ = true;
    std::uint64_t table_ = 0;   // the method table of the object that a reference was found to refer to
    std::uint64_t object_ = 0;  // where that object is
    std::uint32_t length_ = 0;  // if it is a string
};

std::uint32_t read_string_memory(Session& session, std::uint64_t address, std::uint32_t start, std::uint32_t count,
                                 std::uint16_t* text) {
    std::size_t read = 0;
    const std::uint64_t first = address + string_length_offset + sizeof(std::uint32_t);
    const HRESULT hr = session.process()->ReadMemory(first + start * std::uint64_t{2}, count * 2,
                                                     reinterpret_cast<std::uint8_t*>(text), &read);
    return failed(hr) && read == 0 ? 0 : static_cast<std::uint32_t>(read / 2);
}

ValueWriter::ValueWriter(Session& session, cds_value_buffer* buffer, std::uint32_t needed)
    : session_(session), buffer_(require_sized(buffer)) {
    if (needed > buffer_.capacity) {
        buffer_.count = needed;
        throw Failure(CDS_E_BUFFER, "The buffer for values is too small.");
    }
    buffer_.count = 0;
}

void ValueWriter::add(HRESULT hr, const ComPtr<ICorDebugValue>& value) {
    cds_value& out = buffer_.values[buffer_.count++];
    out = cds_value{};
    if (!failed(hr)) {
        hr = value ? ValueReader(*this, out).read(value) : E_FAIL;
    }
    if (failed(hr)) {
        const std::uint32_t element_type = out.element_type;
        out = cds_value{};
        out.element_type = element_type;
        out.hresult = hr;
    }
}

bool ValueWriter::add_object(std::uint64_t address, std::uint32_t declared, ArrayElement element) {
    cds_value& out = buffer_.values[buffer_.count];
    out = cds_value{};
    if (!may_be_string(declared) || !ValueReader(*this, out).read_element(address, declared, element)) {
        return false;
    }
    ++buffer_.count;
    return true;
}

void ValueWriter::add_alike(const cds_value& first, std::uint64_t address, const std::uint8_t* raw,
                            ArrayElement element) {
    cds_value& out = buffer_.values[buffer_.count++];
    out = first;
    out.address = address;
    std::copy_n(raw, first.raw_size, out.raw);
    KeptValue kept;
    kept.element = element;
    out.handle = session_.values.keep(std::move(kept));
}

bool ValueWriter::has_alike(const cds_value& first) {
    return first.hresult >= 0 && first.flags == 0 && first.type != 0 && has_raw_bytes(first.element_type) &&
           first.element_type != ELEMENT_TYPE_FNPTR;
}

}  // namespace cds
