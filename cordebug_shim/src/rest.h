// Whether the threads of another process have nothing to do: each operating system has its own way to find out.
#pragma once

#include <cstdint>
#include <string>

namespace cds {

// Whether all threads of a process waited at one and the same moment; where some are called `name`, only those count.
// A process that cannot be looked into counts as at rest. Takes less than a millisecond for a runtime that starts.
bool is_at_rest(std::uint32_t process_id, const std::string& name);

}  // namespace cds
