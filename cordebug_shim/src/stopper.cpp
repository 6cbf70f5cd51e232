#include "stopper.h"

#include <condition_variable>
#include <memory>
#include <mutex>
#include <utility>

namespace cds {

namespace {

constexpr std::chrono::milliseconds look_interval{20};

struct Call {
    std::mutex mutex;
    std::condition_variable changed;
    bool has_returned = false;
};

std::shared_ptr<Call> start(std::function<void()> call) {
    auto state = std::make_shared<Call>();
    run_detached([state, call = std::move(call)] {
        call();
        const std::lock_guard lock(state->mutex);
        state->has_returned = true;
        state->changed.notify_all();
    });
    return state;
}

}  // namespace

bool run_within(std::chrono::steady_clock::time_point deadline, std::function<void()> call) {
    const auto state = start(std::move(call));
    std::unique_lock lock(state->mutex);
    return state->changed.wait_until(lock, deadline, [&] { return state->has_returned; });
}

bool run_until(const std::function<bool()>& is_given_up, std::function<void()> call) {
    const auto state = start(std::move(call));
    std::unique_lock lock(state->mutex);
    while (!state->changed.wait_for(lock, look_interval, [&] { return state->has_returned; })) {
        if (is_given_up()) {
            return false;
        }
    }
    return true;
}

}  // namespace cds
