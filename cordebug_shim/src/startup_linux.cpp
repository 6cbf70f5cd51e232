// Linux: what RegisterForRuntimeStartup of libdbgshim does, without that library.
#include <dlfcn.h>
#include <fcntl.h>
#include <semaphore.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <mutex>
#include <sstream>
#include <string>
#include <thread>

#include "accelerator.h"
#include "debugger_pipes.h"
#include "errors.h"
#include "proc_linux.h"
#include "rest.h"
#include "runtime_process.h"
#include "startup.h"
#include "temporary_folder.h"
#include "trust.h"

namespace cds {
namespace {

constexpr const char* runtime_library = "/libcoreclr.so";
constexpr const char* debugger_library = "libmscordbi.so";
constexpr const char* data_access_library = "libmscordaccore.so";  // the debugger library needs and loads it

// A starting runtime publishes its debugger thread's id in a block of data that the debugger's library copies when it
// attaches, and writes back later. Where that thread has not got a processor by then, its id is lost, and the runtime
// waits for it for ever. So nobody attaches before it has come to wait for messages. How long that may take, at a start
// and at an attach to a process that has just started:
constexpr std::chrono::milliseconds start_rest_time{5000};
constexpr std::chrono::milliseconds attach_rest_time{100};
constexpr std::uint64_t young_seconds = 5;
constexpr std::chrono::milliseconds rest_poll{1};
constexpr const char* debugger_thread = ".NET Debugger";  // without a name before .NET 5

class LinuxStartup final : public StartupHandshake {
  public:
    explicit LinuxStartup(std::uint32_t process_id) : process_id_(process_id) {
        const auto start_time = static_cast<unsigned long long>(process_start_time(process_id));
        const auto id = static_cast<pid_t>(process_id);
        runtime_semaphore_name(continue_name_.data(), RUNTIME_SEMAPHORE_CONTINUE, id, start_time);
        runtime_semaphore_name(started_name_.data(), RUNTIME_SEMAPHORE_STARTED, id, start_time);
        // The runtime looks for the second one first: by then both must be there.
        continue_ = create(continue_name_.data());
        try {
            started_ = create(started_name_.data());
        } catch (...) {
            close_one(continue_, continue_name_.data());
            throw;
        }
    }
    LinuxStartup(const LinuxStartup&) = delete;
    LinuxStartup& operator=(const LinuxStartup&) = delete;
    ~LinuxStartup() override { finish(); }

    bool wait(std::uint32_t timeout_ms) override {
        if (started_ == nullptr) {
            throw Failure(CDS_E_ARGUMENT, "The start-up was finished before.");
        }
        const auto deadline = Clock::now() + std::chrono::milliseconds(timeout_ms);
        return has_started(timeout_ms) && has_come_to_rest(deadline);
    }

    void finish() noexcept override {
        if (continue_ != nullptr) {
            sem_post(continue_);
        }
        close_one(started_, started_name_.data());
        close_one(continue_, continue_name_.data());
    }

  private:
    using Clock = std::chrono::steady_clock;

