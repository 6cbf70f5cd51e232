#include "holds.h"

#include "accelerator.h"
#include "borrowed_pages.h"
#include "errors.h"

namespace cds {

void Holds::set_controller(ComPtr<ICorDebugController> controller) {
    const std::lock_guard lock(mutex_);
    controller_ = std::move(controller);
}

std::uint64_t Holds::take() {
    const std::lock_guard lock(mutex_);
    if (is_running()) {
        held_since_ = std::chrono::steady_clock::now();
    }
    passing_.insert(++last_number_);
    return last_number_;
}

void Holds::hand_over(std::uint64_t number) {
    {
        const std::lock_guard lock(mutex_);
        if (passing_.erase(number) == 0) {
            return;
        }
        handed_over_.insert(number);
    }
    changed_.notify_all();
}

bool Holds::is_held() const {
    const std::lock_guard lock(mutex_);
    return !handed_over_.empty();
}

bool Holds::wait_until_held(std::chrono::steady_clock::time_point deadline) {
    std::unique_lock lock(mutex_);
    return changed_.wait_until(lock, deadline, [this] { return !handed_over_.empty(); });
}

bool Holds::wait_until_none_passes(std::chrono::steady_clock::time_point deadline) {
    std::unique_lock lock(mutex_);
    return changed_.wait_until(lock, deadline, [this] { return passing_.empty() && continuing_ == 0; });
}

HRESULT Holds::continue_process() {
    ComPtr<ICorDebugController> controller;
    {
        const std::lock_guard lock(mutex_);
        controller = controller_;
    }
    accelerator::drop_cache();
    give_pages_back();
    const HRESULT hr = controller ? controller->Continue(0) : CORDBG_E_PROCESS_TERMINATED;
    accelerator::drop_cache();
    return hr;
}

void Holds::begin_to_run() {
    // Before Continue: from here on nothing of this stop may be used.
    ++generation_;
    running_since_ = std::chrono::steady_clock::now();
}

std::chrono::steady_clock::duration Holds::ran_for() const {
    const std::lock_guard lock(mutex_);
    return (is_running() ? std::chrono::steady_clock::now() : held_since_) - running_since_;
}

void Holds::release(std::uint64_t number, const std::function<void()>& before_running) {
    {
        const std::lock_guard lock(mutex_);
        if (passing_.erase(number) == 0 && handed_over_.erase(number) == 0) {
            throw Failure(CDS_E_STALE, "This stop was left before.");
        }
        if (is_running()) {
            if (before_running) {
                before_running();
            }
            begin_to_run();
        }
        ++continuing_;
    }
    const HRESULT hr = continue_process();
    {
        const std::lock_guard lock(mutex_);
        --continuing_;
    }
    changed_.notify_all();
    require(hr, "Continue");
}

void Holds::forget_all() {
    {
        const std::lock_guard lock(mutex_);
        passing_.clear();
        handed_over_.clear();
        ++generation_;
    }
    changed_.notify_all();
}

void Holds::release_handed_over() noexcept {
    for (;;) {
        {
            const std::lock_guard lock(mutex_);
            if (handed_over_.empty()) {
                return;
            }
            handed_over_.erase(handed_over_.begin());
            if (is_running()) {
                begin_to_run();
            }
        }
        continue_process();
    }
}

CallbackHold::~CallbackHold() {
    if (number_ != 0) {
        try {
            holds_.release(number_);
        } catch (...) {
            // The process is gone, or was forgotten meanwhile: nothing is owed.
            remember_current_exception();
        }
    }
}

}  // namespace cds
