// Pages of the debuggee's memory at their own addresses in this process, for a library that takes an address there for one
// here. That of .NET 10 does so with the signatures of methods that the runtime itself suspends (runtime-async).
#pragma once

#include <cstdint>

namespace cds {

// Whose memory it is. Before anything is borrowed.
void borrow_pages_from(std::uint32_t process_id) noexcept;

// Lets a page be read here as it is in the debuggee. False where there is none, or where something of ours is. The process
// must be held. Async-signal-safe, any thread.
bool borrow_page(std::uintptr_t address) noexcept;

// The debuggee runs on: what was borrowed is old. A thread that still reads borrows anew. Any thread.
void give_pages_back() noexcept;

}  // namespace cds
