// Pages of the debuggee's memory at their own addresses in this process, for a library that takes an address there for one
// here. That of .NET 10 does so with the signatures of methods that the runtime itself suspends (runtime-async).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace cds {

// Whose memory it is.
class PageSource {
  public:
    // Reads a page wholly. Async-signal-safe, any thread.
    virtual bool read_page(std::uintptr_t page, void* buffer, std::size_t size) const noexcept = 0;

  protected:
    PageSource() = default;
    PageSource(const PageSource&) = default;
    PageSource& operator=(const PageSource&) = default;
    ~PageSource() = default;
};

// A process that runs, and is held when its pages are read.
class LivePages final : public PageSource {
  public:
    explicit LivePages(std::uint32_t process_id) noexcept;
    bool read_page(std::uintptr_t page, void* buffer, std::size_t size) const noexcept override;

  private:
    std::array<char, 32> path_{};  // /proc/PID/mem
};

// Before anything of a process is read whose pages may be borrowed: what is borrowed of another one is given back. The
// source must be there until another one, or null, takes its place. Any thread.
void borrow_pages_from(const PageSource* next) noexcept;

// Null takes the place of a source that is about to go.
void borrow_no_pages_from(const PageSource* gone) noexcept;

// Lets a page be read here as it is in the debuggee. False where there is none, or where something of ours is. The process
// must be held. Async-signal-safe, any thread.
bool borrow_page(std::uintptr_t address) noexcept;

// The debuggee runs on: what was borrowed is old. A thread that still reads borrows anew. Any thread.
void give_pages_back() noexcept;

}  // namespace cds