    bool has_started(std::uint32_t timeout_ms) {
        if (has_started_) {
            return true;
        }
        timespec until{};
        clock_gettime(CLOCK_REALTIME, &until);
        const std::int64_t nanoseconds = until.tv_nsec + static_cast<std::int64_t>(timeout_ms) * 1'000'000;
        until.tv_sec += static_cast<time_t>(nanoseconds / 1'000'000'000);
        until.tv_nsec = static_cast<long>(nanoseconds % 1'000'000'000);
        while (sem_timedwait(started_, &until) != 0) {
            if (errno == ETIMEDOUT) {
                return false;
            }
            if (errno != EINTR) {
                fail_system(errno, "Waiting for the runtime's start failed");
            }
        }
        has_started_ = true;
        rest_until_ = Clock::now() + start_rest_time;
        return true;
    }

    bool has_come_to_rest(Clock::time_point deadline) {
        while (Clock::now() < rest_until_ && !is_at_rest(process_id_, debugger_thread)) {
            if (Clock::now() >= deadline) {
                return false;
            }
            std::this_thread::sleep_for(rest_poll);
        }
        rest_until_ = {};
        return true;
    }

    static sem_t* create(const char* name) {
        sem_t* semaphore = sem_open(name, O_CREAT | O_EXCL, S_IRWXU, 0);
        if (semaphore == SEM_FAILED) {
            const int error = errno;
            if (error == EEXIST) {
                throw Failure(CDS_E_STARTUP_CLAIMED, "Another debugger waits for this process to start.", error);
            }
            throw Failure(
                CDS_E_SYSTEM,
                std::string("The semaphores by which a .NET runtime is held at its start cannot be made in /dev/shm: ") +
                    std::strerror(error) +
                    ". Mount a tmpfs there that can be written and has room (in a container: --shm-size=64m).",
                error);
        }
        return semaphore;
    }

    static void close_one(sem_t*& semaphore, const char* name) noexcept {
        if (semaphore != nullptr) {
            sem_close(semaphore);
            sem_unlink(name);
            semaphore = nullptr;
        }
    }

    std::uint32_t process_id_;
    bool has_started_ = false;
    Clock::time_point rest_until_;
    std::array<char, RUNTIME_SEMAPHORE_CAPACITY> continue_name_{};
    std::array<char, RUNTIME_SEMAPHORE_CAPACITY> started_name_{};
    sem_t* continue_ = nullptr;
    sem_t* started_ = nullptr;
};

bool ends_with(const std::string& text, const std::string& end) {
    return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

// How long a process has existed.
std::uint64_t age_in_seconds(std::uint32_t process_id) {
    timespec now{};
    clock_gettime(CLOCK_BOOTTIME, &now);
    const auto ticks = static_cast<std::uint64_t>(sysconf(_SC_CLK_TCK));
    const std::uint64_t started = process_start_time(process_id) / ticks;
    const auto seconds = static_cast<std::uint64_t>(now.tv_sec);
    return seconds > started ? seconds - started : 0;
}

template <typename Function>
Function find_export(void* library, const char* name) {
    return reinterpret_cast<Function>(dlsym(library, name));
}

// Version number 4 of the debugger interface; all runtimes measured take 3 to 5.
constexpr int interface_version = 4;

// What is in this process, once it is. A debugger that starts its program again needs the library of the same runtime:
// those of two cannot share a process.
std::string& loaded_library() {
    static auto* path = new std::string;  // never destroyed: threads may come late
    return *path;
}

std::atomic<void*> started_library{nullptr};

void require_same_library(const std::string& path) {
    const std::string& loaded = loaded_library();
    if (!loaded.empty() && loaded != path) {
        throw Failure(CDS_E_NO_DEBUGGER, "This session had a program of another .NET runtime (" + loaded + "), and " +
                                             path + " cannot be loaded beside it: begin a new session.");
    }
}

}  // namespace

std::unique_ptr<StartupHandshake> make_startup_handshake(std::uint32_t process_id) {
    return std::make_unique<LinuxStartup>(process_id);
}

RuntimeLocation locate_runtime(std::uint32_t process_id, const DebuggerPipes& pipes) {
    std::istringstream maps(read_proc(process_id, "maps"));
    const std::string who = "Process " + std::to_string(process_id);
    const std::string wanted = runtime_library;
    const std::string replaced = wanted + " (deleted)";
    std::string line;
    while (std::getline(maps, line)) {
        // address-range perms offset device inode path; ascending, so that the first one is the base.
        const std::size_t path = line.find('/');
        if (path == std::string::npos) {
            continue;
        }
        if (ends_with(line, wanted)) {
            return RuntimeLocation{line.substr(path), std::strtoull(line.c_str(), nullptr, 16)};
        }
        if (ends_with(line, replaced)) {
            throw Failure(CDS_E_RUNTIME_REPLACED,
                          "The .NET runtime of process " + std::to_string(process_id) +
                              " was removed or replaced on disk after the process had started, such as by an update. "
                              "Restart the process.");
        }
    }
    if (pipes.are_made()) {
        throw Failure(CDS_E_SINGLE_FILE,
                      who +
                          " carries its .NET runtime inside its executable (self-contained single file), which cannot "
                          "be debugged; publish it without PublishSingleFile.");
    }
    throw Failure(CDS_E_NOT_DOTNET, who + " has not loaded a .NET runtime.");
}

void wait_for_debugger_transport(std::uint32_t process_id, const DebuggerPipes& pipes,
                                 const std::string& temporary_folder, std::uint32_t timeout_ms) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(timeout_ms);
    while (!pipes.are_reachable()) {
        if (std::chrono::steady_clock::now() >= deadline) {
            throw Failure(CDS_E_NO_PIPES,
                          "The runtime of process " + std::to_string(process_id) + " does not answer debuggers in " +
                              temporary_folder +
                              ". Either diagnostics are disabled in its environment (DOTNET_EnableDiagnostics), or its "
                              "TMPDIR is another than the debugger's: give both the same.");
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    if (age_in_seconds(process_id) <= young_seconds) {
        const auto until = std::chrono::steady_clock::now() + attach_rest_time;
        while (!is_at_rest(process_id, debugger_thread) && std::chrono::steady_clock::now() < until) {
            std::this_thread::sleep_for(rest_poll);
        }
    }
}

// The runtime's rule: TMPDIR, or /tmp/, always with a slash at the end.
std::string temporary_folder_or_default(const char* folder) {
    const char* set = folder != nullptr ? folder : std::getenv("TMPDIR");
    std::string result = set != nullptr && *set != '\0' ? set : "/tmp/";
    if (result.back() != '/') {
        result += '/';
    }
    return result;
}

void* load_debugger_library(const std::string& folder, bool trust_runtime) {
    std::string path = folder + debugger_library;
    std::string data_access_path = folder + data_access_library;
    if (!trust_runtime) {
        path = require_trusted(path);
        data_access_path = require_trusted(data_access_path);
    }
    static std::mutex mutex;
    const std::lock_guard lock(mutex);
    require_same_library(path);
    void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
        const char* reason = dlerror();
        throw Failure(CDS_E_NO_DEBUGGER, "The runtime's debugger library cannot be loaded: " +
                                             std::string(reason != nullptr ? reason : path.c_str()));
    }
    loaded_library() = path;
    accelerator::install(path, data_access_path);
    return library;
}

void start_debugger_library(void* library) {
    // The loader of this platform calls no DllMain, which initialises the library's platform layer.
    constexpr std::uint32_t process_attach = 1;
    if (auto* main = find_export<std::int32_t (*)(void*, std::uint32_t, void*)>(library, "DllMain"); main != nullptr) {
        main(library, process_attach, nullptr);
    }
    started_library = library;
}

void start_debugger_library_once(void* library) {
    if (started_library.load() != library) {
        start_debugger_library(library);
    }
}

IUnknown* create_debugger_object(std::uint32_t process_id, const RuntimeLocation& runtime,
                                 const std::string& temporary_folder, bool trust_runtime) {
    const std::string folder = runtime.library_path.substr(0, runtime.library_path.rfind('/') + 1);
    // The library copies the environment when it is initialised, and meets the runtime in the copy's TMPDIR.
    const TemporaryFolderVariable variable(temporary_folder);
    // Never closed: the library starts threads and installs handlers that outlive a session.
    void* library = load_debugger_library(folder, trust_runtime);
    start_debugger_library(library);
    auto* module = reinterpret_cast<void*>(runtime.base_address);  // an HMODULE of the debuggee, not our memory
    IUnknown* root = nullptr;
    HRESULT hr = E_FAIL;
    using Create3 = HRESULT (*)(int, std::uint32_t, const char16_t*, const char16_t*, void*, IUnknown**);
    using CreateEx = HRESULT (*)(int, std::uint32_t, const char16_t*, void*, IUnknown**);
    using Create = HRESULT (*)(int, std::uint32_t, void*, IUnknown**);
    if (auto* create3 = find_export<Create3>(library, "CoreCLRCreateCordbObject3"); create3 != nullptr) {
        hr = create3(interface_version, process_id, nullptr, nullptr, module, &root);
    } else if (auto* create_ex = find_export<CreateEx>(library, "CoreCLRCreateCordbObjectEx"); create_ex != nullptr) {
        hr = create_ex(interface_version, process_id, nullptr, module, &root);
    } else if (auto* create = find_export<Create>(library, "CoreCLRCreateCordbObject"); create != nullptr) {
        hr = create(interface_version, process_id, module, &root);
    } else {
        throw Failure(CDS_E_NO_DEBUGGER, folder + debugger_library + " has no known entry point.");
    }
    require(hr, "Loading the runtime's debugger library");
    return root;
}

}  // namespace cds
