// Objects that are remembered while the process runs, through the runtime's own handles.
#include <utility>

#include "errors.h"
#include "session.h"
#include "stopper.h"
#include "value_types.h"
#include "values.h"

namespace cds {

// A box stays closed: what is in it is no object of its own.
ComPtr<ICorDebugHeapValue2> heap_object_of(ComPtr<ICorDebugValue> value) {
    for (int step = 0; value && step < most_steps; ++step) {
        auto heap = query<ICorDebugHeapValue2>(value);
        if (heap) {
            return heap;
        }
        const auto reference = query<ICorDebugReferenceValue>(value);
        ComPtr<ICorDebugValue> target;
        if (!reference || failed(reference->Dereference(target.out()))) {
            break;
        }
        value = std::move(target);
    }
    throw Failure(CDS_E_KIND, "That is possible for objects on the heap only.");
}

namespace {

ComPtr<ICorDebugHandleValue> make_handle(Session& session, std::uint64_t value, bool weak) {
    const auto heap = heap_object_of(session.values.find(value).original);
    ComPtr<ICorDebugHandleValue> handle;
    require(heap->CreateHandle(weak ? handle_weak : handle_strong, handle.out()), "CreateHandle");
    return handle;
}

}  // namespace
}  // namespace cds

int32_t cds_pin_create(cds_session* session, uint64_t handle, int32_t weak, uint32_t* out_pin) {
    return cds::guarded([&] {
        auto& pin = cds::require_output(out_pin);
        auto& target = cds::acting_session_of(session);
        target.require_held();
        pin = target.pins.add(cds::make_handle(target, handle, weak != 0));
    });
}

int32_t cds_pin_read(cds_session* session, uint32_t pin, cds_value_buffer* out_values) {
    return cds::guarded([&] {
        auto& target = cds::session_of(session);
        target.require_held();
        const auto found = target.pins.find(pin);
        if (!found) {
            throw cds::Failure(CDS_E_NOT_FOUND, "The object is not remembered any more.");
        }
        cds::ValueWriter writer(target, out_values, 1);
        writer.add(cds::S_OK, cds::ComPtr<cds::ICorDebugValue>(found.get()));
    });
}

int32_t cds_pin_destroy(cds_session* session, uint32_t pin) {
    return cds::guarded([&] {
        auto& target = cds::session_of(session);
        cds::Session::require_library();
        const auto found = target.pins.take(pin);
        if (found && target.holds.is_held()) {
            found->Dispose();
        } else if (found) {
            // It waits for a Stop that is under way, which may never return: on a thread that can be given up.
            cds::run_detached([found, self = target.shared_from_this()] { found->Dispose(); });
        }
    });
}
