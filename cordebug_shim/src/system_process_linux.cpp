// Linux: a pidfd; before Linux 5.3 the id together with the start time.
#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

#include "proc_linux.h"
#include "system_process.h"
#include "thread_turns.h"

namespace cds {
namespace {

class LinuxProcess final : public SystemProcess {
  public:
    explicit LinuxProcess(std::uint32_t process_id)
        : process_id_(process_id),
          start_time_(process_start_time(process_id)),
          descriptor_(open_descriptor(process_id)) {
        // Opened between the end of one process and the start of another with its id?
        if (process_start_time(process_id) != start_time_) {
            close_descriptor();
            fail_process(process_id, ESRCH);
        }
    }
    LinuxProcess(const LinuxProcess&) = delete;
    LinuxProcess& operator=(const LinuxProcess&) = delete;
    ~LinuxProcess() override { close_descriptor(); }

    void kill() override {
        if (send_kill() != 0 && errno != ESRCH) {
            fail_process(process_id_, errno);
        }
    }

    bool has_ended() noexcept override {
        if (descriptor_ >= 0) {
            pollfd slot{descriptor_, POLLIN, 0};
            return poll(&slot, 1, 0) > 0;
        }
        try {
            return process_start_time(process_id_) != start_time_;
        } catch (...) {
            return true;
        }
    }

    void note_turns() noexcept override { thread_turns_note(static_cast<pid_t>(process_id_), &turns_); }
    bool turns_were_had() const noexcept override {
        return thread_turns_were_had(static_cast<pid_t>(process_id_), &turns_);
    }

  private:
    static int open_descriptor(std::uint32_t process_id) {
#ifdef SYS_pidfd_open
        return static_cast<int>(syscall(SYS_pidfd_open, process_id, 0));
#else
        static_cast<void>(process_id);
        return -1;
#endif
    }

    void close_descriptor() const {
        if (descriptor_ >= 0) {
            close(descriptor_);
        }
    }

    long send_kill() const {
#ifdef SYS_pidfd_send_signal
        if (descriptor_ >= 0) {
            return syscall(SYS_pidfd_send_signal, descriptor_, SIGKILL, nullptr, 0);
        }
#endif
        try {
            if (process_start_time(process_id_) != start_time_) {
                return 0;
            }
        } catch (...) {
            return 0;  // it has ended
        }
        return ::kill(static_cast<pid_t>(process_id_), SIGKILL);
    }

    std::uint32_t process_id_;
    std::uint64_t start_time_;
    int descriptor_;
    thread_turns turns_{};
};

}  // namespace

std::unique_ptr<SystemProcess> open_process(std::uint32_t process_id) {
    return std::make_unique<LinuxProcess>(process_id);
}

}  // namespace cds
