// The accelerator stays out wherever it does not know its way.
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

#include "accelerator.h"
#include "checks.h"

namespace cds::accelerator {
namespace {

template <typename Function>
Function function_of(const char* library, const char* name) {
    return reinterpret_cast<Function>(dlsym(dlopen(library, RTLD_NOW), name));
}

bool starts_with(const char* text, const std::string& start) {
    return std::string(text).compare(0, start.size(), start) == 0;
}

// In this order, since an installation stays.
TEST(accelerator_stays_out_until_everything_is_as_it_knows_it) {
    for (const char* library : {TRANSPORT, DATA_ACCESS_9, DATA_ACCESS_10, BARE}) {
        CHECK(dlopen(library, RTLD_NOW) != nullptr);
    }
    CHECK(starts_with(reason(caches_pages), "not installed: no process"));

    install(BARE, DATA_ACCESS_10);
    CHECK(state() == 0);
    CHECK(starts_with(reason(caches_pages), "not installed: libmscordbi.so imports no read"));
    CHECK(starts_with(reason(keeps_hash_chunk), "not installed: not known to help"));

    install(TRANSPORT, BARE);
    CHECK(state() == 0);
    CHECK(starts_with(reason(caches_pages), "not installed: libmscordaccore.so imports no close"));

    install("/nowhere/libmscordbi.so", "/nowhere/libmscordaccore.so");
    CHECK(state() == 0);

    install(TRANSPORT, DATA_ACCESS_9);
    CHECK(state() == keeps_hash_chunk);
    CHECK(starts_with(reason(caches_pages), "ready, and on once"));

    // Traffic with anything but a debugger's pipe is no proof, nor is one direction.
    auto* send = function_of<long (*)(int, const void*, unsigned long)>(TRANSPORT, "transport_send");
    auto* receive = function_of<long (*)(int, void*, unsigned long)>(TRANSPORT, "transport_receive");
    char byte = 0;
    const int null = open("/dev/null", O_RDWR);
    send(null, &byte, 1);
    receive(null, &byte, 1);
    CHECK(state() == keeps_hash_chunk);
    char folder[] = "/tmp/cordebug_shim_tests_XXXXXX";
    CHECK(mkdtemp(folder) != nullptr);
    const std::string path = std::string(folder) + "/clr-debug-pipe-1-1-in";
    CHECK(mkfifo(path.c_str(), S_IRUSR | S_IWUSR) == 0);
    const int pipe = open(path.c_str(), O_RDWR);
    CHECK(send(pipe, &byte, 1) == 1);
    CHECK(state() == keeps_hash_chunk);
    CHECK(receive(pipe, &byte, 1) == 1);
    CHECK(state() == (keeps_hash_chunk | caches_pages));
    CHECK(std::string(reason(caches_pages)) == "on");
    set_enabled(false);
    CHECK(state() == 0);
    set_enabled(true);
    close(pipe);
    close(null);
    unlink(path.c_str());
    rmdir(folder);
}

TEST(kept_chunk_is_given_out_again) {
    auto* map = function_of<void* (*)(unsigned long)>(DATA_ACCESS_9, "data_map");
    auto* unmap = function_of<int (*)(void*, unsigned long)>(DATA_ACCESS_9, "data_unmap");
    constexpr unsigned long chunk = 4UL * 1024 * 1024;
    void* first = map(chunk);
    CHECK(unmap(first, chunk) == 0);
    CHECK(map(chunk) == first);
    void* other = map(2 * chunk);
    CHECK(unmap(other, 2 * chunk) == 0);
}

}  // namespace
}  // namespace cds::accelerator
