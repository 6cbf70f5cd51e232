// Entry points for start-up, sessions, events, threads and memory. Those of values, frames, types, breakpoints and
// evaluations stand beside what they use.
#include <new>
#include <string>
#include <vector>

#include "accelerator.h"
#include "errors.h"
#include "session.h"
#include "startup.h"

struct cds_startup {
    std::unique_ptr<cds::StartupHandshake> handshake;
};

namespace cds {

Session& session_of(cds_session* handle) {
    if (handle == nullptr) {
        throw Failure(CDS_E_ARGUMENT, "The session is NULL.");
    }
    return *handle->session;
}

Session& acting_session_of(cds_session* handle) {
    Session& session = session_of(handle);
    session.require_not_frozen();
    return session;
}

namespace {

const cds_session_options& checked(const cds_session_options* options) {
    if (options == nullptr || options->size != sizeof *options) {
        throw Failure(CDS_E_ARGUMENT, "The options are NULL, or their size is not set.");
    }
    return *options;
}

StartupHandshake& handshake_of(cds_startup* startup) {
    if (startup == nullptr) {
        throw Failure(CDS_E_ARGUMENT, "The start-up is NULL.");
    }
    return *startup->handshake;
}

}  // namespace
}  // namespace cds

int32_t cds_accelerator_state(void) {
    return cds::accelerator::state();
}

const char* cds_accelerator_reason(int32_t part) {
    return cds::accelerator::reason(part);
}

int32_t cds_accelerator_install(const char* runtime_folder, uint32_t flags) {
    return cds::guarded([&] {
        if (runtime_folder == nullptr) {
            throw cds::Failure(CDS_E_ARGUMENT, "The folder is NULL.");
        }
        const std::string folder = std::string(runtime_folder) + "/";
        cds::load_debugger_library(folder, (flags & CDS_SESSION_TRUST_RUNTIME) != 0);
    });
}

void cds_accelerator_enable(int32_t enabled) {
    cds::accelerator::set_enabled(enabled != 0);
}

uint64_t cds_accelerator_cached_reads(void) {
    return cds::accelerator::cached_reads();
}

int32_t cds_startup_create(uint32_t process_id, cds_startup** out_startup) {
    return cds::guarded([&] {
        auto& startup = cds::require_output(out_startup);
        auto created = std::make_unique<cds_startup>();
        created->handshake = cds::make_startup_handshake(process_id);
        startup = created.release();
    });
}

int32_t cds_startup_wait(cds_startup* startup, uint32_t timeout_ms) {
    return cds::guarded([&] {
        if (!cds::handshake_of(startup).wait(timeout_ms)) {
            throw cds::Failure(CDS_E_TIMEOUT, "The runtime has not started yet.");
        }
    });
}

void cds_startup_finish(cds_startup* startup) {
    if (startup != nullptr) {
        startup->handshake->finish();
    }
}

void cds_startup_destroy(cds_startup* startup) {
    delete startup;
}

int32_t cds_session_create(uint32_t process_id, const cds_session_options* options, cds_session** out_session) {
    return cds::guarded([&] {
        auto& session = cds::require_output(out_session);
        auto created = std::make_unique<cds_session>();
        created->session = cds::Session::attach(process_id, cds::checked(options));
        session = created.release();
    });
}

int32_t cds_session_destroy(cds_session* session) {
    if (session == nullptr) {
        return CDS_OK;
    }
    session->session->events.shut_down();
    const bool has_left = session->session->close();
    delete session;
    return has_left ? CDS_OK : cds::last_error_code();
}

void cds_session_shutdown(cds_session* session) {
    if (session != nullptr) {
        session->session->events.shut_down();
    }
}

const char* cds_session_runtime_path(cds_session* session) {
    return session != nullptr ? session->session->runtime_path.c_str() : "";
}

uint64_t cds_session_generation(cds_session* session) {
    return session != nullptr ? session->session->holds.generation() : 0;
}

int32_t cds_session_detach(cds_session* session, uint32_t timeout_ms) {
    return cds::guarded([&] { cds::acting_session_of(session).detach(timeout_ms); });
}

int32_t cds_session_quiesce(cds_session* session, uint32_t timeout_ms) {
    return cds::guarded([&] { cds::acting_session_of(session).quiesce(timeout_ms); });
}

int32_t cds_session_terminate(cds_session* session, uint32_t exit_code) {
    return cds::guarded([&] { cds::acting_session_of(session).terminate(exit_code); });
}

int32_t cds_hold_release(cds_session* session, uint64_t hold) {
    return cds::guarded([&] { cds::acting_session_of(session).release(hold); });
}

int32_t cds_session_stop(cds_session* session, uint32_t timeout_ms) {
    return cds::guarded([&] { cds::session_of(session).request_stop(timeout_ms); });
}

