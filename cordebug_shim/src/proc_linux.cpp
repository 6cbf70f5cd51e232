#include "proc_linux.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <limits>
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
        throw Failure(CDS_E_PERMISSION, "This user may not look into " + who + "; run the debugger as the user that the process belongs to.", error);
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

std::uint32_t process_owner(std::uint32_t process_id) {
    std::istringstream status(read_proc(process_id, "status"));
    std::string key;
    while (status >> key) {
        if (key == "Uid:") {
            std::uint32_t real = 0;
            std::uint32_t effective = 0;
            status >> real >> effective;
            return effective;
        }
        status.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
    }
    fail_process(process_id, ESRCH);
}

}  // namespace cds
