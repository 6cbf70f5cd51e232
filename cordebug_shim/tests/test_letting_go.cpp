// Holds, stopping and letting go, each with the race that it once lost made certain.
#include <atomic>
#include <list>
#include <memory>
#include <mutex>
#include <thread>

#include "callback.h"
#include "checks.h"
#include "errors.h"
#include "fake_runtime.h"
#include "fake_stopper.h"
#include "session.h"
#include "stopper.h"

namespace cds {

struct SessionAccess {
    static bool stop_within(Session& session, int milliseconds) {
        return session.stop_within(Clock::now() + std::chrono::milliseconds(milliseconds));
    }
};

namespace {

using test::becomes;
using test::FakeProcess;
using test::FakeThread;
using test::Gate;

// The fakes outlive the session's detached threads, which a test may leave behind: nothing here is freed.
struct Scene {
    FakeProcess& process = *new FakeProcess;
    FakeThread& thread = *new FakeThread;
    std::shared_ptr<Session> session = std::make_shared<Session>(std::make_unique<test::FakeSystemProcess>());
    ComPtr<ICorDebugManagedCallback> callback = make_callback(session);

    Scene() { test::FakeSystemProcess::is_killed = false; }

    void connect() { session->on_process_created(&process); }
    // What came to the runtime's stop count of Stops and callbacks, and went by Continues.
    int balance(int callbacks) const { return process.stops + callbacks - process.continues; }
};

std::int32_t code_of(const std::function<void()>& call) {
    return guarded(call);
}

TEST(continue_is_not_lost_while_the_process_is_being_published) {
    Scene scene;
    Gate gate;
    scene.process.on_query = [&] { gate.pass(); };
    std::thread attaching([&] { scene.connect(); });
    gate.wait_for_somebody();
    scene.callback->CreateProcess(&scene.process);
    CHECK(scene.process.continues == 1);
    gate.open();
    attaching.join();
}

TEST(passing_hold_does_not_hold) {
    Scene scene;
    scene.connect();
    Gate gate;
    scene.thread.on_get_id = [&] { gate.pass(); };
    std::thread runtime([&] { scene.callback->CreateThread(nullptr, &scene.thread); });
    gate.wait_for_somebody();
    CHECK(!scene.session->holds.is_held());
    CHECK(code_of([&] { scene.session->detach(100); }) == CDS_E_RUNTIME);
    gate.open();
    runtime.join();
    CHECK(scene.balance(1) == 0);
}

TEST(close_in_the_middle_of_a_callback_stops_and_waits_for_its_continue) {
    Scene scene;
    scene.connect();
    Gate in_callback;
    Gate in_continue;
    scene.thread.on_get_id = [&] { in_callback.pass(); };
    scene.process.on_continue = [&] { in_continue.pass(); };
    scene.process.on_detach = [&] {
        CHECK(scene.process.continuing == 0);
        CHECK(scene.process.stops > 0);
    };
    std::thread runtime([&] { scene.callback->CreateThread(nullptr, &scene.thread); });
    in_callback.wait_for_somebody();
    bool has_left = false;
    std::thread closing([&] { has_left = scene.session->close(); });
    CHECK(becomes([&] { return scene.process.stops > 0; }));
    in_callback.open();
    in_continue.wait_for_somebody();
    CHECK(scene.process.detaches == 0);
    in_continue.open();
    closing.join();
    runtime.join();
    CHECK(has_left);
    CHECK(scene.process.detaches == 1);
    CHECK(scene.process.log_messages == 0);
}

TEST(stop_that_returns_at_its_deadline_belongs_to_somebody) {
    Scene scene;
    scene.connect();
    int taken = 0;
    for (int turn = 0; turn < 200; ++turn) {
        const std::chrono::microseconds time(1000 + 10 * turn);
        scene.process.on_stop = [time] { std::this_thread::sleep_for(time); };
        if (SessionAccess::stop_within(*scene.session, 2)) {
            CHECK(scene.session->holds.is_held());
            scene.session->holds.release_handed_over();
            ++taken;
        }
        CHECK(becomes([&] { return scene.process.stops == turn + 1 && scene.balance(0) == 0; }));
        CHECK(!scene.session->holds.is_held());
    }
    std::printf("     %d of 200 stops came in time\n", taken);
}

TEST(failed_detach_leaves_a_running_session_that_can_be_stopped_again) {
    Scene scene;
    scene.connect();
    scene.process.detach_result = E_FAIL;
    CHECK(SessionAccess::stop_within(*scene.session, 1000));
    CHECK(code_of([&] { scene.session->detach(1000); }) == CDS_E_RUNTIME);
    CHECK(!scene.session->holds.is_held());
    CHECK(scene.balance(0) == 0);
    scene.process.detach_result = S_OK;
    scene.session->request_stop(1000);
    cds_event event{};
    CHECK(scene.session->events.wait(1000, &event) == CDS_OK);
    CHECK(event.kind == CDS_EVENT_STOPPED);
    CHECK(code_of([&] { scene.session->detach(1000); }) == CDS_OK);
    CHECK(code_of([&] { scene.session->release(event.hold); }) == CDS_E_GONE);
}

TEST(close_that_cannot_stop_the_process_says_so_and_continues_a_late_stop) {
    Scene scene;
    scene.connect();
    auto& gate = *new Gate;
    scene.process.on_stop = [&] { gate.pass(); };
    CHECK(!scene.session->close());
    CHECK(scene.process.detaches == 0);
    scene.callback->CreateThread(nullptr, &scene.thread);
    CHECK(scene.process.continues == 1);
    gate.open();
    CHECK(becomes([&] { return scene.process.stops == 1 && scene.balance(1) == 0; }));
}

TEST(detach_that_is_not_answered_is_given_up) {
    Scene scene;
    scene.connect();
    auto& gate = *new Gate;
    scene.process.on_detach = [&] { gate.pass(); };
    CHECK(SessionAccess::stop_within(*scene.session, 1000));
    CHECK(code_of([&] { scene.session->detach(500); }) == CDS_E_TIMEOUT);
    const int continues = scene.process.continues;
    CHECK(code_of([&] { scene.session->require_alive(); }) == CDS_E_GONE);
    CHECK(!scene.session->close());
    CHECK(scene.process.continues == continues);
    gate.open();
    CHECK(becomes([&] { return scene.process.detaches == 1; }));
}

TEST(close_whose_detach_is_not_answered_says_so) {
    Scene scene;
    scene.connect();
    auto& gate = *new Gate;
    scene.process.on_detach = [&] { gate.pass(); };
    CHECK(!scene.session->close());
    CHECK(!scene.session->close());
    gate.open();
    CHECK(becomes([&] { return scene.process.detaches == 1; }));
}

TEST(close_of_a_process_that_ended_meanwhile_succeeds) {
    Scene scene;
    scene.connect();
    scene.process.stop_result = E_FAIL;
    test::FakeSystemProcess::is_killed = true;
    CHECK(scene.session->close());
}

TEST(close_of_a_process_that_has_ended_does_not_wait_for_the_library) {
    Scene scene;
    scene.connect();
    std::atomic<bool> has_asked{false};
    scene.process.on_stop = [&] { has_asked = true; };
    test::FakeSystemProcess::is_killed = true;
    CHECK(scene.session->close());
    CHECK(!has_asked);
}

TEST(call_about_a_process_that_has_ended_is_given_up) {
    auto& gate = *new Gate;
    std::atomic<int>& returned = *new std::atomic<int>{0};
    const auto call = [&] {
        gate.pass();
        ++returned;
    };
    int asked = 0;
    CHECK(!run_until([&] { return ++asked == 3; }, call));
    CHECK(asked == 3);
    CHECK(returned == 0);
    gate.open();
    CHECK(becomes([&] { return returned == 1; }));
    CHECK(run_until([] { return false; }, call));
    CHECK(returned == 2);
}

TEST(detach_waits_for_threads_that_get_no_processor) {
    Scene scene;
    scene.connect();
    CHECK(SessionAccess::stop_within(*scene.session, 1000));
    CHECK(code_of([&] { scene.session->detach(1000); }) == CDS_OK);
    CHECK(test::FakeSystemProcess::looks_left < 0);
}

TEST(detach_waits_for_threads_though_the_process_ran_for_a_while) {
    Scene scene;
    scene.connect();
    std::this_thread::sleep_for(std::chrono::milliseconds(100));  // with a thread that got no processor all the time
    CHECK(SessionAccess::stop_within(*scene.session, 1000));
    test::FakeSystemProcess::looks_left = 1;
    CHECK(code_of([&] { scene.session->detach(1000); }) == CDS_OK);
    CHECK(test::FakeSystemProcess::looks_left < 0);
}

TEST(detach_waits_longer_than_its_time_for_a_thread_without_a_processor) {
    Scene scene;
    scene.connect();
    CHECK(SessionAccess::stop_within(*scene.session, 1000));
    CHECK(code_of([&] { scene.session->detach(1); }) == CDS_OK);
    CHECK(test::FakeSystemProcess::looks_left < 0);
    CHECK(scene.process.detaches == 1);
}

TEST(stop_request_without_a_thread_can_be_repeated) {
    Scene scene;
    scene.connect();
    test::no_threads = true;
    CHECK(code_of([&] { scene.session->request_stop(1); }) == CDS_E_INTERNAL);
    cds_event event{};
    CHECK(scene.session->events.wait(20, &event) == CDS_E_TIMEOUT);
    CHECK(code_of([&] { scene.session->quiesce(1); }) == CDS_E_TIMEOUT);
    test::no_threads = false;
    Scene other;
    other.connect();
    other.session->request_stop(1000);
    CHECK(other.session->events.wait(1000, &event) == CDS_OK);
    CHECK(event.kind == CDS_EVENT_STOPPED);
}

TEST(no_thread_is_left_frozen) {
    Scene scene;
    scene.connect();
    CHECK(SessionAccess::stop_within(*scene.session, 1000));
    cds_session handle{scene.session};
    CHECK(cds_session_freeze_threads(&handle, 0, 1) == CDS_OK);
    CHECK(scene.process.is_frozen);
    CHECK(code_of([&] { scene.session->detach(1000); }) == CDS_OK);
    CHECK(scene.process.detaches == 1);
    CHECK(!scene.process.is_frozen);
}

TEST(queued_callbacks_are_drained_by_themselves) {
    Scene scene;
    scene.connect();
    std::mutex mutex;
    std::list<std::thread> runtime;
    CHECK(SessionAccess::stop_within(*scene.session, 1000));
    // One more callback at each Continue, as from a program that floods us.
    scene.process.queued = 20;
    scene.process.on_continue = [&] {
        const std::lock_guard lock(mutex);
        if (scene.process.queued > 0) {
            --scene.process.queued;
            runtime.emplace_back([&] { scene.callback->CreateThread(nullptr, &scene.thread); });
        }
    };
    CHECK(code_of([&] { scene.session->detach(3000); }) == CDS_OK);
    CHECK(scene.process.queued == 0);
    const std::lock_guard lock(mutex);
    CHECK(runtime.size() == 20);
    for (auto& callback : runtime) {
        callback.join();
    }
}

TEST(events_after_shut_down_are_dropped) {
    Scene scene;
    scene.connect();
    scene.session->events.shut_down();
    scene.callback->CreateThread(nullptr, &scene.thread);
    cds_event event{};
    CHECK(scene.session->events.wait(0, &event) == CDS_E_GONE);
    CHECK(scene.process.continues == 1);
}

TEST(callbacks_stops_and_the_session_thread_meet_without_a_race) {
    Scene scene;
    scene.connect();
    std::atomic<bool> go{true};
    std::atomic<int> callbacks{0};
    std::thread runtime([&] {
        while (go) {
            scene.callback->CreateThread(nullptr, &scene.thread);
            ++callbacks;
        }
    });
    for (int turn = 0; turn < 50; ++turn) {
        scene.session->request_stop(1000);
        cds_event event{};
        do {
            CHECK(scene.session->events.wait(1000, &event) == CDS_OK);
        } while (event.kind != CDS_EVENT_STOPPED);
        CHECK(scene.session->holds.is_held());
        scene.session->release(event.hold);
    }
    CHECK(scene.session->close());
    go = false;
    runtime.join();
}

TEST(outputs_are_checked_before_anything_is_done) {
    cds_session_options options{sizeof options, 0, nullptr, 0, 0};
    CHECK(cds_session_create(0x7fffffff, &options, nullptr) == CDS_E_ARGUMENT);
    CHECK(cds_startup_create(0x7fffffff, nullptr) == CDS_E_ARGUMENT);
    cds_session* session = nullptr;
    options.size = 1;
    CHECK(cds_session_create(0x7fffffff, &options, &session) == CDS_E_ARGUMENT);
    CHECK(cds_session_create(0x7fffffff, nullptr, &session) == CDS_E_ARGUMENT);
    CHECK(cds_session_destroy(nullptr) == CDS_OK);
    CHECK(cds_version() == CDS_VERSION);
}

}  // namespace
}  // namespace cds
