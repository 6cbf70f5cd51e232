// Entry points about the heap.
#include <algorithm>
#include <chrono>
#include <map>
#include <set>

#include "errors.h"
#include "heap.h"

namespace {

std::uint64_t object_address(cds::Session& target, std::uint64_t handle) {
    const auto kept = target.values.find(handle);
    if (kept.long_string != 0) {
        return kept.long_string;
    }
    const auto object = cds::query<cds::ICorDebugValue>(cds::heap_object_of(kept.original));
    std::uint64_t address = 0;
    cds::require(object ? object->GetAddress(&address) : cds::E_NOINTERFACE, "GetAddress");
    return address;
}

cds::ComPtr<cds::ICorDebugProcess5> process_of(cds::Session& target) {
    auto process = cds::query<cds::ICorDebugProcess5>(target.process());
    if (!process) {
        cds::fail_runtime(cds::E_NOINTERFACE, "ICorDebugProcess5");
    }
    return process;
}

// The type, if its class is one of those; else 0.
std::uint32_t type_among(cds::Session& target, std::uint32_t type,
                         const std::set<std::pair<std::uint32_t, std::uint32_t>>& classes) {
    if (type == 0) {
        return 0;
    }
    cds_type described{};
    std::vector<std::uint32_t> arguments;
    target.types.describe(type, described, arguments);
    return classes.count({described.module, described.token}) != 0 ? type : 0;
}

}  // namespace

int32_t cds_heap_give_up(cds_session* session, int32_t given_up) {
    return cds::guarded([&] { cds::session_of(session).heap_given_up = given_up != 0; });
}

int32_t cds_heap_types(cds_session* session, cds_heap_type* types, uint32_t capacity, uint32_t* out_count) {
    return cds::guarded([&] {
        auto& count = cds::require_output(out_count);
        auto& target = cds::session_of(session);
        target.require_held();
        cds::Heap heap(target);
        std::map<std::uint64_t, cds_heap_type> found;
        heap.each_object([&](const cds::CorHeapObject& object) {
            auto [entry, is_new] = found.try_emplace(object.type.token1);
            if (is_new) {
                entry->second.type = heap.type_of(object);
            }
            ++entry->second.count;
            entry->second.bytes += object.size;
        });
        std::vector<cds_heap_type> list;
        for (const auto& [_, entry] : found) {
            if (entry.type != 0) {
                list.push_back(entry);
            }
        }
        cds::copy_out(list, types, capacity, count);
    });
}

int32_t cds_heap_instances(cds_session* session, uint32_t type, uint32_t start, uint32_t count, uint64_t* addresses,
                           uint32_t* out_count) {
    return cds::guarded([&] {
        auto& written = cds::require_output(out_count);
        auto& target = cds::session_of(session);
        target.require_held();
        cds::Heap heap(target);
        std::uint32_t number = 0;
        written = 0;
        heap.each_object([&](const cds::CorHeapObject& object) {
            if (heap.type_of(object) != type) {
                return;
            }
            if (number++ >= start && written < count) {
                addresses[written++] = object.address;
            }
        });
    });
}

int32_t cds_heap_find(cds_session* session, const cds_heap_class* classes, uint32_t class_count, uint32_t timeout_ms,
                      cds_heap_found* found, uint32_t capacity, uint32_t* out_count, int32_t* out_complete) {
    return cds::guarded([&] {
        auto& written = cds::require_output(out_count);
        auto& complete = cds::require_output(out_complete);
        auto& target = cds::session_of(session);
        target.require_held();
        std::set<std::pair<std::uint32_t, std::uint32_t>> wanted;
        for (std::uint32_t i = 0; i < class_count; ++i) {
            wanted.emplace(classes[i].module, classes[i].token);
        }
        const auto deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(timeout_ms);
        bool has_room = true;
        std::map<std::uint64_t, std::uint32_t> types;  // of the wanted classes, by method table; 0 for others
        written = 0;
        cds::Heap heap(target);
        const auto goes_on = [&] { return has_room && std::chrono::steady_clock::now() < deadline; };
        const bool is_through = heap.each_object_while(goes_on, [&](const cds::CorHeapObject& object) {
            const auto [entry, is_new] = types.try_emplace(object.type.token1, 0);
            if (is_new) {
                entry->second = type_among(target, heap.type_of(object), wanted);
            }
            if (entry->second == 0) {
                return;
            }
            if (written < capacity) {
                found[written++] = {object.address, entry->second, 0};
            } else {
                has_room = false;
            }
        });
        complete = is_through && has_room ? 1 : 0;
    });
}