int32_t cds_session_set_exception_interest(cds_session* session, uint32_t phases) {
    return cds::guarded([&] { cds::session_of(session).exception_interest = phases; });
}

int32_t cds_session_has_queued_callbacks(cds_session* session, int32_t* out_waiting) {
    return cds::guarded([&] {
        auto& target = cds::session_of(session);
        target.require_held();
        if (target.is_frozen()) {
            cds::require_output(out_waiting) = 0;
            return;
        }
        cds::require(target.process()->HasQueuedCallbacks(nullptr, &cds::require_output(out_waiting)),
                     "HasQueuedCallbacks");
    });
}

int32_t cds_memory_read(cds_session* session, uint64_t address, uint32_t size, uint8_t* buffer, uint32_t* out_read) {
    return cds::guarded([&] {
        auto& fetched = cds::require_output(out_read);
        auto& target = cds::session_of(session);
        target.require_held();
        std::size_t read = 0;
        const cds::HRESULT hr = target.process()->ReadMemory(address, size, buffer, &read);
        // A partial read is an answer; one of nothing is not.
        if (cds::failed(hr) && read == 0) {
            cds::fail_runtime(hr, "ReadMemory");
        }
        fetched = static_cast<std::uint32_t>(read);
    });
}

int32_t cds_memory_write(cds_session* session, uint64_t address, uint32_t size, const uint8_t* content) {
    return cds::guarded([&] {
        auto& target = cds::acting_session_of(session);
        target.require_held();
        std::vector<std::uint8_t> bytes(content, content + size);
        std::size_t written = 0;
        const cds::HRESULT hr = target.process()->WriteMemory(address, size, bytes.data(), &written);
        cds::accelerator::drop_cache();
        target.values.stored();
        if (cds::failed(hr) || written != size) {
            cds::fail_runtime(hr, "WriteMemory");
        }
    });
}

int32_t cds_event_wait(cds_session* session, uint32_t timeout_ms, cds_event* out_event) {
    if (session == nullptr || out_event == nullptr || out_event->size != sizeof *out_event) {
        return CDS_E_ARGUMENT;
    }
    return session->session->events.wait(timeout_ms, out_event);
}

int32_t cds_thread_list(cds_session* session, cds_thread* threads, uint32_t capacity, uint32_t* out_count) {
    return cds::guarded([&] {
        auto& needed = cds::require_output(out_count);
        auto& target = cds::session_of(session);
        target.require_held();
        cds::ComPtr<cds::ICorDebugThreadEnum> list;
        cds::require(target.process()->EnumerateThreads(list.out()), "EnumerateThreads");
        std::vector<cds_thread> found;
        for (const auto& thread : cds::all_of<cds::ICorDebugThread>(*list.get())) {
            cds_thread entry{0, -1};
            std::uint32_t state = 0;
            if (cds::failed(thread->GetID(&entry.thread))) {
                continue;
            }
            if (!cds::failed(thread->GetUserState(&state))) {
                entry.user_state = static_cast<std::int32_t>(state);
            }
            found.push_back(entry);
        }
        cds::copy_out(found, threads, capacity, needed);
    });
}

int32_t cds_thread_has_queued_callbacks(cds_session* session, uint32_t thread, int32_t* out_waiting) {
    return cds::guarded([&] {
        auto& target = cds::session_of(session);
        target.require_held();
        auto& waiting = cds::require_output(out_waiting);
        if (target.is_frozen()) {
            waiting = 0;
            return;
        }
        cds::require(target.process()->HasQueuedCallbacks(target.thread(thread).get(), &waiting), "HasQueuedCallbacks");
    });
}

int32_t cds_session_freeze_threads(cds_session* session, uint32_t but, int32_t frozen) {
    return cds::guarded([&] {
        auto& target = cds::acting_session_of(session);
        target.require_held();
        const auto exempt = but != 0 ? target.thread(but) : cds::ComPtr<cds::ICorDebugThread>();
        const std::uint32_t state = frozen != 0 ? cds::thread_suspend : cds::thread_run;
        cds::require(target.process()->SetAllThreadsDebugState(state, exempt.get()), "SetAllThreadsDebugState");
        target.all_were_frozen = target.all_were_frozen || frozen != 0;
        if (frozen == 0 && but == 0) {
            target.all_were_frozen = false;
            target.frozen_threads.clear();
        }
    });
}

int32_t cds_thread_freeze(cds_session* session, uint32_t thread, int32_t frozen) {
    return cds::guarded([&] {
        auto& target = cds::acting_session_of(session);
        target.require_held();
        const std::uint32_t state = frozen != 0 ? cds::thread_suspend : cds::thread_run;
        cds::require(target.thread(thread)->SetDebugState(state), "SetDebugState");
        if (frozen != 0) {
            target.frozen_threads.insert(thread);
        } else {
            target.frozen_threads.erase(thread);
        }
    });
}
