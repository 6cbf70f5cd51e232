#include "values.h"

#include <utility>

#include "cordebug/heap.h"
#include "errors.h"
#include "session.h"
#include "value_types.h"

namespace cds {
namespace {

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

KeptValue& Values::at(std::uint64_t handle) {
    const std::uint64_t place = handle & 0xffffffffU;
    const std::uint64_t now = session_.holds.generation();
    if ((handle >> generation_shift) != (now & 0xffffffffU) || place - 1 < dropped_) {
        throw Failure(CDS_E_STALE, "The value belongs to an earlier stop; ask for it again.");
    }
    if (now != generation_ || place == 0 || place - dropped_ > values_.size()) {
        throw Failure(CDS_E_ARGUMENT, "There is no such value.");
    }
    return values_[place - dropped_ - 1];
}

KeptValue Values::find(std::uint64_t handle) {
    std::unique_lock lock(mutex_);
    if (const KeptValue& found = at(handle); !found.original && found.element.array != 0) {
        const ArrayElement wanted = found.element;
        lock.unlock();
        auto original = element(wanted);
        lock.lock();
        KeptValue& unasked = at(handle);
        unasked.target = unasked.is_followed ? original : ComPtr<ICorDebugValue>();
        unasked.original = std::move(original);
        unasked.stores = stores_;
    }
    KeptValue& found = at(handle);
    if (!found.is_followed || (found.stores != stores_ && found.target && found.long_string == 0)) {
        found.target = followed(found.original);
        found.stores = stores_;
        found.is_followed = true;
    }
    return found;
}

// The runtime's array has copies of what was there: `as` takes a new one after something was stored.
ComPtr<ICorDebugValue> Values::element(ArrayElement element) {
    const auto array = as<ICorDebugArrayValue>(element.array, "an array");
    ComPtr<ICorDebugValue> found;
    require(array->GetElementAtPosition(element.position, found.out()), "GetElementAtPosition");
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
