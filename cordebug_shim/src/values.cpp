#include "values.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <utility>

#include "cordebug/heap.h"
#include "cordebug/layout.h"
#include "errors.h"
#include "session.h"

namespace cds {
namespace {

// A value type's raw bytes are copied up to this size.
constexpr std::uint32_t largest_raw = sizeof(cds_value::raw);

// Byrefs to references to boxes: two steps are the most that the type system makes; the rest guards against damage.
constexpr int most_steps = 8;

// To follow a reference to a string copies all of it; those that are longer are read from memory.
constexpr std::uint32_t longest_copied = 32768;

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

// What a value refers to by now: through byrefs, references and boxes; empty for null.
ComPtr<ICorDebugValue> followed(ComPtr<ICorDebugValue> value) {
    for (int step = 0; step < most_steps; ++step) {
        std::uint32_t element_type = 0;
        if (failed(value->GetType(&element_type)) || !is_reference_type(element_type)) {
            return value;
        }
        ComPtr<ICorDebugValue> next;
        if (const auto reference = query<ICorDebugReferenceValue>(value); reference) {
            std::int32_t is_null = 0;
            if (failed(reference->IsNull(&is_null)) || is_null != 0 || failed(reference->Dereference(next.out()))) {
                return {};
            }
        } else {
            const auto box = query<ICorDebugBoxValue>(value);
            ComPtr<ICorDebugObjectValue> content;
            if (!box || failed(box->GetObject(content.out())) || !content) {
                return value;
            }
            next = query<ICorDebugValue>(content);
        }
        value = std::move(next);
    }
    return value;
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
        if ((out_.flags & CDS_VALUE_NULL) == 0 && kept_.is_followed) {
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
            if (may_be_string(element_type) &&
                (find_long_string(*reference.get(), element_type) || find_known_object())) {
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

    // Whether the reference is to a string that is too long to be copied: then it is described without.
    bool find_long_string(ICorDebugReferenceValue& reference, std::uint32_t declared) {
        std::uint64_t address = 0;
        table_ = 0;
        std::array<std::uint8_t, string_length_offset + sizeof(std::uint32_t)> head{};
        std::size_t read = 0;
        if (failed(reference.GetValue(&address)) || address == 0 ||
            failed(writer_.session_.process()->ReadMemory(address, head.size(), head.data(), &read)) ||
            read != head.size()) {
            return false;
        }
        std::uint64_t table = 0;
        std::uint32_t length = 0;
        std::memcpy(&table, head.data(), sizeof table);
        std::memcpy(&length, head.data() + string_length_offset, sizeof length);
        table_ = table;
        object_ = address;
        auto& string_table = writer_.session_.values.string_table;
        if (declared == ELEMENT_TYPE_STRING) {
            string_table = table;
        }
        if (length <= longest_copied || (declared != ELEMENT_TYPE_STRING && !is_string(address, table))) {
            return false;
        }
        out_.element_type = ELEMENT_TYPE_STRING;
        out_.address = address;
        out_.length = length;
        kept_.long_string = address;
        kept_.long_length = length;
        is_declared_string_ = declared == ELEMENT_TYPE_STRING;
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

    bool is_string(std::uint64_t address, std::uint64_t table) {
        auto& string_table = writer_.session_.values.string_table;
        if (string_table != 0) {
            return string_table == table;
        }
        const auto process = query<ICorDebugProcess5>(writer_.session_.process());
        CorTypeId id{};
        CorTypeLayout layout{};
        if (!process || failed(process->GetTypeID(address, &id)) || failed(process->GetTypeLayout(id, &layout)) ||
            layout.element_type != ELEMENT_TYPE_STRING) {
            return false;
        }
        string_table = table;
        return true;
    }

    HRESULT read_long_string(ICorDebugValue& value) {
        out_.type = is_declared_string_ ? type_of(value) : 0;  // the type of a reference is the declared one
        const cds_value_buffer& buffer = writer_.buffer_;
        const std::uint32_t wanted =
            std::min({out_.length, buffer.text_limit, buffer.text_capacity - writer_.text_used_});
        out_.text_offset = writer_.text_used_;
        out_.text_length =
            read_string_memory(writer_.session_, kept_.long_string, 0, wanted, buffer.text + writer_.text_used_);
        writer_.text_used_ += out_.text_length;
        return S_OK;
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
        if (kept_.long_string != 0) {
            return read_long_string(value);
        }
        read_type(value);
        if (out_.address == 0) {
            value.GetAddress(&out_.address);
        }
        switch (out_.element_type) {
            case ELEMENT_TYPE_STRING:
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
    bool is_declared_string_ = true;
    std::uint64_t table_ = 0;   // the method table of the object that a reference was found to refer to
    std::uint64_t object_ = 0;  // where that object is
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

std::uint64_t Values::keep(KeptValue value) {
    const std::lock_guard lock(mutex_);
    if (const std::uint64_t now = session_.holds.generation(); now != generation_) {
        values_.clear();
        dropped_ = 0;
        generation_ = now;
    }
    value.stores = stores_;
    values_.push_back(std::move(value));
    return (generation_ << generation_shift) | (dropped_ + values_.size());
}

KeptValue Values::find(std::uint64_t handle) {
    const std::uint64_t place = handle & 0xffffffffU;
    const std::uint64_t now = session_.holds.generation();
    const std::lock_guard lock(mutex_);
    if ((handle >> generation_shift) != (now & 0xffffffffU) || place - 1 < dropped_) {
        throw Failure(CDS_E_STALE, "The value belongs to an earlier stop; ask for it again.");
    }
    if (now != generation_ || place == 0 || place - dropped_ > values_.size()) {
        throw Failure(CDS_E_ARGUMENT, "There is no such value.");
    }
    KeptValue& found = values_[place - dropped_ - 1];
    if (!found.is_followed || (found.stores != stores_ && found.target && found.long_string == 0)) {
        found.target = followed(found.original);
        found.stores = stores_;
        found.is_followed = true;
    }
    return found;
}

void Values::stored() {
    const std::lock_guard lock(mutex_);
    ++stores_;
    types_of_tables_.clear();
}

std::uint32_t Values::type_of_table(std::uint64_t table) {
    const std::uint64_t now = session_.holds.generation();
    const std::lock_guard lock(mutex_);
    if (now != tables_generation_ || table == 0) {
        return 0;
    }
    const auto found = types_of_tables_.find(table);
    return found != types_of_tables_.end() ? found->second : 0;
}

void Values::learn_table(std::uint64_t table, std::uint32_t type) {
    if (table == 0 || type == 0) {
        return;
    }
    const std::uint64_t now = session_.holds.generation();
    const std::lock_guard lock(mutex_);
    if (now != tables_generation_) {
        types_of_tables_.clear();
        tables_generation_ = now;
    }
    types_of_tables_[table] = type;
}

void Values::clear() {
    const std::lock_guard lock(mutex_);
    dropped_ += values_.size();
    values_.clear();
    types_of_tables_.clear();
}

HRESULT read_static_field(ICorDebugType& owner, std::uint32_t token, ICorDebugFrame* frame,
                          ComPtr<ICorDebugValue>& out_value) {
    const HRESULT hr = owner.GetStaticFieldValue(token, frame, out_value.out());
    std::uint32_t element_type = 0;
    if (failed(hr) || !out_value || failed(out_value->GetType(&element_type))) {
        return hr;
    }
    if (element_type == ELEMENT_TYPE_PTR || element_type == ELEMENT_TYPE_FNPTR) {
        // .NET Core 3.1 to .NET 10 look for it among the references of the class, and give one of those.
        out_value.reset();
        return CORDBG_E_STATIC_VAR_NOT_AVAILABLE;
    }
    return hr;
}

}  // namespace cds
