#include "proc_linux.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>

#include "errors.h"

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
        throw Failure(CDS_E_PERMISSION, "No permission to look into " + who + "; run as its user, or as root.", error);
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
    const std::string stat = read_proc(process_id, "stat");
    // The command name in parentheses may contain blanks and parentheses: count after the last one.
    const std::size_t close = stat.rfind(')');
    if (close == std::string::npos) {
        throw Failure(CDS_E_NO_PROCESS, "The kernel has no start time for process " + std::to_string(process_id) + ".");
    }
    std::istringstream fields(stat.substr(close + 1));
    std::string field;
    for (int number = 3; number <= 22; ++number) {
        fields >> field;
    }
    return std::strtoull(field.c_str(), nullptr, 10);
}

}  // namespace cds
