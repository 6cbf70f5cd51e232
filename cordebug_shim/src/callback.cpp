// Every callback finds the process stopped and owes one Continue. It copies plain data into an event, queues it and
// returns; CallbackHold continues unless the queued event took the hold over. Nothing here waits.
#include "callback.h"

#include <string>
#include <utility>

#include "errors.h"
#include "module_event.h"
#include "session.h"

namespace cds {
namespace {

std::uint32_t thread_id(ICorDebugThread* thread) {
    std::uint32_t id = 0;
    if (thread != nullptr) {
        thread->GetID(&id);
    }
    return id;
}

std::u16string text_of(const char16_t* text) {
    return text != nullptr ? std::u16string(text) : std::u16string();
}

class Callback final
    : public Counted<ICorDebugManagedCallback, ICorDebugManagedCallback2, ICorDebugManagedCallback3> {
  public:
    explicit Callback(std::shared_ptr<Session> session) : session_(std::move(session)) {}

    HRESULT QueryInterface(const Guid& iid, void** out) override {
        if (out == nullptr) {
            return E_INVALIDARG;
        }
        if (iid == IUnknown::iid || iid == ICorDebugManagedCallback::iid) {
            *out = static_cast<ICorDebugManagedCallback*>(this);
        } else if (iid == ICorDebugManagedCallback2::iid) {
            *out = static_cast<ICorDebugManagedCallback2*>(this);
        } else if (iid == ICorDebugManagedCallback3::iid) {
            *out = static_cast<ICorDebugManagedCallback3*>(this);
        } else {
            *out = nullptr;
            return E_NOINTERFACE;
        }
        AddRef();
        return S_OK;
    }

    // Events that hold.

    HRESULT Breakpoint(ICorDebugAppDomain*, ICorDebugThread* thread, ICorDebugBreakpoint* breakpoint) override {
        return handle([&](CallbackHold& hold) {
            Event event = thread_event(CDS_EVENT_BREAKPOINT_HIT, thread);
            event.plain.object = session_->breakpoints.id_of(breakpoint);
            // A breakpoint that was removed while its hit was queued is nobody's any more.
            if (event.plain.object != 0 &&
                (session_->letting_go.load() || session_->read_plans.evaluate(thread, event))) {
                post(std::move(event), hold);
            }
        });
    }
    HRESULT StepComplete(ICorDebugAppDomain*, ICorDebugThread* thread, ICorDebugStepper* stepper,
                         std::uint32_t reason) override {
        return handle([&](CallbackHold& hold) {
            Event event = thread_event(CDS_EVENT_STEP_COMPLETED, thread);
            event.plain.object = session_->steppers.id_of(stepper);
            event.plain.detail = static_cast<std::int32_t>(reason);
            if (event.plain.object != 0) {
                session_->steppers.take(event.plain.object);
                post(std::move(event), hold);
            }
        });
    }
    HRESULT Break(ICorDebugAppDomain*, ICorDebugThread* thread) override {
        return handle([&](CallbackHold& hold) { post(thread_event(CDS_EVENT_DEBUGGER_BREAK, thread), hold); });
    }
    HRESULT EvalComplete(ICorDebugAppDomain*, ICorDebugThread* thread, ICorDebugEval* eval) override {
        return eval_ended(thread, eval, false);
    }
    HRESULT EvalException(ICorDebugAppDomain*, ICorDebugThread* thread, ICorDebugEval* eval) override {
        return eval_ended(thread, eval, true);
    }
    HRESULT BreakpointSetError(ICorDebugAppDomain*, ICorDebugThread*, ICorDebugBreakpoint* breakpoint,
                               std::uint32_t error) override {
        return handle([&](CallbackHold& hold) {
            Event event(CDS_EVENT_BREAKPOINT_FAILED);
            event.plain.object = session_->breakpoints.id_of(breakpoint);
            event.plain.detail = hresult(error);
            if (event.plain.object != 0) {
                post(std::move(event), hold);
            }
        });
    }
    HRESULT LoadModule(ICorDebugAppDomain*, ICorDebugModule* module) override {
        return handle([&](CallbackHold& hold) {
            post(module_event(session_->on_module_loaded(module), module), hold);
        });
    }
    HRESULT Exception(ICorDebugAppDomain*, ICorDebugThread* thread, ICorDebugFrame* frame, std::uint32_t offset,
                      std::uint32_t phase, std::uint32_t) override {
        return handle([&](CallbackHold& hold) {
            if (phase >= 32 || (session_->exception_interest.load() & (1U << phase)) == 0) {
                return;
            }
            Event event = thread_event(CDS_EVENT_EXCEPTION, thread);
            event.plain.detail = static_cast<std::int32_t>(phase);
            describe_frame(frame, offset, event);
            post(std::move(event), hold);
        });
    }

    // Events that are reported and continued at once.

    HRESULT CreateProcess(ICorDebugProcess* process) override {
        return handle([&](CallbackHold&) {
            session_->on_process_created(process);
            session_->events.push(stamped(Event(CDS_EVENT_PROCESS_CREATED)));
        });
    }
    HRESULT CreateAppDomain(ICorDebugProcess*, ICorDebugAppDomain* domain) override {
        return handle([&](CallbackHold&) {
            if (domain != nullptr) {
                domain->Attach();
            }
        });
    }
    HRESULT CreateThread(ICorDebugAppDomain*, ICorDebugThread* thread) override {
        return report(CDS_EVENT_THREAD_STARTED, thread);
    }
    HRESULT ExitThread(ICorDebugAppDomain*, ICorDebugThread* thread) override {
        return report(CDS_EVENT_THREAD_EXITED, thread);
    }
    HRESULT NameChange(ICorDebugAppDomain*, ICorDebugThread* thread) override {
        return report(CDS_EVENT_THREAD_RENAMED, thread);
    }
    HRESULT UnloadModule(ICorDebugAppDomain*, ICorDebugModule* module) override {
        return handle([&](CallbackHold&) {
            Event event(CDS_EVENT_MODULE_UNLOADED);
            event.plain.module = session_->on_module_unloaded(module);
            if (event.plain.module != 0) {
                session_->events.push(stamped(std::move(event)));
            }
        });
    }
    HRESULT LogMessage(ICorDebugAppDomain*, ICorDebugThread* thread, std::int32_t level, char16_t* category,
                       char16_t* message) override {
        return handle([&](CallbackHold&) {
            Event event = thread_event(CDS_EVENT_MESSAGE_LOGGED, thread);
            event.plain.detail = level;
            event.text = text_of(category);
            event.text2 = text_of(message);
            session_->events.push(stamped(std::move(event)));
        });
    }
    HRESULT DebuggerError(ICorDebugProcess*, HRESULT error, std::uint32_t) override {
        return handle([&](CallbackHold&) {
            Event event(CDS_EVENT_RUNTIME_FAILED);
            event.plain.detail = error;
            session_->events.push(stamped(std::move(event)));
        });
    }

    // The end: the only callback without a Continue.
    HRESULT ExitProcess(ICorDebugProcess*) override {
        session_->on_process_exited();
        return S_OK;
    }

    // Events that nobody waits for.

    HRESULT Exception(ICorDebugAppDomain*, ICorDebugThread*, std::int32_t) override { return go_on(); }
    HRESULT LoadClass(ICorDebugAppDomain*, ICorDebugClass*) override { return go_on(); }
    HRESULT UnloadClass(ICorDebugAppDomain*, ICorDebugClass*) override { return go_on(); }
    HRESULT LogSwitch(ICorDebugAppDomain*, ICorDebugThread*, std::int32_t, std::uint32_t, char16_t*,
                      char16_t*) override {
        return go_on();
    }
    HRESULT ExitAppDomain(ICorDebugProcess*, ICorDebugAppDomain*) override { return go_on(); }
    HRESULT LoadAssembly(ICorDebugAppDomain*, IUnknown*) override { return go_on(); }
    HRESULT UnloadAssembly(ICorDebugAppDomain*, IUnknown*) override { return go_on(); }
    HRESULT ControlCTrap(ICorDebugProcess*) override { return go_on(); }
    HRESULT UpdateModuleSymbols(ICorDebugAppDomain*, ICorDebugModule*, IUnknown*) override { return go_on(); }
    HRESULT EditAndContinueRemap(ICorDebugAppDomain*, ICorDebugThread*, ICorDebugFunction*, std::int32_t) override {
        return go_on();
    }
    HRESULT FunctionRemapOpportunity(ICorDebugAppDomain*, ICorDebugThread*, ICorDebugFunction*, ICorDebugFunction*,
                                     std::uint32_t) override {
        return go_on();
    }
    HRESULT CreateConnection(ICorDebugProcess*, std::uint32_t, char16_t*) override { return go_on(); }
    HRESULT ChangeConnection(ICorDebugProcess*, std::uint32_t) override { return go_on(); }
    HRESULT DestroyConnection(ICorDebugProcess*, std::uint32_t) override { return go_on(); }
    HRESULT ExceptionUnwind(ICorDebugAppDomain*, ICorDebugThread*, std::uint32_t, std::uint32_t) override {
        return go_on();
    }
    HRESULT FunctionRemapComplete(ICorDebugAppDomain*, ICorDebugThread*, ICorDebugFunction*) override {
        return go_on();
    }
    HRESULT MDANotification(ICorDebugController*, ICorDebugThread*, IUnknown*) override { return go_on(); }
    HRESULT CustomNotification(ICorDebugThread*, ICorDebugAppDomain*) override { return go_on(); }

  private:
    // Runs the body with the callback's hold. Whatever fails, the process goes on.
    template <typename Body>
    HRESULT handle(Body&& body) noexcept {
        try {
            CallbackHold hold(session_->holds);
            session_->borrow_its_pages();
            body(hold);
            if (session_->wants_next_callback.exchange(false)) {
                hold.give([](std::uint64_t) {});
            }
        } catch (...) {
            remember_current_exception();
        }
        return S_OK;
    }

    HRESULT go_on() noexcept {
        return handle([](CallbackHold&) {});
    }

    HRESULT report(std::uint32_t kind, ICorDebugThread* thread) noexcept {
        return handle([&](CallbackHold&) { session_->events.push(stamped(thread_event(kind, thread))); });
    }

    HRESULT eval_ended(ICorDebugThread* thread, ICorDebugEval* eval, bool threw) noexcept {
        return handle([&](CallbackHold& hold) {
            Event event = thread_event(CDS_EVENT_EVAL_COMPLETED, thread);
            const std::uint32_t id = session_->evals.id_of(eval);
            event.plain.object = id;
            event.plain.detail = threw ? 1 : 0;
            if (id != 0) {
                session_->eval_completed(id, hold.number());
                post(std::move(event), hold);
            }
        });
    }

    static Event thread_event(std::uint32_t kind, ICorDebugThread* thread) {
        Event event(kind);
        event.plain.thread = thread_id(thread);
        return event;
    }

    Event stamped(Event event) const {
        event.plain.generation = session_->holds.generation();
        return event;
    }

    // Queues an event that leaves the process stopped, unless the session lets go of it just now.
    void post(Event event, CallbackHold& hold) {
        if (session_->letting_go.load()) {
            return;
        }
        hold.give([&](std::uint64_t number) {
            event.plain.hold = number;
            session_->events.push(stamped(std::move(event)));
        });
    }

    void describe_frame(ICorDebugFrame* frame, std::uint32_t offset, Event& event) const {
        if (frame == nullptr || failed(frame->GetFunctionToken(&event.plain.token))) {
            return;
        }
        event.plain.il_offset = offset;
        ComPtr<ICorDebugFunction> function;
        ComPtr<ICorDebugModule> module;
        if (!failed(frame->GetFunction(function.out())) && function && !failed(function->GetModule(module.out()))) {
            event.plain.module = session_->modules.id_of(module.get());
        }
    }

    std::shared_ptr<Session> session_;
};

}  // namespace

ComPtr<ICorDebugManagedCallback> make_callback(std::shared_ptr<Session> session) {
    return ComPtr<ICorDebugManagedCallback>(new Callback(std::move(session)));
}

}  // namespace cds
