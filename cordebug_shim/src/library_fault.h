// What to do when the runtime's debugger libraries crash.
#pragma once

#include <cstdint>

namespace cds {

// From now on a thread that faults inside the debugger library while the process is dead, or dying, is parked for ever
// instead of ending us; and one that faults inside the data access library on a page that only the process has gets it
// (borrowed_pages.h). Called once the libraries are loaded; again for a next process, and with 0 for one that stands still.
// Any other fault takes its usual way.
void survive_library_faults(std::uint32_t process_id) noexcept;

// A call of the library will never return, since the process that it is about is gone.
void give_library_up() noexcept;

// Whether a thread was parked, or the library given up: the library, its locks and all its objects must not be touched any more.
bool library_is_lost() noexcept;

}  // namespace cds
