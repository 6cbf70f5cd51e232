#include "accelerator.h"

#if defined(__linux__) && (defined(__x86_64__) || defined(__aarch64__))

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string_view>

#include "accelerator_pages.h"
#include "accelerator_slots.h"

namespace cds::accelerator {
namespace {

// The size of the debugger's hash table, which it maps as a whole.
constexpr std::size_t hash_chunk_size = std::size_t{4} * 1024 * 1024;

std::atomic<bool> enabled{true};
std::atomic<std::int32_t> installed{0};

PageCache& page_cache() {
    // Never destroyed: threads of the libraries outlive the end of main.
    static auto* cache = new PageCache;
    return *cache;
}

// The descriptor of /proc/PID/mem, -1 while it is not known.
std::atomic<int> memory_fd{-1};

// What keeps a part out; null once it is installed.
constexpr const char* not_asked = "not installed: no process has been attached to";
std::atomic<const char*> chunk_obstacle{not_asked};
std::atomic<const char*> pages_obstacle{not_asked};

// The two directions of the connection to the debuggee, once its traffic has passed through our replacements.
constexpr int has_received = 1;
constexpr int has_sent = 2;
constexpr int has_both = has_received | has_sent;
std::atomic<int> seen_traffic{0};

bool is_on(std::int32_t part) {
    return enabled.load(std::memory_order_relaxed) && (installed.load(std::memory_order_acquire) & part) != 0 &&
           (part != caches_pages || seen_traffic.load(std::memory_order_acquire) == has_both);
}

// Whether the descriptor is one of the pipes between debugger and debuggee.
bool is_debugger_pipe(int fd) {
    std::array<char, 64> link{};
    std::array<char, 512> target{};
    std::snprintf(link.data(), link.size(), "/proc/self/fd/%d", fd);
    const ssize_t length = readlink(link.data(), target.data(), target.size() - 1);
    const std::string_view path(target.data(), length > 0 ? static_cast<std::size_t>(length) : 0);
    return path.find("/clr-debug-pipe-") != std::string_view::npos;
}

void note_traffic(int direction, int fd) {
    const int saved_errno = errno;
    if ((seen_traffic.load(std::memory_order_relaxed) & direction) == 0 && is_debugger_pipe(fd)) {
        seen_traffic.fetch_or(direction, std::memory_order_release);
    }
    errno = saved_errno;
}

// Whether the descriptor is /proc/PID/mem.
bool is_process_memory(int fd) {
    std::array<char, 64> link{};
    std::array<char, 64> target{};
    std::snprintf(link.data(), link.size(), "/proc/self/fd/%d", fd);
    const ssize_t length = readlink(link.data(), target.data(), target.size() - 1);
    const std::string_view path(target.data(), length > 0 ? static_cast<std::size_t>(length) : 0);
    constexpr std::string_view begin = "/proc/";
    constexpr std::string_view end = "/mem";
    if (path.size() <= begin.size() + end.size() || path.substr(0, begin.size()) != begin ||
        path.substr(path.size() - end.size()) != end) {
        return false;
    }
    const std::string_view between = path.substr(begin.size(), path.size() - begin.size() - end.size());
    return between.find_first_not_of("0123456789") == std::string_view::npos;
}

bool fill_page(int fd, std::uint64_t address, unsigned char* buffer) {
    return pread64(fd, buffer, PageCache::page_size, static_cast<off64_t>(address)) ==
           static_cast<ssize_t>(PageCache::page_size);
}

// The replacements. They have the C library's signatures and set errno as it does.

ssize_t replaced_pread(int fd, void* buffer, std::size_t count, off64_t offset) {
    if (is_on(caches_pages) && count > 0 && count <= PageCache::largest_read && offset > 0) {
        int known = memory_fd.load(std::memory_order_relaxed);
        if (fd != known && is_process_memory(fd)) {
            // Another process, or the same opened anew.
            drop_cache();
            memory_fd.store(known = fd);
        }
        if (fd == known && page_cache().read(fd, static_cast<std::uint64_t>(offset),
                                             static_cast<unsigned char*>(buffer), count, fill_page)) {
            return static_cast<ssize_t>(count);
        }
    }
    return pread64(fd, buffer, count, offset);
}

int replaced_close(int fd) {
    int expected = fd;
    if (memory_fd.compare_exchange_strong(expected, -1)) {
        drop_cache();
    }
    return close(fd);
}

// Data from the debuggee says that something changed there before it came, data to it that something will.

ssize_t replaced_read(int fd, void* buffer, std::size_t count) {
    const ssize_t result = read(fd, buffer, count);
    drop_cache();
    note_traffic(has_received, fd);
    return result;
}

ssize_t replaced_write(int fd, const void* buffer, std::size_t count) {
    drop_cache();
    const ssize_t result = write(fd, buffer, count);
    drop_cache();
    note_traffic(has_sent, fd);
    return result;
}

ssize_t replaced_recv(int fd, void* buffer, std::size_t count, int flags) {
    const ssize_t result = recv(fd, buffer, count, flags);
    drop_cache();
    return result;
}

ssize_t replaced_send(int fd, const void* buffer, std::size_t count, int flags) {
    drop_cache();
    const ssize_t result = send(fd, buffer, count, flags);
    drop_cache();
    return result;
}

// The hash table's mapping. The library fills in each block's header when it gets the mapping, and reads no entry that
// it has not written since: what an earlier use left in it does no harm.

std::mutex chunk_mutex;
void* spare_chunk = nullptr;    // unmapped by the library, but still there
void* current_chunk = nullptr;  // the last one of this size that the library got

void* replaced_mmap(void* wanted, std::size_t length, int protection, int flags, int fd, off64_t offset) {
    const bool is_chunk = is_on(keeps_hash_chunk) && length == hash_chunk_size && wanted == nullptr &&
                          protection == PROT_NONE && (flags & MAP_ANONYMOUS) != 0 && (flags & MAP_FIXED) == 0;
    if (!is_chunk) {
        return mmap64(wanted, length, protection, flags, fd, offset);
    }
    const std::lock_guard lock(chunk_mutex);
    if (spare_chunk != nullptr) {
        current_chunk = spare_chunk;
        spare_chunk = nullptr;
        return current_chunk;
    }
    void* chunk = mmap64(wanted, length, protection, flags, fd, offset);
    if (chunk != MAP_FAILED) {
        current_chunk = chunk;
    }
    return chunk;
}

int replaced_munmap(void* address, std::size_t length) {
    if (is_on(keeps_hash_chunk) && length == hash_chunk_size) {
        const std::lock_guard lock(chunk_mutex);
        if (address == current_chunk && spare_chunk == nullptr) {
            spare_chunk = current_chunk;
            current_chunk = nullptr;
            return 0;
        }
    }
    return munmap(address, length);
}

template <typename Function>
bool replace(const ImportTable& table, const char* name, Function* replacement) {
    const Slots slots = table.find(name);
    return !slots.empty() && table.replace(slots, reinterpret_cast<void*>(replacement));
}

// Null when the cache is installed, else what is missing.
const char* install_page_cache(const ImportTable& mscordbi, const ImportTable& mscordaccore) {
    // The entries that drop the cache come first: without all of them there is none.
    if (!replace(mscordbi, "read", replaced_read) || !replace(mscordbi, "write", replaced_write)) {
        return "not installed: libmscordbi.so imports no read and write that could be replaced";
    }
    if (!replace(mscordaccore, "close", replaced_close)) {
        return "not installed: libmscordaccore.so imports no close that could be replaced";
    }
    // Not every version has these two.
    replace(mscordbi, "recv", replaced_recv);
    replace(mscordbi, "send", replaced_send);
    if (!replace(mscordaccore, "pread64", replaced_pread)) {
        return "not installed: libmscordaccore.so imports no pread64 that could be replaced";
    }
    installed.fetch_or(caches_pages);
    return nullptr;
}

// By the path .../Microsoft.NETCore.App/VERSION/libmscordaccore.so.
bool needs_hash_chunk(const std::string& mscordaccore_path) {
    constexpr std::string_view folder = "/Microsoft.NETCore.App/";
    const std::size_t start = mscordaccore_path.rfind(folder);
    if (start == std::string::npos) {
        return false;
    }
    const std::string_view version = std::string_view(mscordaccore_path).substr(start + folder.size());
    return version.substr(0, 4) == "3.1." || version.substr(0, 2) == "9.";
}

const char* install_hash_chunk(const ImportTable& mscordaccore, const std::string& path) {
    if (!needs_hash_chunk(path)) {
        return "not installed: not known to help this version of .NET";
    }
    // munmap first: the other two are of no use without it.
    if (!replace(mscordaccore, "munmap", replaced_munmap)) {
        return "not installed: libmscordaccore.so imports no munmap that could be replaced";
    }
    const bool has_mmap64 = replace(mscordaccore, "mmap64", replaced_mmap);
    const bool has_mmap = replace(mscordaccore, "mmap", replaced_mmap);
    if (!has_mmap64 && !has_mmap) {
        return "not installed: libmscordaccore.so imports no mmap that could be replaced";
    }
    installed.fetch_or(keeps_hash_chunk);
    return nullptr;
}

bool is_switched_off() {
    const char* setting = std::getenv("DAP_DOTNET_ACCELERATOR");
    return setting != nullptr && std::strcmp(setting, "0") == 0;
}

}  // namespace

void install(const std::string& mscordbi_path, const std::string& mscordaccore_path) noexcept {
    if (installed.load() != 0) {
        return;
    }
    if (is_switched_off()) {
        chunk_obstacle = pages_obstacle = "switched off by DAP_DOTNET_ACCELERATOR=0";
        return;
    }
    try {
        const ImportTable mscordbi(mscordbi_path);
        const ImportTable mscordaccore(mscordaccore_path);
        pages_obstacle = install_page_cache(mscordbi, mscordaccore);
        chunk_obstacle = install_hash_chunk(mscordaccore, mscordaccore_path);
    } catch (...) {
        // Out of memory: what is not installed is not used.
        drop_cache();
    }
}

void drop_cache() noexcept {
    page_cache().drop();
}

void set_enabled(bool on) noexcept {
    drop_cache();
    enabled.store(on);
}

std::int32_t state() noexcept {
    return (is_on(keeps_hash_chunk) ? keeps_hash_chunk : 0) | (is_on(caches_pages) ? caches_pages : 0);
}

const char* reason(std::int32_t part) noexcept {
    const char* obstacle = part == keeps_hash_chunk ? chunk_obstacle.load() : pages_obstacle.load();
    if (obstacle != nullptr) {
        return obstacle;
    }
    if (!enabled.load()) {
        return "installed, and switched off";
    }
    return is_on(part) ? "on" : "ready, and on once traffic with a process has been seen to pass through it";
}

std::uint64_t cached_reads() noexcept {
    return page_cache().hits();
}

}  // namespace cds::accelerator

#else

namespace cds::accelerator {

void install(const std::string& /*mscordbi_path*/, const std::string& /*mscordaccore_path*/) noexcept {}
void drop_cache() noexcept {}
void set_enabled(bool /*on*/) noexcept {}
std::int32_t state() noexcept {
    return 0;
}
const char* reason(std::int32_t /*part*/) noexcept {
    return "not made for this system";
}
std::uint64_t cached_reads() noexcept {
    return 0;
}

}  // namespace cds::accelerator

#endif
