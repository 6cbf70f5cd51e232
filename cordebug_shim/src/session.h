// One process under control: what the entry points and the callbacks share.
#pragma once

#include <algorithm>
#include <atomic>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "cordebug/code.h"
#include "cordebug/frame.h"
#include "cordebug/process.h"
#include "cordebug/value.h"
#include "errors.h"
#include "events.h"
#include "frozen_process.h"
#include "holds.h"
#include "object_table.h"
#include "primitives.h"
#include "read_plans.h"
#include "stacks.h"
#include "system_process.h"
#include "types.h"
#include "values.h"

namespace cds {

// What an evaluation was given; it needs them until it has ended. The handles were made for it alone.
struct EvalArguments {
    std::vector<ComPtr<ICorDebugValue>> values;
    std::vector<ComPtr<ICorDebugHandleValue>> handles;

    EvalArguments() = default;
    EvalArguments(EvalArguments&&) = default;
    EvalArguments(const EvalArguments&) = delete;
    EvalArguments& operator=(EvalArguments&&) = delete;
    EvalArguments& operator=(const EvalArguments&) = delete;
    ~EvalArguments() {
        for (const auto& handle : handles) {
            handle->Dispose();
        }
    }
};

// Members that callback threads touch are safe for any thread; stacks are the session thread's.
class Session : public std::enable_shared_from_this<Session> {
  public:
    // Attaches; throws Failure. Events come at once.
    static std::shared_ptr<Session> attach(std::uint32_t process_id, const cds_session_options& options);
    // Opens what stands still with the libraries of the runtime in a folder, or where null in that which it had; throws
    // Failure. It is frozen.
    static std::shared_ptr<Session> open_frozen(const std::shared_ptr<const FrozenProcess>& process,
                                                const char* runtime_folder, bool trust_runtime);

    explicit Session(std::unique_ptr<SystemProcess> process) : system_process_(std::move(process)) {}
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;
    ~Session();

    // Whether it is over memory that stands still: everything can be read, and nothing done.
    bool is_frozen() const { return frozen_ != nullptr; }
    void require_not_frozen() const;

    // Throws CDS_E_GONE after the end, or when the process runs. Before anything of it is read.
    void require_held() const;
    // What is borrowed from now on is of this session's process.
    void borrow_its_pages() const;
    void require_alive() const;
    // Throws CDS_E_GONE where nothing of the runtime's library may be touched any more.
    static void require_library();

    // Gives back a hold and, when it was the last, everything that was of this stop.
    void release(std::uint64_t hold);

    void request_stop(std::uint32_t timeout_ms);
    void detach(std::uint32_t timeout_ms);
    void quiesce(std::uint32_t timeout_ms);
    void terminate(std::uint32_t exit_code);
    // Lets go of the process, then of the runtime's library. False, with the reason remembered, when the process could
    // not be let go: what it needs to run is kept then.
    bool close() noexcept;

    // For callbacks.
    void on_process_created(ICorDebugProcess* process);
    void on_process_exited();
    std::uint32_t on_module_loaded(ICorDebugModule* module);
    std::uint32_t on_module_unloaded(ICorDebugModule* module);

    // Evaluations: what one under way was given is kept, since a handle that is let go is null when the call runs; it
    // is forgotten when its completion's hold is released, or on demand.
    void keep_eval_arguments(std::uint32_t eval, EvalArguments arguments);
    void eval_completed(std::uint32_t eval, std::uint64_t hold);
    void forget_eval(std::uint32_t eval);

    ComPtr<ICorDebugThread> thread(std::uint32_t id) const;
    ComPtr<ICorDebugModule> module(std::uint32_t id) const;