int32_t cds_heap_object(cds_session* session, uint64_t address, cds_value_buffer* out_values) {
    return cds::guarded([&] {
        auto& target = cds::session_of(session);
        target.require_held();
        cds::ComPtr<cds::ICorDebugObjectValue> object;
        cds::require(process_of(target)->GetObject(address, object.out()), "ICorDebugProcess5::GetObject");
        // That object has neither elements nor text; what a handle to it refers to does.
        if (target.is_frozen()) {
            const auto plain = cds::query<cds::ICorDebugValue>(object);
            std::uint32_t kind = 0;
            if (cds::failed(plain->GetType(&kind)) || kind == cds::ELEMENT_TYPE_STRING || kind == cds::ELEMENT_TYPE_ARRAY ||
                kind == cds::ELEMENT_TYPE_SZARRAY) {
                throw cds::Failure(CDS_E_KIND,
                                   "A string or an array is shown where an object refers to it, as there are no handles "
                                   "in memory that stands still.");
            }
            cds::ValueWriter(target, out_values, 1).add(cds::S_OK, plain);
            return;
        }
        cds::ComPtr<cds::ICorDebugHandleValue> handle;
        cds::ComPtr<cds::ICorDebugValue> value;
        const auto heap = cds::query<cds::ICorDebugHeapValue2>(object);
        cds::require(heap ? heap->CreateHandle(cds::handle_weak, handle.out()) : cds::E_NOINTERFACE, "CreateHandle");
        const cds::HRESULT hr = handle->Dereference(value.out());
        handle->Dispose();
        cds::ValueWriter(target, out_values, 1).add(hr, value);
    });
}

int32_t cds_heap_type_at(cds_session* session, uint64_t address, uint32_t* out_type) {
    return cds::guarded([&] {
        auto& found = cds::require_output(out_type);
        auto& target = cds::session_of(session);
        target.require_held();
        cds::ComPtr<cds::ICorDebugObjectValue> object;
        cds::ComPtr<cds::ICorDebugType> exact;
        cds::require(process_of(target)->GetObject(address, object.out()), "ICorDebugProcess5::GetObject");
        const auto value = cds::query<cds::ICorDebugValue2>(object);
        cds::require(value ? value->GetExactType(exact.out()) : cds::E_NOINTERFACE, "GetExactType");
        found = target.types.intern(exact.get());
    });
}

int32_t cds_heap_references(cds_session* session, uint64_t address, cds_heap_reference* references, uint32_t capacity,
                            uint32_t* out_count, uint64_t* out_found) {
    return cds::guarded([&] {
        auto& written = cds::require_output(out_count);
        auto& found = cds::require_output(out_found);
        auto& target = cds::session_of(session);
        target.require_held();
        cds::Heap heap(target);
        written = 0;
        found = 0;
        const auto add = [&](const cds_heap_reference& reference) {
            ++found;
            if (written < capacity) {
                references[written++] = reference;
            }
        };
        bool is_complete = false;
        for (const cds::Root& root : heap.roots(is_complete)) {
            if (root.object == address && root.kind != CDS_HEAP_DEPENDENT_HANDLE) {
                add({0, 0, 0, root.kind});
            } else if (root.dependent == address) {
                add({root.object, 0, 0, root.kind});
            }
        }
        heap.each_object([&](const cds::CorHeapObject& object) {
            heap.each_reference(object, [&](std::uint64_t slot, std::uint64_t value) {
                if (value == address) {
                    add({object.address, slot - object.address, heap.type_of(object), CDS_HEAP_OBJECT});
                }
            });
        });
    });
}

int32_t cds_heap_retained(cds_session* session, uint64_t handle, cds_heap_retained_size* out_size) {
    return cds::guarded([&] {
        auto& size = cds::require_sized(out_size);
        auto& target = cds::session_of(session);
        target.require_held();
        const std::uint64_t wanted = object_address(target, handle);
        cds::Heap heap(target);
        const cds::Retained found = cds::retained_by(heap, wanted);
        size.bytes = found.bytes;
        size.objects = found.objects;
        size.own_bytes = found.own_bytes;
    });
}
