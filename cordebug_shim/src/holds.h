// Who owes the process a Continue. The only place that calls ICorDebugController::Continue.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <set>
#include <utility>

#include "cordebug/process.h"

namespace cds {

// Any thread. A hold is passing until it is handed over: the callback (or Stop) that it came with gives it back by
// itself. One that was handed over is somebody's: the process stands until that one gives it back.
class Holds {
  public:
    // The process stands because of a callback or a Stop: a passing hold.
    std::uint64_t take();

    // From now on whoever has the number owes the `release`. Ignored for one that is not held.
    void hand_over(std::uint64_t number);

    // Exactly one Continue. Throws Failure: CDS_E_STALE for a number that is not held (any more), CDS_E_GONE.
    // `before_running` is called, under the lock, when it is the last: no callback can come in between.
    void release(std::uint64_t number, const std::function<void()>& before_running = {});

    // Forgets all holds without continuing: the process is gone or was detached from.
    void forget_all();

    // Gives back all holds that were handed over, whatever the runtime answers. The passing ones give themselves back.
    void release_handed_over() noexcept;

    // Whether the process stands until somebody gives back a hold that was handed over.
    bool is_held() const;
    // Waits until somebody has a hold; false when nobody has before the deadline.
    bool wait_until_held(std::chrono::steady_clock::time_point deadline);
    // Waits until no hold is passing and no Continue is under way; false when that is not before the deadline.
    bool wait_until_none_passes(std::chrono::steady_clock::time_point deadline);
    // How long the process ran before it was held, up to now when it runs.
    std::chrono::steady_clock::duration ran_for() const;
    std::uint64_t generation() const { return generation_.load(); }
    void set_controller(ComPtr<ICorDebugController> controller);

  private:
    HRESULT continue_process();
    bool is_running() const { return passing_.empty() && handed_over_.empty(); }  // under the lock
    void begin_to_run();                                                          // under the lock

    mutable std::mutex mutex_;
    std::condition_variable changed_;
    std::set<std::uint64_t> passing_;
    std::set<std::uint64_t> handed_over_;
    std::uint32_t continuing_ = 0;  // calls of Continue under way
    std::uint64_t last_number_ = 0;
    std::chrono::steady_clock::time_point running_since_ = std::chrono::steady_clock::now();
    std::chrono::steady_clock::time_point held_since_ = running_since_;
    std::atomic<std::uint64_t> generation_{1};
    ComPtr<ICorDebugController> controller_;
};

// A passing hold: continues the process at the end of its life unless it was given to somebody.
class CallbackHold {
  public:
    explicit CallbackHold(Holds& holds) : holds_(holds), number_(holds.take()) {}
    CallbackHold(const CallbackHold&) = delete;
    CallbackHold& operator=(const CallbackHold&) = delete;
    ~CallbackHold();

    std::uint64_t number() const { return number_; }

    // Hands the hold over by `deliver`, a call with its number. When that throws the process goes on.
    template <typename Deliver>
    void give(Deliver&& deliver) {
        if (number_ == 0) {
            return;  // it was given before
        }
        // Before its receiver can know the number.
        holds_.hand_over(number_);
        deliver(number_);
        number_ = 0;
    }

  private:
    Holds& holds_;
    std::uint64_t number_;
};

}  // namespace cds
