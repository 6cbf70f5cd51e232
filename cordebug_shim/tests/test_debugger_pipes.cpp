// Who may come to a process's pipes, seen before anybody does.
#include "debugger_pipes.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <climits>
#include <cstdlib>
#include <string>

#include "checks.h"
#include "errors.h"
#include "runtime_process.h"

namespace cds {
namespace {

// A process that does nothing, in the place of one with a runtime, and a folder of its own.
class Target {
  public:
    Target() : id_(fork()) {
        if (id_ == 0) {
            for (;;) {
                pause();
            }
        }
        CHECK(mkdtemp(folder_) != nullptr);
    }
    Target(const Target&) = delete;
    Target& operator=(const Target&) = delete;
    ~Target() {
        kill(id_, SIGKILL);
        waitpid(id_, nullptr, 0);
        unlink(path("in").c_str());
        unlink(path("out").c_str());
        rmdir(folder_);
    }

    std::string path(const char* direction) const {
        char path[PATH_MAX];
        const auto start_time = runtime_process_start_time(id_);
        CHECK(runtime_file_path(path, sizeof path, folder_, RUNTIME_PIPE, id_, start_time, direction) != 0);
        return path;
    }
    void make_pipes() const {
        CHECK(mkfifo(path("in").c_str(), S_IRUSR | S_IWUSR) == 0);
        CHECK(mkfifo(path("out").c_str(), S_IRUSR | S_IWUSR) == 0);
    }
    DebuggerPipes pipes() const { return {static_cast<std::uint32_t>(id_), std::string(folder_) + "/"}; }

  private:
    char folder_[36] = "/tmp/cordebug_shim_tests_XXXXXX";
    pid_t id_;
};

template <typename Call>
std::int32_t code_of(Call call) {
    try {
        call();
        return CDS_OK;
    } catch (const Failure& failure) {
        return failure.code();
    }
}

TEST(names_are_those_of_the_runtime) {
    char path[PATH_MAX];
    CHECK(runtime_file_path(path, sizeof path, "/x", RUNTIME_PIPE, 12, 345, "in") != 0);
    CHECK(std::string(path) == "/x/clr-debug-pipe-12-345-in");
    CHECK(runtime_file_path(path, sizeof path, nullptr, RUNTIME_SOCKET, 12, 345, "socket") != 0);
    CHECK(std::string(path) == "/tmp/dotnet-diagnostic-12-345-socket");
    CHECK(runtime_file_path(path, 10, "/x/", RUNTIME_PIPE, 12, 345, "in") == 0);
    char name[RUNTIME_SEMAPHORE_CAPACITY];
    runtime_semaphore_name(name, RUNTIME_SEMAPHORE_STARTED, 0x12, 0x345);
    CHECK(std::string(name) == "/clrst000000120000000000000345");
    CHECK(runtime_process_start_time(getpid()) > 0);
    CHECK(runtime_process_start_time(INT_MAX) == 0);
    CHECK(runtime_process_own_id(getpid()) == getpid());
    uid_t owner = 0;
    CHECK(runtime_process_owner(getpid(), &owner) && owner == geteuid());
}

TEST(pipes_are_looked_for_before_anybody_comes_to_them) {
    const Target target;
    CHECK(!target.pipes().are_made());
    CHECK(!target.pipes().are_reachable());
    target.make_pipes();
    CHECK(target.pipes().are_made());
    CHECK(target.pipes().are_reachable());
    CHECK(code_of([&] { target.pipes().require_same_namespace(); }) == CDS_OK);
    CHECK(code_of([&] { target.pipes().require_no_debugger(); }) == CDS_OK);
}

TEST(what_is_no_pipe_is_no_pipe) {
    const Target target;
    target.make_pipes();
    CHECK(unlink(target.path("in").c_str()) == 0);
    CHECK(symlink(target.path("out").c_str(), target.path("in").c_str()) == 0);
    CHECK(!target.pipes().are_reachable());
    CHECK(!target.pipes().are_made());
}

// The process has its pipe open once a debugger has come; a child that inherits the descriptor is such a process.
TEST(second_debugger_is_refused_and_the_first_named) {
    char folder[] = "/tmp/cordebug_shim_tests_XXXXXX";
    CHECK(mkdtemp(folder) != nullptr);
    const pid_t self = getpid();
    char path[PATH_MAX];
    const auto start_time = runtime_process_start_time(self);
    runtime_file_path(path, sizeof path, folder, RUNTIME_PIPE, self, start_time, "in");
    CHECK(mkfifo(path, S_IRUSR | S_IWUSR) == 0);
    const DebuggerPipes pipes(static_cast<std::uint32_t>(self), std::string(folder) + "/");
    CHECK(code_of([&] { pipes.require_no_debugger(); }) == CDS_OK);
    const int descriptor = open(path, O_RDWR);
    const pid_t debugger = fork();
    if (debugger == 0) {
        for (;;) {
            pause();
        }
    }
    std::string message;
    try {
        pipes.require_no_debugger();
    } catch (const Failure& failure) {
        CHECK(failure.code() == CDS_E_ALREADY_DEBUGGED);
        message = failure.what();
    }
    CHECK(message.find("by process " + std::to_string(debugger) + " (") != std::string::npos);
    // Detached from: the pipe that is open is not the one that is there.
    CHECK(unlink(path) == 0);
    CHECK(mkfifo(path, S_IRUSR | S_IWUSR) == 0);
    CHECK(code_of([&] { pipes.require_no_debugger(); }) == CDS_OK);
    kill(debugger, SIGKILL);
    waitpid(debugger, nullptr, 0);
    close(descriptor);
    unlink(path);
    rmdir(folder);
}

// As after a debugger that ended between its two pipes: there is nobody who could be asked to detach.
TEST(runtime_that_was_met_by_half_is_one_that_does_not_answer) {
    char folder[] = "/tmp/cordebug_shim_tests_XXXXXX";
    CHECK(mkdtemp(folder) != nullptr);
    const pid_t self = getpid();
    char in[PATH_MAX];
    char out[PATH_MAX];
    const auto start_time = runtime_process_start_time(self);
    runtime_file_path(in, sizeof in, folder, RUNTIME_PIPE, self, start_time, "in");
    runtime_file_path(out, sizeof out, folder, RUNTIME_PIPE, self, start_time, "out");
    CHECK(mkfifo(in, S_IRUSR | S_IWUSR) == 0);
    CHECK(mkfifo(out, S_IRUSR | S_IWUSR) == 0);
    const DebuggerPipes pipes(static_cast<std::uint32_t>(self), std::string(folder) + "/");
    const int first = open(in, O_RDWR);
    HRESULT hr = S_OK;
    try {
        pipes.require_no_debugger();
    } catch (const Failure& failure) {
        hr = failure.hr();
    }
    CHECK(hr == CORDBG_E_TIMEOUT);
    const int second = open(out, O_RDWR);
    CHECK(code_of([&] { pipes.require_no_debugger(); }) == CDS_E_ALREADY_DEBUGGED);
    close(first);
    close(second);
    unlink(in);
    unlink(out);
    rmdir(folder);
}

}  // namespace
}  // namespace cds
