#include "borrowed_pages.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>

namespace cds {
namespace {

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000
#endif

constexpr std::size_t most_pages = 256;
constexpr int most_waits = 1000;

std::atomic<const PageSource*> source{nullptr};
const std::size_t page_size = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
// Zero: free.
std::array<std::uintptr_t, most_pages> borrowed{};
// How often a thread came to a page that is borrowed: one that wants to write would come for ever.
int waits = 0;
std::atomic_flag is_busy = ATOMIC_FLAG_INIT;

// A mutex for signal handlers. What it protects faults nowhere.
class Turn {
  public:
    Turn() noexcept {
        while (is_busy.test_and_set(std::memory_order_acquire)) {
        }
    }
    ~Turn() { is_busy.clear(std::memory_order_release); }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;
};

void* map(std::uintptr_t at, int protection, int flags) noexcept {
    // The place is the debuggee's.
    // NOLINTNEXTLINE(performance-no-int-to-ptr)
    return mmap(reinterpret_cast<void*>(at), page_size, protection, flags | MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

// A page of ours with what is at the place in the debuggee; null where there is nothing.
void* copy_of(std::uintptr_t page) noexcept {
    const PageSource* const from = source.load();
    void* copy = from != nullptr ? map(0, PROT_READ | PROT_WRITE, 0) : MAP_FAILED;
    const bool is_read =
        copy != MAP_FAILED && from->read_page(page, copy, page_size) && mprotect(copy, page_size, PROT_READ) == 0;
    if (copy != MAP_FAILED && !is_read) {
        munmap(copy, page_size);
    }
    return is_read ? copy : nullptr;
}

void give_back() noexcept {
    waits = 0;
    for (std::uintptr_t& page : borrowed) {
        if (page != 0) {
            // NOLINTNEXTLINE(performance-no-int-to-ptr)
            munmap(reinterpret_cast<void*>(page), page_size);
            page = 0;
        }
    }
}

}  // namespace

LivePages::LivePages(std::uint32_t process_id) noexcept {
    std::snprintf(path_.data(), path_.size(), "/proc/%u/mem", process_id);
}

bool LivePages::read_page(std::uintptr_t page, void* buffer, std::size_t size) const noexcept {
    const int file = open(path_.data(), O_RDONLY | O_CLOEXEC);
    if (file < 0) {
        return false;
    }
    const bool is_read = pread(file, buffer, size, static_cast<off_t>(page)) == static_cast<ssize_t>(size);
    close(file);
    return is_read;
}

void borrow_pages_from(const PageSource* next) noexcept {
    if (source.load() != next) {
        const Turn turn;
        give_back();
        source = next;
    }
}

void borrow_no_pages_from(const PageSource* gone) noexcept {
    if (source.load() == gone) {
        borrow_pages_from(nullptr);
    }
}

bool borrow_page(std::uintptr_t address) noexcept {
    const std::uintptr_t page = address & ~(static_cast<std::uintptr_t>(page_size) - 1);
    if (page == 0) {
        return false;
    }
    const Turn turn;
    if (std::find(borrowed.begin(), borrowed.end(), page) != borrowed.end()) {
        return ++waits < most_waits;  // another thread was faster
    }
    auto* const free = std::find(borrowed.begin(), borrowed.end(), std::uintptr_t{0});
    if (free == borrowed.end()) {
        return false;
    }
    // Nothing of ours is replaced: the place is taken first.
    void* const place = map(page, PROT_NONE, MAP_FIXED_NOREPLACE);
    if (place == MAP_FAILED) {
        return false;
    }
    // NOLINTNEXTLINE(performance-no-int-to-ptr)
    const bool is_there = place == reinterpret_cast<void*>(page);  // elsewhere on an old kernel
    void* const copy = is_there ? copy_of(page) : nullptr;
    if (copy == nullptr) {
        munmap(place, page_size);
        return false;
    }
    *free = page;
    return mremap(copy, page_size, page_size, MREMAP_MAYMOVE | MREMAP_FIXED, place) == place;
}

void give_pages_back() noexcept {
    const Turn turn;
    give_back();
}

}  // namespace cds
