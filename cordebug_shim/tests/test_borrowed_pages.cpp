// A library that takes an address of the debuggee for one of ours reads what the debuggee has there.
#include <dlfcn.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>

#include "borrowed_pages.h"
#include "checks.h"
#include "library_fault.h"

namespace cds {
namespace {

using Fault = int (*)(volatile int*);

struct OtherPages : PageSource {
    bool read_page(std::uintptr_t, void* buffer, std::size_t size) const noexcept override {
        std::memset(buffer, 7, size);
        return true;
    }
};

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
    const LivePages pages(static_cast<std::uint32_t>(process));
    borrow_pages_from(&pages);
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
    const OtherPages other;
    CHECK(fault(place) == 42);
    borrow_pages_from(&other);
    CHECK(fault(place) == 0x07070707);
    borrow_pages_from(&pages);
    CHECK(fault(place) == 42);
    borrow_no_pages_from(&other);
    CHECK(borrow_page(reinterpret_cast<std::uintptr_t>(theirs)));
    give_pages_back();
    sigaction(SIGSEGV, &before, nullptr);
    kill(process, SIGKILL);
    waitpid(process, nullptr, 0);
    CHECK(!borrow_page(reinterpret_cast<std::uintptr_t>(theirs)));
    borrow_no_pages_from(&pages);
}

}  // namespace
}  // namespace cds
