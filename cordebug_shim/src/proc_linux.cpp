#include "proc_linux.h"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

#include "errors.h"
#include "runtime_process.h"

namespace cds {
namespace {

std::string proc_path(std::uint32_t process_id, const char* name) {
    return "/proc/" + std::to_string(process_id) + "/" + name;
}

}  // namespace

void fail_system(int error, const std::string& what) {
    throw Failure(CDS_E_SYSTEM, what + ": " + std::strerror(error) + ".", error);
}

void fail_process(std::uint32_t process_id, int error) {
    const std::string who = "process " + std::to_string(process_id);
    if (error == EACCES || error == EPERM) {
        throw Failure(
            CDS_E_PERMISSION,
            "This user may not look into " + who + "; run the debugger as the user that the process belongs to.",
            error);
    }
    throw Failure(CDS_E_NO_PROCESS, "There is no " + who + ".", error);
}

std::string read_proc(std::uint32_t process_id, const char* name) {
    std::ifstream file(proc_path(process_id, name));
    std::ostringstream text;
    if (!file || !(text << file.rdbuf())) {
        // An empty file also ends here: a process that is a zombie has no maps.
        fail_process(process_id, errno == 0 ? ENOENT : errno);
    }
    return text.str();
}

std::uint64_t process_start_time(std::uint32_t process_id) {
    const std::uint64_t start_time = runtime_process_start_time(static_cast<pid_t>(process_id));
    if (start_time == 0) {
        fail_process(process_id, errno);
    }
    return start_time;
}

}  // namespace cds
