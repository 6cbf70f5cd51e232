// The SIGSEGV handler: chains, stays, and parks a thread that faults in the library of a process that is gone.
#include <dlfcn.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <thread>

#include "checks.h"
#include "library_fault.h"

namespace cds {
namespace {

sigjmp_buf way_out;
int chained = 0;

void chained_handler(int, siginfo_t*, void*) {
    ++chained;
    siglongjmp(way_out, 1);
}

volatile int* nowhere() {
    volatile int* address = nullptr;
    return address;
}

// Called across the library, so that no compiler sees the null pointer.
using Fault = int (*)(volatile int*);

Fault library_fault() {
    return reinterpret_cast<Fault>(dlsym(dlopen(TRANSPORT, RTLD_NOW), "transport_fault"));
}

TEST(fault_elsewhere_goes_to_the_handler_before_and_ours_stays) {
    struct sigaction before{};
    struct sigaction mine{};
    mine.sa_sigaction = chained_handler;
    mine.sa_flags = SA_SIGINFO | SA_NODEFER;
    sigaction(SIGSEGV, &mine, &before);
    survive_library_faults(static_cast<std::uint32_t>(getpid()));
    struct sigaction installed{};
    sigaction(SIGSEGV, nullptr, &installed);
    CHECK(installed.sa_sigaction != chained_handler);
    for (int turn = 1; turn <= 2; ++turn) {
        if (sigsetjmp(way_out, 1) == 0) {
            raise(SIGSEGV);
            CHECK(false);
        }
        CHECK(chained == turn);
        struct sigaction present{};
        sigaction(SIGSEGV, nullptr, &present);
        CHECK(present.sa_sigaction == installed.sa_sigaction);
    }
    sigaction(SIGSEGV, &before, nullptr);
}

TEST(fault_in_the_library_of_a_dead_process_parks_its_thread) {
    // In a process of its own: a lost library stays lost.
    if (std::getenv("CDS_TEST_APART") == nullptr) {
        setenv("CDS_TEST_APART", "1", 1);
        CHECK(std::system("$(readlink /proc/$PPID/exe) fault_in_the_library") == 0);
        unsetenv("CDS_TEST_APART");
        return;
    }
    const Fault fault = library_fault();
    survive_library_faults(0x7fffffff);  // no such process
    CHECK(!library_is_lost());
    std::thread([fault] { fault(nowhere()); }).detach();
    CHECK(test::becomes([] { return library_is_lost(); }));
}

}  // namespace
}  // namespace cds
