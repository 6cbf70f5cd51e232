// What threads wait for.
#include <algorithm>
#include <vector>

#include "errors.h"
#include "session.h"

namespace cds {
namespace {

struct Blocking {
    cds_blocking plain{};
    ComPtr<ICorDebugValue> object;
};

void add_owner(const ComPtr<ICorDebugValue>& object, cds_blocking& blocking) {
    const auto heap = query<ICorDebugHeapValue3>(heap_object_of(object));
    ComPtr<ICorDebugThread> owner;
    std::uint32_t count = 0;
    std::uint32_t id = 0;
    // Success without a thread: nobody has entered it.
    if (heap && heap->GetThreadOwningMonitorLock(owner.out(), &count) == S_OK && owner && !failed(owner->GetID(&id))) {
        blocking.owner = id;
        blocking.acquisitions = count;
    }
}

std::vector<Blocking> blocking_of(Session& session, std::uint32_t thread) {
    const auto thread4 = query<ICorDebugThread4>(session.thread(thread));
    if (!thread4) {
        fail_runtime(E_NOINTERFACE, "ICorDebugThread4");
    }
    ComPtr<ICorDebugBlockingObjectEnum> list;
    require(thread4->GetBlockingObjects(list.out()), "GetBlockingObjects");
    std::vector<Blocking> found;
    CorDebugBlockingObject one{};
    std::uint32_t fetched = 0;
    while (list->Next(1, &one, &fetched) == S_OK && fetched == 1) {
        Blocking entry;
        *entry.object.out() = one.object;
        entry.plain.reason = one.reason;
        entry.plain.timeout_ms = one.timeout_ms;
        add_owner(entry.object, entry.plain);
        found.push_back(std::move(entry));
    }
    return found;
}

}  // namespace
}  // namespace cds

int32_t cds_thread_blocking(cds_session* session, uint32_t thread, cds_blocking* blocking, uint32_t capacity,
                            uint32_t* out_count, cds_value_buffer* out_values) {
    return cds::guarded([&] {
        auto& count = cds::require_output(out_count);
        auto& target = cds::session_of(session);
        target.require_held();
        const std::vector<cds::Blocking> found = cds::blocking_of(target, thread);
        const auto written = static_cast<std::uint32_t>(std::min<std::size_t>(capacity, found.size()));
        cds::ValueWriter writer(target, out_values, written);
        for (std::uint32_t i = 0; i < written; ++i) {
            blocking[i] = found[i].plain;
            writer.add(cds::S_OK, found[i].object);
        }
        count = static_cast<std::uint32_t>(found.size());
    });
}
