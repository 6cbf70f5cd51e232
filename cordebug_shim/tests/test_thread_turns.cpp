// Who has had the processor, on one that is busy.
#include "thread_turns.h"

#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "checks.h"

namespace cds {
namespace {

using test::becomes;

// A process that does nothing, or nothing but work, on the first processor that we may have.
class Child {
  public:
    Child(bool works, int policy) : id_(fork()) {
        if (id_ != 0) {
            return;
        }
        cpu_set_t ours{};
        sched_getaffinity(0, sizeof ours, &ours);
        cpu_set_t one{};
        for (int number = 0; number < CPU_SETSIZE && CPU_COUNT(&one) == 0; ++number) {
            if (CPU_ISSET(number, &ours)) {
                CPU_SET(number, &one);
            }
        }
        sched_setaffinity(0, sizeof one, &one);
        const sched_param none{};
        sched_setscheduler(0, policy, &none);
        volatile bool is_endless = works;
        while (is_endless) {
        }
        for (;;) {
            pause();
        }
    }
    Child(const Child&) = delete;
    Child& operator=(const Child&) = delete;
    ~Child() { end(); }

    void end() {
        if (!is_ended_) {
            kill(id_, SIGKILL);
            waitpid(id_, nullptr, 0);
            is_ended_ = true;
        }
    }
    pid_t id() const { return id_; }

  private:
    pid_t id_;
    bool is_ended_ = false;
};

bool had_turn(pid_t process, const thread_turns& turns) {
    return thread_turns_were_had(process, &turns);
}

TEST(thread_that_wants_the_processor_and_gets_none_has_had_no_turn) {
    Child busy(true, SCHED_OTHER);
    Child waiting(true, SCHED_IDLE);
    thread_turns turns{};
    CHECK(becomes([&] {
        thread_turns_note(waiting.id(), &turns);
        return turns.count >= 1 && !had_turn(waiting.id(), turns);
    }));
    busy.end();
    CHECK(becomes([&] { return had_turn(waiting.id(), turns); }));
}

TEST(thread_that_sleeps_or_has_gone_needs_no_turn) {
    Child idle(false, SCHED_OTHER);
    thread_turns turns{};
    thread_turns_note(idle.id(), &turns);
    CHECK(turns.count >= 1);
    CHECK(becomes([&] { return had_turn(idle.id(), turns); }));
    idle.end();
    CHECK(had_turn(idle.id(), turns));
    thread_turns_note(idle.id(), &turns);
    CHECK(turns.count == 0);
}

}  // namespace
}  // namespace cds
