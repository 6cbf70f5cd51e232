// A cache of the debuggee's memory, in whole pages.
#ifndef CDS_ACCELERATOR_PAGES_H
#define CDS_ACCELERATOR_PAGES_H

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>

namespace cds::accelerator {

class PageCache {
  public:
    static constexpr std::size_t page_size = 4096;
    static constexpr std::size_t largest_read = 2 * page_size;
    // A second defence: what was read this long ago is read again, whatever else happened. In coarse clock ticks of
    // some milliseconds.
    static constexpr std::int64_t max_age_ns = 100'000'000;

    // Reads a page from the debuggee into a buffer of page_size; whether it could be read wholly.
    using Fill = bool (*)(int fd, std::uint64_t address, unsigned char* buffer);

    // Copies `size` bytes from `address`, at most largest_read. False when some of them cannot be had: then nothing is
    // known, and the caller reads by itself.
    bool read(int fd, std::uint64_t address, unsigned char* out, std::size_t size, Fill fill);

    // Everything is old now. Any thread, also in the middle of a read: what it is about to store is old then, too.
    void drop() noexcept { generation_.fetch_add(1, std::memory_order_acq_rel); }

    std::uint64_t hits() const noexcept { return hits_.load(std::memory_order_relaxed); }

  private:
    struct Page {
        std::uint64_t address = 0;
        std::uint64_t generation = 0;  // 0: never filled
        std::int64_t read_at_ns = 0;
        std::unique_ptr<std::array<unsigned char, page_size>> bytes;
    };

    static constexpr std::size_t page_count = 512;
    static constexpr std::size_t ways = 4;

    bool read_pages(int fd, std::uint64_t address, unsigned char* out, std::size_t size, Fill fill);
    const Page* find(int fd, std::uint64_t address, Fill fill, std::int64_t now_ns);

    std::atomic<bool> is_busy_{false};  // one reader at a time has what follows
    std::array<Page, page_count> pages_{};
    std::size_t next_victim_ = 0;
    std::atomic<std::uint64_t> generation_{1};
    std::atomic<std::uint64_t> hits_{0};
};

}  // namespace cds::accelerator

#endif