    EventQueue events;
    Holds holds;
    ObjectTable<ICorDebugModule> modules;
    ObjectTable<ICorDebugFunctionBreakpoint> breakpoints;
    ObjectTable<ICorDebugStepper> steppers;
    ObjectTable<ICorDebugEval> evals;
    ObjectTable<ICorDebugHandleValue> pins;
    // Session thread.
    std::set<std::uint32_t> frozen_threads;
    bool all_were_frozen = false;  // and not all let go since
    Primitives primitives;
    Types types{*this};
    Values values{*this};
    Stacks stacks{*this};
    ReadPlans read_plans{*this};
    std::atomic<std::uint32_t> exception_interest{1U << 4U};
    // Set while letting go: callbacks continue at once, whatever they report.
    std::atomic<bool> letting_go{false};
    // What goes through the heap is to end soon. Any thread.
    std::atomic<bool> heap_given_up{false};
    // Set while draining: the next callback leaves the process stopped for whoever lets go.
    std::atomic<bool> wants_next_callback{false};
    std::string runtime_path;

    ComPtr<ICorDebugProcess> process() const;

  private:
    friend struct SessionAccess;  // of the tests

    void forget_completed_eval(std::uint64_t hold);
    void forget_evals();
    void drop_stop_state();

    void debug_process(std::uint32_t process_id);

    // Of frozen ones.
    void report_what_is_there();
    void stop_frozen();
    void close_frozen() noexcept;

    // Stopping.
    void finish_stop(HRESULT hr);
    bool stop_within(Clock::time_point deadline);

    // Letting go.
    void expect_end();
    void remove_all_traps();
    void stop_to_let_go(Clock::time_point deadline);
    void leave_breakpoints_behind(Clock::time_point deadline);
    void drain(Clock::time_point deadline);
    void detach_within(Clock::time_point deadline);
    void let_go(Clock::time_point deadline);
    bool leave() noexcept;

    mutable std::mutex mutex_;
    std::unique_ptr<SystemProcess> system_process_;
    ComPtr<ICorDebug> debug_;
    ComPtr<ICorDebugProcess> process_;
    std::unique_ptr<const LivePages> live_pages_;
    std::shared_ptr<const FrozenProcess> frozen_;
    std::uint64_t frozen_hold_ = 0;
    std::atomic<bool> gone_{false};
    // A call of the library does not return: nothing else of it is called.
    std::atomic<bool> is_stuck_{false};
    std::mutex stop_mutex_;
    bool stop_under_way_ = false;  // under stop_mutex_
    std::mutex evals_mutex_;       // over the two below
    std::map<std::uint32_t, EvalArguments> eval_arguments_;
    std::map<std::uint64_t, std::uint32_t> completed_evals_;  // by the hold of their completion
};

}  // namespace cds

// The opaque type of the C API.
struct cds_session {
    std::shared_ptr<cds::Session> session;
};

namespace cds {

// The session behind a handle of the C API; throws CDS_E_ARGUMENT for NULL.
Session& session_of(cds_session* handle);

// As session_of, for what acts on the process: throws CDS_E_FROZEN before the runtime's library is touched, which
// crashes in some such calls.
Session& acting_session_of(cds_session* handle);

template <typename T>
T& require_output(T* output) {
    if (output == nullptr) {
        throw Failure(CDS_E_ARGUMENT, "An output parameter is NULL.");
    }
    return *output;
}

// Also throws CDS_E_ARGUMENT when the caller has not set the struct's size.
template <typename T>
T& require_sized(T* output) {
    if (require_output(output).size != sizeof(T)) {
        throw Failure(CDS_E_ARGUMENT, "The size of an output parameter is not set.");
    }
    return *output;
}

// Copies a list to the caller; throws CDS_E_BUFFER, with the needed count in `out_count`, when it does not fit.
template <typename T>
void copy_out(const std::vector<T>& list, T* buffer, std::uint32_t capacity, std::uint32_t& out_count) {
    out_count = static_cast<std::uint32_t>(list.size());
    if (list.size() > capacity) {
        throw Failure(CDS_E_BUFFER, "The buffer is too small.");
    }
    std::copy(list.begin(), list.end(), buffer);
}

}  // namespace cds
