#include "stopper.h"

#include <condition_variable>
#include <memory>
#include <mutex>
#include <utility>

namespace cds {

bool run_within(std::chrono::steady_clock::time_point deadline, std::function<void()> call) {
    struct State {
        std::mutex mutex;
        std::condition_variable changed;
        bool returned = false;
    };
    auto state = std::make_shared<State>();
    run_detached([state, call = std::move(call)] {
        call();
        const std::lock_guard lock(state->mutex);
        state->returned = true;
        state->changed.notify_all();
    });
    std::unique_lock lock(state->mutex);
    return state->changed.wait_until(lock, deadline, [&] { return state->returned; });
}

}  // namespace cds
