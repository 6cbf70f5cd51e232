// mscordbi uses an enumerator of application domains that it did not get when the process dies at that moment;
// mscordaccore of .NET 10 reads a signature of the debuggee's as if it were in this process. All that runs in the handler
// is async-signal-safe.
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <signal.h>
#include <ucontext.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <string_view>

#include "borrowed_pages.h"
#include "library_fault.h"

namespace cds {
namespace {

constexpr std::string_view library_name = "/libmscordbi.so";
constexpr std::string_view data_access_name = "/libmscordaccore.so";
constexpr int polls = 200;
constexpr long poll_ns = 10'000'000;

// The code of a library.
struct Range {
    std::atomic<std::uintptr_t> begin{0};
    std::atomic<std::uintptr_t> end{0};

    [[nodiscard]] bool has(std::uintptr_t place) const noexcept { return place >= begin && place < end; }
};

Range library;
Range data_access;
std::atomic<bool> is_lost{false};
// Of the debuggee: /proc/PID/stat. Written before the handler can need it.
std::array<char, 32> status_path{};
struct sigaction previous_action {};

bool is_named(std::string_view path, std::string_view name) {
    return path.size() >= name.size() && path.compare(path.size() - name.size(), name.size(), name) == 0;
}

int note_library(dl_phdr_info* info, std::size_t /*size*/, void* /*data*/) {
    const std::string_view path = info->dlpi_name != nullptr ? info->dlpi_name : "";
    Range* found = &library;
    if (!is_named(path, library_name)) {
        if (!is_named(path, data_access_name)) {
            return 0;
        }
        found = &data_access;
    }
    for (int i = 0; i < info->dlpi_phnum; ++i) {
        const auto& segment = info->dlpi_phdr[i];
        if (segment.p_type == PT_LOAD && (segment.p_flags & PF_X) != 0) {
            found->begin = info->dlpi_addr + segment.p_vaddr;
            found->end = info->dlpi_addr + segment.p_vaddr + segment.p_memsz;
        }
    }
    return 0;
}

// Gone, or a zombie.
bool process_has_ended() noexcept {
    const int file = open(status_path.data(), O_RDONLY | O_CLOEXEC);
    if (file < 0) {
        return true;
    }
    std::array<char, 256> text{};
    const ssize_t size = read(file, text.data(), text.size());
    close(file);
    for (ssize_t i = size - 1; i > 0; --i) {
        if (text.at(static_cast<std::size_t>(i)) == ')') {
            const std::size_t state = static_cast<std::size_t>(i) + 2;
            return state >= text.size() || text.at(state) == 'Z' || text.at(state) == 'X';
        }
    }
    return true;
}

std::uintptr_t fault_place(const void* context) noexcept {
    const auto& machine = static_cast<const ucontext_t*>(context)->uc_mcontext;
#if defined(__x86_64__)
    return static_cast<std::uintptr_t>(machine.gregs[REG_RIP]);
#elif defined(__aarch64__)
    return static_cast<std::uintptr_t>(machine.pc);
#else
    static_cast<void>(machine);
    return 0;
#endif
}

// Not ours: what was there before does what it would have done. This handler stays where that one returns.
void pass_on(int number, siginfo_t* info, void* context) {
    if ((previous_action.sa_flags & SA_SIGINFO) != 0 && previous_action.sa_sigaction != nullptr) {
        previous_action.sa_sigaction(number, info, context);
        return;
    }
    if (previous_action.sa_handler != SIG_DFL && previous_action.sa_handler != SIG_IGN) {
        previous_action.sa_handler(number);
        return;
    }
    // The default ends the process, and so must it: the instruction faults again. One that a process sent is sent again.
    struct sigaction action {};
    action.sa_handler = SIG_DFL;
    sigaction(number, &action, nullptr);
    if (info->si_code <= 0) {
        raise(number);
    }
}

void on_fault(int number, siginfo_t* info, void* context) {
    const int saved_errno = errno;
    const std::uintptr_t place = fault_place(context);
    // SEGV_ACCERR: another thread is about to borrow the page.
    const bool is_of_access = info->si_code == SEGV_MAPERR || info->si_code == SEGV_ACCERR;
    if (is_of_access && data_access.has(place) && borrow_page(reinterpret_cast<std::uintptr_t>(info->si_addr))) {
        errno = saved_errno;
        return;
    }
    if (status_path[0] != '\0' && library.has(place)) {
        // A process that is being killed takes a moment to be seen dead.
        for (int i = 0; i < polls; ++i) {
            if (process_has_ended()) {
                is_lost = true;
                for (;;) {
                    pause();
                }
            }
            const timespec delay{0, poll_ns};
            nanosleep(&delay, nullptr);
        }
    }
    errno = saved_errno;
    pass_on(number, info, context);
}

}  // namespace

void survive_library_faults(std::uint32_t process_id) noexcept {
    if (process_id != 0) {
        std::snprintf(status_path.data(), status_path.size(), "/proc/%u/stat", process_id);
    }
    dl_iterate_phdr(note_library, nullptr);
    struct sigaction present {};
    sigaction(SIGSEGV, nullptr, &present);
    if ((present.sa_flags & SA_SIGINFO) != 0 && present.sa_sigaction == on_fault) {
        return;
    }
    previous_action = present;
    struct sigaction action {};
    action.sa_sigaction = on_fault;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigemptyset(&action.sa_mask);
    sigaction(SIGSEGV, &action, nullptr);
}

void give_library_up() noexcept {
    is_lost = true;
}

bool library_is_lost() noexcept {
    return is_lost.load();
}

}  // namespace cds
