#include "accelerator_pages.h"

#include <algorithm>
#include <cstring>
#include <ctime>

namespace cds::accelerator {
namespace {

std::int64_t coarse_now_ns() {
    timespec now{};
#if defined(CLOCK_MONOTONIC_COARSE)
    clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
#else
    clock_gettime(CLOCK_MONOTONIC, &now);
#endif
    return static_cast<std::int64_t>(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
}

}  // namespace

bool PageCache::read(int fd, std::uint64_t address, unsigned char* out, std::size_t size, Fill fill) {
    // Another thread reads: rather than wait, this one does without the cache. Two seldom read at once.
    if (is_busy_.exchange(true, std::memory_order_acquire)) {
        return false;
    }
    const bool is_read = read_pages(fd, address, out, size, fill);
    is_busy_.store(false, std::memory_order_release);
    return is_read;
}

bool PageCache::read_pages(int fd, std::uint64_t address, unsigned char* out, std::size_t size, Fill fill) {
    const std::int64_t now_ns = coarse_now_ns();
    while (size > 0) {
        const std::uint64_t start = address & ~static_cast<std::uint64_t>(page_size - 1);
        const std::size_t offset = address - start;
        const std::size_t part = std::min(size, page_size - offset);
        const Page* page = find(fd, start, fill, now_ns);
        if (page == nullptr) {
            return false;
        }
        std::memcpy(out, page->bytes->data() + offset, part);
        address += part;
        out += part;
        size -= part;
    }
    return true;
}

const PageCache::Page* PageCache::find(int fd, std::uint64_t address, Fill fill, std::int64_t now_ns) {
    const std::uint64_t generation = generation_.load(std::memory_order_acquire);
    const std::size_t group = (address / page_size) % (page_count / ways) * ways;
    Page* free_page = nullptr;
    for (std::size_t way = 0; way < ways; ++way) {
        Page& page = pages_[group + way];
        const bool is_valid = page.generation == generation && now_ns - page.read_at_ns <= max_age_ns;
        if (is_valid && page.address == address) {
            hits_.store(hits_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
            return &page;
        }
        if (!is_valid && free_page == nullptr) {
            free_page = &page;
        }
    }
    Page& page = free_page != nullptr ? *free_page : pages_[group + next_victim_++ % ways];
    page.generation = 0;
    if (!page.bytes) {
        page.bytes = std::make_unique<std::array<unsigned char, page_size>>();
    }
    if (!fill(fd, address, page.bytes->data())) {
        return nullptr;
    }
    page.address = address;
    page.read_at_ns = now_ns;
    // As it was before the read: a drop meanwhile makes the page old.
    page.generation = generation;
    return &page;
}

}  // namespace cds::accelerator
