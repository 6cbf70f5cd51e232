// Linux: what /proc has on a process, and the failures of the system.
#pragma once

#include <cstdint>
#include <string>

namespace cds {

[[noreturn]] void fail_system(int error, const std::string& what);

// Throws CDS_E_PERMISSION or CDS_E_NO_PROCESS, as `error` (an errno) says.
[[noreturn]] void fail_process(std::uint32_t process_id, int error);

// /proc/PID/NAME. Throws as fail_process does.
std::string read_proc(std::uint32_t process_id, const char* name);

// As runtime_process_start_time; throws as fail_process does.
std::uint64_t process_start_time(std::uint32_t process_id);

}  // namespace cds
