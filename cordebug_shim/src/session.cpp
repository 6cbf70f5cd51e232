#include "session.h"

#include <thread>
#include <utility>

#include "callback.h"
#include "errors.h"
#include "library_fault.h"
#include "startup.h"
#include "stopper.h"

namespace cds {
namespace {

// How long an orderly farewell may take when a session is destroyed without one.
constexpr std::chrono::milliseconds close_timeout{3000};
// How long a process may take to stop before it is killed instead of terminated.
constexpr std::chrono::milliseconds terminate_timeout{1000};
// Many times what a thread needs to get over a breakpoint.
constexpr std::chrono::milliseconds breakpoint_skip_time{50};

// Keeps an object of the runtime's library for ever. Its threads use the process and the root object for some time
// after ExitProcess and Detach, without a word when they are done; ICorDebug::Terminate and Release then crash now and
// then. A debugger process has one session, so that this is little.
void retire(ComPtr<IUnknown> object) {
    static std::mutex mutex;
    static auto* retired = new std::vector<ComPtr<IUnknown>>;  // never destroyed, not even at exit
    const std::lock_guard lock(mutex);
    retired->push_back(std::move(object));
}

}  // namespace

std::shared_ptr<Session> Session::attach(std::uint32_t process_id, std::uint32_t timeout_ms) {
    const RuntimeLocation runtime = locate_runtime(process_id);
    wait_for_debugger_transport(process_id, timeout_ms);
    auto session = std::make_shared<Session>();
    session->runtime_path = runtime.library_path;
    session->process_id_ = process_id;
    ComPtr<IUnknown> root;
    *root.out() = create_debugger_object(process_id, runtime);
    survive_library_faults(process_id);
    session->debug_ = query<ICorDebug>(root);
    if (!session->debug_) {
        throw Failure(CDS_E_NO_DEBUGGER, "The runtime's debugger library gives no ICorDebug.");
    }
    ICorDebug& debug = *session->debug_.get();
    try {
        require(debug.Initialize(), "ICorDebug::Initialize");
        const ComPtr<ICorDebugManagedCallback> callback = make_callback(session);
        require(debug.SetManagedHandler(callback.get()), "ICorDebug::SetManagedHandler");
        ComPtr<ICorDebugProcess> process;
        const HRESULT hr = debug.DebugActiveProcess(process_id, 0, process.out());
        if (hr == CORDBG_E_DEBUGGER_ALREADY_ATTACHED) {
            throw Failure(
                CDS_E_ALREADY_DEBUGGED,
                "Process " + std::to_string(process_id) + " is being debugged already; end that session first.", hr);
        }
        require(hr, "Attaching to the process");
        session->on_process_created(process.get());
    } catch (...) {
        session->close();
        throw;
    }
    return session;
}

ComPtr<ICorDebugProcess> Session::process() const {
    const std::lock_guard lock(mutex_);
    return process_;
}

void Session::require_alive() const {
    if (gone_.load() || library_is_lost()) {
        throw Failure(CDS_E_GONE, "The process ended or was detached from.");
    }
}

void Session::require_held() const {
    require_alive();
    if (!holds.any()) {
        fail_runtime(CORDBG_E_PROCESS_NOT_SYNCHRONIZED, "");
    }
}

void Session::drop_stop_state() {
    stacks.clear();
    values.clear();
}

void Session::release(std::uint64_t hold) {
    require_alive();
    holds.release(hold, [this] { drop_stop_state(); });
}

ComPtr<ICorDebugThread> Session::thread(std::uint32_t id) const {
    ComPtr<ICorDebugThread> thread;
    if (failed(process()->GetThread(id, thread.out())) || !thread) {
        throw Failure(CDS_E_NOT_FOUND, "There is no managed thread " + std::to_string(id) + ".");
    }
    return thread;
}

ComPtr<ICorDebugModule> Session::module(std::uint32_t id) const {
    ComPtr<ICorDebugModule> found = modules.find(id);
    if (!found) {
        throw Failure(CDS_E_NOT_FOUND, "The module is not loaded any more.");
    }
    return found;
}

void Session::on_process_created(ICorDebugProcess* process) {
    const ComPtr<ICorDebugProcess> kept(process);
    {
        const std::lock_guard lock(mutex_);
        if (process_ || process == nullptr) {
            return;
        }
        process_ = kept;
    }
    holds.set_controller(query<ICorDebugController>(process));
    process->EnableLogMessages(1);
}

void Session::on_process_exited() {
    gone_ = true;
    holds.forget_all();
    events.clear_stop_deadline();
    Event event(CDS_EVENT_PROCESS_EXITED);
    event.plain.generation = holds.generation();
    events.push(std::move(event));
}

std::uint32_t Session::on_module_loaded(ICorDebugModule* module) {
    const std::uint32_t id = modules.add(ComPtr<ICorDebugModule>(module));
    primitives.set_core_library(module, id);
    return id;
}

std::uint32_t Session::on_module_unloaded(ICorDebugModule* module) {
    const std::uint32_t id = modules.id_of(module);
    if (id != 0) {
        breakpoints.take_owned(id);
        read_plans.module_unloaded(id);
        types.module_unloaded(id);
        modules.take(id);
    }
    return id;
}

void Session::request_stop(std::uint32_t timeout_ms) {
    require_alive();
    events.set_stop_deadline(Clock::now() + std::chrono::milliseconds(timeout_ms));
    if (stop_under_way_.exchange(true)) {
        return;
    }
    run_detached([self = shared_from_this(), process = process()] {
        const HRESULT hr = process->Stop(0);
        self->stop_under_way_ = false;
        self->events.clear_stop_deadline();
        if (failed(hr)) {
            Event event(CDS_EVENT_STOP_TIMED_OUT);
            event.plain.detail = hr;
            self->events.push(std::move(event));
            return;
        }
        CallbackHold hold(self->holds);
        if (!self->letting_go.load()) {
            Event event(CDS_EVENT_STOPPED);
            event.plain.hold = hold.number();
            event.plain.generation = self->holds.generation();
            self->events.push(std::move(event));
            hold.hand_over();
        }
    });
}

bool Session::stop_within(Clock::time_point deadline) {
    // The flag outlives this call: a Stop that comes back late must give its hold away again.
    struct Outcome {
        std::mutex mutex;
        bool given_up = false;
        HRESULT hr = E_FAIL;
    };
    auto outcome = std::make_shared<Outcome>();
    const bool returned = run_within(deadline, [outcome, self = shared_from_this(), process = process()] {
        const HRESULT hr = process->Stop(0);
        const std::lock_guard lock(outcome->mutex);
        outcome->hr = hr;
        if (!failed(hr)) {
            CallbackHold hold(self->holds);
            if (!outcome->given_up) {
                hold.hand_over();
            }
        }
    });
    const std::lock_guard lock(outcome->mutex);
    outcome->given_up = !returned;
    return returned && !failed(outcome->hr);
}

void Session::remove_all_traps() {
    for (const auto& stepper : steppers.take_all()) {
        stepper->Deactivate();
    }
    const auto active = breakpoints.take_all();
    for (auto breakpoint = active.rbegin(); breakpoint != active.rend(); ++breakpoint) {  // see cds_breakpoint_destroy
        (*breakpoint)->Activate(0);
    }
    evals.take_all();
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

// A thread that goes on from a breakpoint executes a copy of the instruction under the runtime's care for a moment; a
// process that is detached from just then dies of SIGTRAP. So it first runs that moment out, with no breakpoint left.
void Session::leave_breakpoints_behind(Clock::time_point deadline) {
    if (holds.ran_for() >= breakpoint_skip_time) {
        return;
    }
    holds.release_all();
    std::this_thread::sleep_for(breakpoint_skip_time);
    if (!stop_within(deadline)) {
        throw Failure(CDS_E_TIMEOUT, "The program did not stop in time to be let go.");
    }
}

void Session::drain(Clock::time_point deadline) {
    const ComPtr<ICorDebugProcess> stopped = process();
    for (;;) {
        std::int32_t queued = 0;
        if (failed(stopped->HasQueuedCallbacks(nullptr, &queued)) || queued == 0) {
            return;
        }
        holds.release_all();
        if (!stop_within(deadline)) {
            throw Failure(CDS_E_TIMEOUT, "The program did not stop in time to be let go.");
        }
    }
}

void Session::detach(std::uint32_t timeout_ms) {
    require_held();
    const Clock::time_point deadline = Clock::now() + std::chrono::milliseconds(timeout_ms);
    letting_go = true;
    try {
        drop_stop_state();
        remove_all_traps();
        leave_breakpoints_behind(deadline);
        drain(deadline);
        require(process()->Detach(), "Detach");
    } catch (...) {
        letting_go = false;
        throw;
    }
    gone_ = true;
    holds.forget_all();
    events.clear_stop_deadline();
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
    const bool held = holds.any() || stop_within(Clock::now() + std::chrono::milliseconds(timeout_ms));
    expect_end();
    if (!held) {
        throw Failure(CDS_E_TIMEOUT, "The program did not stop in time.");
    }
}

void Session::terminate(std::uint32_t exit_code) {
    require_alive();
    const ComPtr<ICorDebugProcess> target = process();
    // Terminate needs a stopped process, and some runtimes cannot stop one that spins.
    const bool held = holds.any() || stop_within(Clock::now() + terminate_timeout);
    if (!held || failed(target->Terminate(exit_code))) {
        kill_process(process_id_);
    }
    expect_end();
}

void Session::close() noexcept {
    try {
        if (library_is_lost()) {
            // Even giving an object back may wait for what the parked thread holds: it is kept until the debugger ends.
            static auto* const kept = new std::vector<std::shared_ptr<Session>>;
            kept->push_back(shared_from_this());
            return;
        }
        letting_go = true;
        const ComPtr<ICorDebugProcess> process = this->process();
        if (process && !gone_.load()) {
            const Clock::time_point deadline = Clock::now() + close_timeout;
            if (holds.any() || stop_within(deadline)) {
                detach(static_cast<std::uint32_t>(close_timeout.count()));
            }
        }
    } catch (...) {
        // A process that cannot be detached from must at least run.
        remember_current_exception();
    }
    drop_stop_state();
    types.clear();
    holds.release_all();
    steppers.take_all();
    breakpoints.take_all();
    evals.take_all();
    eval_arguments.clear();
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
}

}  // namespace cds
