#include "heap.h"

#include <algorithm>

#include "errors.h"

namespace cds {
namespace {

constexpr std::uint32_t word_size = sizeof(std::uint64_t);
// MethodTable::m_dwFlags
constexpr std::uint32_t contains_references = 0x01000000;
// Beyond what any type has: a damaged process is not to exhaust memory.
constexpr std::int64_t most_runs = 1 << 16;
constexpr std::uint32_t batch = 4096;
constexpr std::uint32_t first_roots = 1 << 16;
constexpr std::uint32_t most_roots = 1 << 22;

std::uint32_t root_kind(std::uint32_t type) {
    switch (type) {
        case gc_stack:
            return CDS_HEAP_STACK;
        case gc_finalizer:
            return CDS_HEAP_FINALIZER;
        case gc_handle_pinned:
        case gc_handle_async_pinned:
            return CDS_HEAP_PINNED_HANDLE;
        case gc_handle_dependent:
            return CDS_HEAP_DEPENDENT_HANDLE;
        default:
            return CDS_HEAP_HANDLE;
    }
}

// What the enumeration gave, which is let go.
Root take_root(const CorGcReference& reference) {
    std::uint64_t object = 0;
    if (reference.domain != nullptr) {
        reference.domain->Release();
    }
    if (reference.location != nullptr) {
        const ComPtr<ICorDebugValue> location(reference.location);
        reference.location->Release();
        if (const auto pointer = query<ICorDebugReferenceValue>(location)) {
            pointer->GetValue(&object);
        }
    }
    return {object, reference.type == gc_handle_dependent ? reference.extra : 0, root_kind(reference.type)};
}

}  // namespace

const std::uint64_t* MemoryWindow::words(std::uint64_t address, std::uint64_t count, std::uint64_t& out_count) {
    count = std::min<std::uint64_t>(count, window_words);
    const bool is_inside = address >= start_ && (address - start_) % word_size == 0 &&
                           address + count * word_size <= start_ + read_ * word_size;
    if (!is_inside) {
        content_.resize(window_words);
        std::size_t read = 0;
        session_.process()->ReadMemory(address, window_words * word_size,
                                       reinterpret_cast<std::uint8_t*>(content_.data()), &read);
        if (read < count * word_size) {
            // A read that crosses the end of what is mapped may give nothing at all.
            read = 0;
            session_.process()->ReadMemory(address, static_cast<std::uint32_t>(count * word_size),
                                           reinterpret_cast<std::uint8_t*>(content_.data()), &read);
        }
        start_ = address;
        read_ = read / word_size;
    }
    const std::uint64_t offset = (address - start_) / word_size;
    out_count = std::min(count, read_ - offset);
    return content_.data() + offset;
}

// Series stand before the method table: their number, then from the back (size - object size, offset) for each. A
// negative number is that of the parts (slots, bytes to skip) which repeat for each element of an array of structures.
ObjectShape::ObjectShape(MemoryWindow& memory, std::uint64_t method_table) {
    std::uint64_t read = 0;
    const std::uint64_t* flags = memory.words(method_table, 1, read);
    if (read == 0 || (*flags & contains_references) == 0) {
        return;
    }
    const std::uint64_t* number = memory.words(method_table - word_size, 1, read);
    const auto count = read != 0 ? static_cast<std::int64_t>(*number) : 0;
    if (count == 0 || count > most_runs || count < -most_runs) {
        return;
    }
    if (count > 0) {
        for (std::int64_t i = 0; i < count; ++i) {
            const std::uint64_t place = method_table - word_size * (3 + 2 * static_cast<std::uint64_t>(i));
            const std::uint64_t* run = memory.words(place, 2, read);
            if (read == 2) {
                runs_.push_back({static_cast<std::int64_t>(run[0]), run[1]});
            }
        }
        return;
    }
    const std::uint64_t* offset = memory.words(method_table - std::uint64_t{2} * word_size, 1, read);
    pattern_offset_ = read != 0 ? *offset : 0;
    for (std::int64_t i = 0; i > count; --i) {
        const std::uint64_t place = method_table - word_size * (3 + static_cast<std::uint64_t>(-i));
        const std::uint64_t* part = memory.words(place, 1, read);
        if (read != 0) {
            pattern_.push_back({static_cast<std::uint32_t>(*part), static_cast<std::uint32_t>(*part >> 32U)});
        }
    }
}

template <typename Visit>
void ObjectShape::each_run(std::uint64_t address, std::uint64_t size, Visit&& visit) const {
    for (const Run& run : runs_) {
        const std::int64_t bytes = run.size + static_cast<std::int64_t>(size);
        if (bytes > 0) {
            visit(address + run.offset, static_cast<std::uint64_t>(bytes) / word_size);
        }
    }
    if (pattern_.empty()) {
        return;
    }
    // The last word of the size belongs to the next object: its header.
    const std::uint64_t end = address + size - word_size;
    for (std::uint64_t place = address + pattern_offset_; place < end;) {
        const std::uint64_t before = place;
        for (const Part& part : pattern_) {
            visit(place, std::min<std::uint64_t>(part.slots, (end - std::min(place, end)) / word_size));
            place += std::uint64_t{part.slots} * word_size + part.skipped;
        }
        if (place == before) {
            return;
        }
    }
}

Heap::Heap(Session& session) : session_(session), process_(query<ICorDebugProcess5>(session.process())) {
    if (!process_) {
        fail_runtime(E_NOINTERFACE, "ICorDebugProcess5");
    }
    CorHeapInfo info{};
    require(process_->GetGCHeapInformation(&info), "GetGCHeapInformation");
    if (info.are_structures_valid == 0) {
        throw Failure(CDS_E_RUNTIME,
                      "The program stands in the middle of a garbage collection: its heap cannot be read.");
    }
}

void Heap::check_wanted() const {
    if (session_.heap_given_up) {
        throw Failure(CDS_E_TIMEOUT, "The look through the heap was given up.");
    }
}

void Heap::each_object(const std::function<void(const CorHeapObject&)>& visit) {
    each_object_while([] { return true; }, visit);
}

bool Heap::each_object_while(const std::function<bool()>& goes_on,
                             const std::function<void(const CorHeapObject&)>& visit) {
    ComPtr<ICorDebugHeapEnum> objects;
    require(process_->EnumerateHeap(objects.out()), "EnumerateHeap");
    std::vector<CorHeapObject> page(batch);
    for (;;) {
        check_wanted();
        std::uint32_t fetched = 0;
        const HRESULT hr = objects->Next(batch, page.data(), &fetched);
        for (std::uint32_t i = 0; i < fetched; ++i) {
            visit(page[i]);
        }
        require(hr, "ICorDebugHeapEnum::Next");
        if (fetched < batch) {
            return true;
        }
        if (!goes_on()) {
            return false;
        }
    }
}

void Heap::each_reference(const CorHeapObject& object,
                          const std::function<void(std::uint64_t, std::uint64_t)>& visit) {
    if (++visited_ % batch == 0) {
        check_wanted();
    }
    auto shape = shapes_.find(object.type.token1);
    if (shape == shapes_.end()) {
        shape = shapes_.emplace(object.type.token1, ObjectShape(shapes_memory_, object.type.token1)).first;
    }
    if (!shape->second.has_references()) {
        return;
    }
    shape->second.each_run(object.address, object.size, [&](std::uint64_t slot, std::uint64_t count) {
        while (count > 0) {
            std::uint64_t read = 0;
            const std::uint64_t* words = memory_.words(slot, count, read);
            if (read == 0) {
                return;
            }
            for (std::uint64_t i = 0; i < read; ++i) {
                if (words[i] != 0) {
                    visit(slot + i * word_size, words[i]);
                }
            }
            slot += read * word_size;
            count -= read;
        }
    });
}

// In one page: the enumeration loses what does not fit into the first.
std::vector<Root> Heap::roots(bool& out_complete) {
    for (std::uint32_t capacity = first_roots;; capacity *= 4) {
        ComPtr<ICorDebugGCReferenceEnum> references;
        require(process_->EnumerateGCReferences(0, references.out()), "EnumerateGCReferences");
        std::vector<CorGcReference> page(capacity);
        std::uint32_t fetched = 0;
        out_complete = !failed(references->Next(capacity, page.data(), &fetched));
        std::vector<Root> found;
        found.reserve(fetched);
        for (std::uint32_t i = 0; i < fetched; ++i) {
            found.push_back(take_root(page[i]));
        }
        if (fetched < capacity || capacity >= most_roots) {
            out_complete = out_complete && fetched < capacity;
            return found;
        }
    }
}

std::vector<CorSegment> Heap::frozen_segments() {
    ComPtr<ICorDebugHeapSegmentEnum> segments;
    std::vector<CorSegment> found;
    if (failed(process_->EnumerateHeapRegions(segments.out()))) {
        return found;
    }
    std::vector<CorSegment> page(batch);
    for (std::uint32_t fetched = batch; fetched == batch;) {
        fetched = 0;
        segments->Next(batch, page.data(), &fetched);
        for (std::uint32_t i = 0; i < fetched; ++i) {
            if (page[i].generation > generation_pinned) {
                found.push_back(page[i]);
            }
        }
    }
    return found;
}

std::uint32_t Heap::type_of(const CorHeapObject& object) {
    const auto known = types_.find(object.type.token1);
    if (known != types_.end()) {
        return known->second;
    }
    // Not by GetTypeForTypeID: up to .NET 9 that gives a type of another application domain, without a module.
    ComPtr<ICorDebugObjectValue> value;
    ComPtr<ICorDebugType> exact;
    if (!failed(process_->GetObject(object.address, value.out())) && value) {
        if (const auto value2 = query<ICorDebugValue2>(value)) {
            value2->GetExactType(exact.out());
        }
    }
    return types_[object.type.token1] = exact ? session_.types.intern(exact.get()) : 0;
}

}  // namespace cds
