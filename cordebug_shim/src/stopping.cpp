// ICorDebugController::Stop, on threads that can be given up: it may never return.
#include <condition_variable>
#include <optional>
#include <utility>

#include "errors.h"
#include "session.h"
#include "stopper.h"

namespace cds {

void Session::request_stop(std::uint32_t timeout_ms) {
    require_alive();
    if (is_frozen()) {
        stop_frozen();
        return;
    }
    // The lock keeps together whether a Stop is under way and what deadline it has.
    const std::lock_guard lock(stop_mutex_);
    events.set_stop_deadline(Clock::now() + std::chrono::milliseconds(timeout_ms));
    if (stop_under_way_) {
        return;
    }
    try {
        run_detached([self = shared_from_this(), process = process()] { self->finish_stop(process->Stop(0)); });
    } catch (...) {
        events.clear_stop_deadline();
        throw;
    }
    stop_under_way_ = true;
}

void Session::finish_stop(HRESULT hr) {
    {
        const std::lock_guard lock(stop_mutex_);
        stop_under_way_ = false;
        events.clear_stop_deadline();
    }
    if (failed(hr)) {
        Event event(CDS_EVENT_STOP_TIMED_OUT);
        event.plain.detail = hr;
        events.push(std::move(event));
        return;
    }
    CallbackHold hold(holds);
    if (!letting_go.load()) {
        Event event(CDS_EVENT_STOPPED);
        event.plain.generation = holds.generation();
        hold.give([&](std::uint64_t number) {
            event.plain.hold = number;
            events.push(std::move(event));
        });
    }
}

bool Session::stop_within(Clock::time_point deadline) {
    // Outlives this call: a Stop that comes back late must find that nobody waits for its hold.
    struct Outcome {
        std::mutex mutex;
        std::condition_variable changed;
        bool has_returned = false;
        bool is_given_up = false;
        HRESULT hr = E_FAIL;
    };
    auto outcome = std::make_shared<Outcome>();
    auto call = [outcome, self = shared_from_this(), process = process()] {
        const HRESULT hr = process->Stop(0);
        std::optional<CallbackHold> hold;
        if (!failed(hr)) {
            hold.emplace(self->holds);
        }
        const std::lock_guard lock(outcome->mutex);
        if (outcome->is_given_up) {
            return;  // nobody waits: the hold gives itself back
        }
        if (hold) {
            hold->give([](std::uint64_t) {});
        }
        outcome->hr = hr;
        outcome->has_returned = true;
        outcome->changed.notify_all();
    };
    try {
        run_detached(std::move(call));
    } catch (...) {
        remember_current_exception();  // no thread can be made
        return false;
    }
    std::unique_lock lock(outcome->mutex);
    outcome->is_given_up = !outcome->changed.wait_until(lock, deadline, [&] { return outcome->has_returned; });
    return !outcome->is_given_up && !failed(outcome->hr);
}

}  // namespace cds
