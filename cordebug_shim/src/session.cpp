#include "session.h"

#include <chrono>
#include <optional>
#include <utility>

#include "callback.h"
#include "debugger_pipes.h"
#include "errors.h"
#include "library_fault.h"
#include "startup.h"
#include "stopper.h"

namespace cds {
namespace {

// How long the library may take to notice that the process has ended.
constexpr std::chrono::milliseconds end_grace{1000};

}  // namespace

std::shared_ptr<Session> Session::attach(std::uint32_t process_id, const cds_session_options& options) {
    if (library_is_lost()) {
        throw Failure(CDS_E_NO_DEBUGGER,
                      "The runtime's debugger library broke when the program before ended: begin a new session.");
    }
    const std::string folder = temporary_folder_or_default(options.temporary_folder);
    auto system_process = open_process(process_id);
    const DebuggerPipes pipes(process_id, folder);
    const RuntimeLocation runtime = locate_runtime(process_id, pipes);
    pipes.require_same_namespace();
    pipes.require_no_debugger();
    wait_for_debugger_transport(process_id, pipes, folder, options.timeout_ms);
    auto session = std::make_shared<Session>(std::move(system_process));
    session->runtime_path = runtime.library_path;
    ComPtr<IUnknown> root;
    *root.out() = create_debugger_object(process_id, runtime, folder, (options.flags & CDS_SESSION_TRUST_RUNTIME) != 0);
    survive_library_faults(process_id);
    session->live_pages_ = std::make_unique<const LivePages>(process_id);
    session->debug_ = query<ICorDebug>(root);
    if (!session->debug_) {
        throw Failure(CDS_E_NO_DEBUGGER, "The runtime's debugger library gives no ICorDebug.");
    }
    ICorDebug& debug = *session->debug_.get();
    try {
        require(debug.Initialize(), "ICorDebug::Initialize");
        const ComPtr<ICorDebugManagedCallback> callback = make_callback(session);
        require(debug.SetManagedHandler(callback.get()), "ICorDebug::SetManagedHandler");
        session->debug_process(process_id);
    } catch (...) {
        session->close();
        throw;
    }
    return session;
}

// DebugActiveProcess may wait for ever, or for ten seconds, for an answer of a process that has ended meanwhile.
void Session::debug_process(std::uint32_t process_id) {
    struct Attached {
        HRESULT hr = E_FAIL;
        ComPtr<ICorDebugProcess> process;
    };
    auto attached = std::make_shared<Attached>();
    std::optional<Clock::time_point> ended_at;
    const auto is_given_up = [&] {
        if (!ended_at && system_process_->has_ended()) {
            ended_at = Clock::now();
        }
        return ended_at && Clock::now() - *ended_at > end_grace;
    };
    const bool has_returned = run_until(is_given_up, [attached, process_id, self = shared_from_this()] {
        attached->hr = self->debug_->DebugActiveProcess(process_id, 0, attached->process.out());
    });
    if (!has_returned) {
        give_library_up();
        static auto* kept =
            new std::vector<std::shared_ptr<Attached>>;  // it may return yet: nothing is given back then
        kept->push_back(attached);
        throw Failure(CDS_E_NO_PROCESS,
                      "Process " + std::to_string(process_id) + " has ended before it could be attached to.");
    }
    if (attached->hr == CORDBG_E_DEBUGGER_ALREADY_ATTACHED) {
        throw Failure(CDS_E_ALREADY_DEBUGGED,
                      "Process " + std::to_string(process_id) + " is being debugged already; end that session first.",
                      attached->hr);
    }
    require(attached->hr, "Attaching to the process");
    on_process_created(attached->process.get());
}

ComPtr<ICorDebugProcess> Session::process() const {
    const std::lock_guard lock(mutex_);
    return process_;
}

void Session::require_not_frozen() const {
    if (is_frozen()) {
        throw Failure(CDS_E_FROZEN, "This process stands still: it can be read, but nothing in it runs or changes.");
    }
}

void Session::require_alive() const {
    if (gone_.load() || library_is_lost()) {
        throw Failure(CDS_E_GONE, "The process ended or was detached from.");
    }
}

void Session::require_library() {
    if (library_is_lost()) {
        throw Failure(CDS_E_GONE, "The process has ended.");
    }
}

Session::~Session() {
    borrow_no_pages_from(live_pages_.get());
    borrow_no_pages_from(frozen_.get());
}

void Session::borrow_its_pages() const {
    if (frozen_) {
        borrow_pages_from(frozen_.get());
    } else {
        borrow_pages_from(live_pages_.get());
    }
}

void Session::require_held() const {
    require_alive();
    borrow_its_pages();
    if (!holds.is_held()) {
        fail_runtime(CORDBG_E_PROCESS_NOT_SYNCHRONIZED, "");
    }
}

void Session::forget_evals() {
    evals.take_all();
    std::map<std::uint32_t, EvalArguments> forgotten;  // let go without the lock: the runtime is called for that
    const std::lock_guard lock(evals_mutex_);
    forgotten.swap(eval_arguments_);
    completed_evals_.clear();
}

void Session::keep_eval_arguments(std::uint32_t eval, EvalArguments arguments) {
    const std::lock_guard lock(evals_mutex_);
    eval_arguments_.emplace(eval, std::move(arguments));
}

void Session::eval_completed(std::uint32_t eval, std::uint64_t hold) {
    const std::lock_guard lock(evals_mutex_);
    completed_evals_[hold] = eval;
}

void Session::forget_eval(std::uint32_t eval) {
    evals.take(eval);
    decltype(eval_arguments_)::node_type forgotten;  // as above
    const std::lock_guard lock(evals_mutex_);
    forgotten = eval_arguments_.extract(eval);
}

void Session::forget_completed_eval(std::uint64_t hold) {
    std::uint32_t eval = 0;
    {
        const std::lock_guard lock(evals_mutex_);
        const auto found = completed_evals_.find(hold);
        if (found == completed_evals_.end()) {
            return;
        }
        eval = found->second;
        completed_evals_.erase(found);
    }
    forget_eval(eval);
}

void Session::drop_stop_state() {
    stacks.clear();
    values.clear();
}

void Session::release(std::uint64_t hold) {
    require_alive();
    forget_completed_eval(hold);
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
    if (process == nullptr || this->process()) {
        return;
    }
    // Two threads may come here at once, and each continues the process as soon as it is through: first of all there
    // must be what continues it.
    holds.set_controller(query<ICorDebugController>(process));
    const ComPtr<ICorDebugProcess> kept(process);
    {
        const std::lock_guard lock(mutex_);
        if (process_) {
            return;
        }
        process_ = kept;
    }
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

}  // namespace cds
