// The end of a session: detaching, killing, and what is done when neither works. docs/decisions/0016-shim-letting-go.md
#include <algorithm>
#include <thread>
#include <utility>

#include "errors.h"
#include "library_fault.h"
#include "session.h"
#include "stopper.h"

namespace cds {
namespace {

// How long an orderly farewell may take when a session is destroyed without one.
constexpr std::chrono::milliseconds close_timeout{3000};
// How long a process may take to stop before it is killed instead of terminated.
constexpr std::chrono::milliseconds terminate_timeout{1000};
// How long a callback that is queued may take to come.
constexpr std::chrono::milliseconds callback_time{20};
// Many times what a thread needs to get over a breakpoint.
constexpr std::chrono::milliseconds breakpoint_skip_time{50};
// How long a thread may wait for the processor, whatever time is left, and how often it is looked at: on a crowded machine
// 20 s were seen.
constexpr std::chrono::milliseconds turns_time{10000};
constexpr std::chrono::milliseconds turns_interval{10};
// How long the process may take to stop once more at least, after that.
constexpr std::chrono::milliseconds second_stop_time{1000};
// How long the runtime may take to answer Detach at least, whatever time is left. It takes a millisecond.
constexpr std::chrono::milliseconds detach_time{1000};

// Keeps an object of the runtime's library for ever. Its threads use the process and the root object for some time
// after ExitProcess and Detach, without a word when they are done; ICorDebug::Terminate and Release then crash now and
// then. A debugger process has one session, so that this is little.
void retire(ComPtr<IUnknown> object) {
    static std::mutex mutex;
    static auto* retired = new std::vector<ComPtr<IUnknown>>;  // never destroyed, not even at exit
    const std::lock_guard lock(mutex);
    retired->push_back(std::move(object));
}

// Keeps a whole session until the debugger ends.
void keep(std::shared_ptr<Session> session) {
    static std::mutex mutex;
    static auto* kept = new std::vector<std::shared_ptr<Session>>;
    const std::lock_guard lock(mutex);
    kept->push_back(std::move(session));
}

}  // namespace

void Session::remove_all_traps() {
    for (const auto& stepper : steppers.take_all()) {
        stepper->Deactivate();
    }
    const auto active = breakpoints.take_all();
    for (auto breakpoint = active.rbegin(); breakpoint != active.rend(); ++breakpoint) {  // see cds_breakpoint_destroy
        (*breakpoint)->Activate(0);
    }
    forget_evals();
    if (all_were_frozen) {
        process()->SetAllThreadsDebugState(thread_run, nullptr);
        all_were_frozen = false;
    }
    for (const std::uint32_t id : frozen_threads) {
        ComPtr<ICorDebugThread> frozen;
        if (!failed(process()->GetThread(id, frozen.out())) && frozen) {
            frozen->SetDebugState(thread_run);
        }
    }
    frozen_threads.clear();
    for (const auto& pin : pins.take_all()) {
        pin->Dispose();
    }
}

// Afterwards the process is stopped for us, and no callback is in the middle of anything.
void Session::stop_to_let_go(Clock::time_point deadline) {
    const bool is_stopped = holds.is_held() || stop_within(deadline);
    if (!is_stopped || !holds.wait_until_none_passes(deadline)) {
        require_alive();
        throw Failure(CDS_E_TIMEOUT, "The program did not stop in time to be let go.");
    }
}

// A thread that goes on from a breakpoint executes a copy of the instruction under the runtime's care for a moment; a
// process that is detached from just then dies of SIGTRAP or SIGILL. So it first runs that moment out, with no breakpoint
// left. That it ran for a while before says little: the thread may have had no processor all the time.
void Session::leave_breakpoints_behind(Clock::time_point deadline) {
    if (holds.ran_for() < turns_time) {
        const auto until = Clock::now() + breakpoint_skip_time;
        const auto latest = until + turns_time;
        system_process_->note_turns();
        holds.release_handed_over();
        std::this_thread::sleep_until(until);
        while (!system_process_->turns_were_had() && Clock::now() < latest) {
            std::this_thread::sleep_for(turns_interval);
        }
        stop_to_let_go(std::max(deadline, Clock::now() + second_stop_time));
    }
}

// Each Continue brings the next queued callback, and no Stop would be quick enough to come between that callback and
// the next event of a program that floods us: so the callback itself keeps the process stopped.
void Session::drain(Clock::time_point deadline) {
    const ComPtr<ICorDebugProcess> stopped = process();
    std::int32_t queued = 0;
    while (!failed(stopped->HasQueuedCallbacks(nullptr, &queued)) && queued != 0) {
        wants_next_callback = true;
        holds.release_handed_over();
        holds.wait_until_held(std::min(deadline, Clock::now() + callback_time));
        wants_next_callback = false;
        stop_to_let_go(deadline);
        if (Clock::now() >= deadline) {
            throw Failure(CDS_E_TIMEOUT, "The program reported too much to be let go in time.");
        }
    }
}

// Detach may wait for ever for an answer that the library has missed among the runtime's events. Whatever of it is then
// called would wait for the same locks.
void Session::detach_within(Clock::time_point deadline) {
    auto result = std::make_shared<std::atomic<HRESULT>>(E_FAIL);
    auto call = [result, process = process()] { *result = process->Detach(); };
    if (!run_within(std::max(deadline, Clock::now() + detach_time), std::move(call))) {
        is_stuck_ = true;
        gone_ = true;
        throw Failure(CDS_E_TIMEOUT, "The program's runtime did not answer the request to detach.");
    }
    require(*result, "Detach");
    gone_ = true;
}

void Session::let_go(Clock::time_point deadline) {
    letting_go = true;
    stop_to_let_go(deadline);
    drop_stop_state();
    // A thread that sends a message while the process is detached from is never woken: Detach succeeds, and the program
    // stands. Messages come by the thousand; so there are none from here on.
    process()->EnableLogMessages(0);
    remove_all_traps();
    leave_breakpoints_behind(deadline);
    drain(std::max(deadline, Clock::now() + second_stop_time));
    detach_within(deadline);
    holds.forget_all();
    events.clear_stop_deadline();
}

void Session::detach(std::uint32_t timeout_ms) {
    require_held();
    try {
        let_go(Clock::now() + std::chrono::milliseconds(timeout_ms));
    } catch (...) {
        if (is_stuck_) {
            holds.forget_all();
            throw;
        }
        // One state for every other failure: attached, nothing held, nothing set.
        drop_stop_state();
        holds.release_handed_over();
        letting_go = false;
        throw;
    }
}

// Nothing is owed to a dying process: its queued callbacks and the holds already given out continue nothing.
void Session::expect_end() {
    letting_go = true;
    gone_ = true;
    drop_stop_state();
    holds.forget_all();
    events.clear_stop_deadline();
}

void Session::quiesce(std::uint32_t timeout_ms) {
    require_alive();
    const bool held = holds.is_held() || stop_within(Clock::now() + std::chrono::milliseconds(timeout_ms));
    expect_end();
    if (!held) {
        throw Failure(CDS_E_TIMEOUT, "The program did not stop in time.");
    }
}

void Session::terminate(std::uint32_t exit_code) {
    require_alive();
    const ComPtr<ICorDebugProcess> target = process();
    // Terminate needs a stopped process, and some runtimes cannot stop one that spins.
    const bool held = holds.is_held() || stop_within(Clock::now() + terminate_timeout);
    if (!held || failed(target->Terminate(exit_code))) {
        system_process_->kill();
    }
    expect_end();
}

bool Session::leave() noexcept {
    if (!process() || gone_.load()) {
        return !is_stuck_.load();
    }
    if (system_process_->has_ended()) {
        // The library does not notice before the parent has waited for it: a Stop would take all the time there is.
        expect_end();
        return true;
    }
    try {
        let_go(Clock::now() + close_timeout);
        return true;
    } catch (...) {
        remember_current_exception();
        return (gone_.load() && !is_stuck_.load()) || system_process_->has_ended();
    }
}

bool Session::close() noexcept {
    if (is_frozen()) {
        close_frozen();
        return true;
    }
    if (library_is_lost()) {
        // Even giving an object back may wait for what the parked thread holds.
        keep(weak_from_this().lock());
        return true;
    }
    const bool has_left = leave();
    if (is_stuck_) {
        holds.forget_all();
        keep(weak_from_this().lock());
        return has_left;
    }
    drop_stop_state();
    holds.release_handed_over();
    if (!has_left) {
        // Whatever comes of it still needs its Continue: callbacks, and a Stop that returns late.
        keep(weak_from_this().lock());
        return false;
    }
    types.clear();
    steppers.take_all();
    breakpoints.take_all();
    forget_evals();
    primitives = Primitives();
    modules.take_all();
    holds.set_controller({});
    {
        const std::lock_guard lock(mutex_);
        retire(query<IUnknown>(process_));
        process_.reset();
    }
    retire(query<IUnknown>(debug_));
    debug_.reset();
    return true;
}

}  // namespace cds
