#include "holds.h"

#include "accelerator.h"
#include "errors.h"

namespace cds {

void Holds::set_controller(ComPtr<ICorDebugController> controller) {
    const std::lock_guard lock(mutex_);
    controller_ = std::move(controller);
}

std::uint64_t Holds::take() {
    const std::lock_guard lock(mutex_);
    if (held_.empty()) {
        held_since_ = std::chrono::steady_clock::now();
    }
    held_.insert(++last_number_);
    return last_number_;
}

bool Holds::any() const {
    const std::lock_guard lock(mutex_);
    return !held_.empty();
}

HRESULT Holds::continue_process() {
    ComPtr<ICorDebugController> controller;
    {
        const std::lock_guard lock(mutex_);
        controller = controller_;
    }
    accelerator::drop_cache();
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
    return (held_.empty() ? std::chrono::steady_clock::now() : held_since_) - running_since_;
}

void Holds::release(std::uint64_t number, const std::function<void()>& before_running) {
    {
        const std::lock_guard lock(mutex_);
        if (held_.erase(number) == 0) {
            throw Failure(CDS_E_STALE, "This stop was left before.");
        }
        if (held_.empty()) {
            if (before_running) {
                before_running();
            }
            begin_to_run();
        }
    }
    require(continue_process(), "Continue");
}

void Holds::forget_all() {
    const std::lock_guard lock(mutex_);
    held_.clear();
    ++generation_;
}

void Holds::release_all() noexcept {
    for (;;) {
        {
            const std::lock_guard lock(mutex_);
            if (held_.empty()) {
                return;
            }
            held_.erase(held_.begin());
            if (held_.empty()) {
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
