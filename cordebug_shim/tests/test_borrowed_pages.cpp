// A library that takes an address of the debuggee for one of ours reads what the debuggee has there.
#include <dlfcn.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "borrowed_pages.h"
#include "checks.h"
#include "library_fault.h"

namespace cds {
namespace {

using Fault = int (*)(volatile int*);

TEST(fault_of_the_data_access_library_on_a_page_of_the_process_reads_it_there) {
    const auto fault = reinterpret_cast<Fault>(dlsym(dlopen(DATA_ACCESS_10, RTLD_NOW), "data_fault"));
    const auto size = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    void* const theirs = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    auto* const ours = static_cast<volatile int*>(mremap(theirs, 0, size, MREMAP_MAYMOVE));  // the same page, elsewhere
    const pid_t process = fork();
    if (process == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        for (;;) {
            pause();
        }
    }
    munmap(theirs, size);
    struct sigaction before{};
    sigaction(SIGSEGV, nullptr, &before);
    survive_library_faults(static_cast<std::uint32_t>(process));
    auto* const place = static_cast<volatile int*>(theirs);
    *ours = 41;
    CHECK(fault(place) == 41);
    *ours = 42;
    CHECK(fault(place) == 41);  // as it was when the process was held
    give_pages_back();
    CHECK(fault(place) == 42);
    give_pages_back();
    CHECK(!borrow_page(reinterpret_cast<std::uintptr_t>(ours)));  // where we have something of our own
    CHECK(!borrow_page(1));
    CHECK(*ours == 42);
    sigaction(SIGSEGV, &before, nullptr);
    kill(process, SIGKILL);
    waitpid(process, nullptr, 0);
    CHECK(!borrow_page(reinterpret_cast<std::uintptr_t>(theirs)));
}

}  // namespace
}  // namespace cds
