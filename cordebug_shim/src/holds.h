// Who owes the process a Continue. The only place that calls ICorDebugController::Continue.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <mutex>
#include <set>
#include <utility>

#include "cordebug/process.h"

namespace cds {

// Any thread.
class Holds {
  public:
    // The process stands because of a callback or a Stop: whoever gets the number owes one `release`.
    std::uint64_t take();

    // Exactly one Continue. Throws Failure: CDS_E_STALE for a number that is not held (any more), CDS_E_GONE.
    // `before_running` is called, under the lock, when it is the last: no callback can come in between.
    void release(std::uint64_t number, const std::function<void()>& before_running = {});

    // Forgets all holds without continuing: the process is gone or was detached from.
    void forget_all();

    // Continues until nothing is held, whatever the runtime answers.
    void release_all() noexcept;

    bool any() const;
    // How long the process ran before it was held, up to now when it runs.
    std::chrono::steady_clock::duration ran_for() const;
    std::uint64_t generation() const { return generation_.load(); }
    void set_controller(ComPtr<ICorDebugController> controller);

  private:
    HRESULT continue_process();
    void begin_to_run();  // under the lock

    mutable std::mutex mutex_;
    std::set<std::uint64_t> held_;
    std::uint64_t last_number_ = 0;
    std::chrono::steady_clock::time_point running_since_ = std::chrono::steady_clock::now();
    std::chrono::steady_clock::time_point held_since_ = running_since_;
    std::atomic<std::uint64_t> generation_{1};
    ComPtr<ICorDebugController> controller_;
};

// The hold of one callback: continues the process at the end of its life unless an event took it over.
class CallbackHold {
  public:
    explicit CallbackHold(Holds& holds) : holds_(holds), number_(holds.take()) {}
    CallbackHold(const CallbackHold&) = delete;
    CallbackHold& operator=(const CallbackHold&) = delete;
    ~CallbackHold();

    std::uint64_t number() const { return number_; }
    // The event that carries `number()` is queued: its receiver releases it.
    void hand_over() { number_ = 0; }

  private:
    Holds& holds_;
    std::uint64_t number_;
};

}  // namespace cds
