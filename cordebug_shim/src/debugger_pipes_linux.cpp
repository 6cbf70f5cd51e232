#include "debugger_pipes.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <array>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <memory>
#include <utility>

#include "errors.h"
#include "proc_linux.h"
#include "runtime_process.h"

namespace cds {
namespace {

using Folder = std::unique_ptr<DIR, int (*)(DIR*)>;

Folder open_folder(const std::string& path) {
    return {opendir(path.c_str()), closedir};
}

std::string pipe_path(const std::string& folder, std::uint32_t id, std::uint64_t start_time, const char* direction) {
    std::array<char, PATH_MAX> path{};
    if (runtime_file_path(path.data(), path.size(), folder.c_str(), RUNTIME_PIPE, static_cast<pid_t>(id), start_time,
                          direction) == 0) {
        throw Failure(CDS_E_ARGUMENT, "The temporary folder's path is too long.");
    }
    return path.data();
}

// Whether the process has that very file open. False where this user may not look.
bool has_open(const std::string& process_id, const struct stat& file) {
    const Folder folder = open_folder("/proc/" + process_id + "/fd");
    if (!folder) {
        return false;
    }
    while (const dirent* entry = readdir(folder.get())) {
        struct stat opened{};
        if (fstatat(dirfd(folder.get()), entry->d_name, &opened, 0) == 0 && opened.st_ino == file.st_ino &&
            opened.st_dev == file.st_dev) {
            return true;
        }
    }
    return false;
}

// The last part of the path of the program that a process runs; empty where it cannot be read.
std::string program_of(const std::string& process_id) {
    try {
        const std::string command_line = read_proc(static_cast<std::uint32_t>(std::stoul(process_id)), "cmdline");
        const std::string path = command_line.substr(0, command_line.find('\0'));
        return path.substr(path.rfind('/') + 1);
    } catch (...) {
        return {};
    }
}

// " by process 12 (name)": who but the process has the file open, as far as this user may see.
std::string holder_of(const struct stat& file, std::uint32_t process_id) {
    const Folder folder = open_folder("/proc");
    while (const dirent* entry = folder ? readdir(folder.get()) : nullptr) {
        const std::string id = entry->d_name;
        if (id.find_first_not_of("0123456789") == std::string::npos && id != std::to_string(process_id) &&
            has_open(id, file)) {
            return " by process " + id + " (" + program_of(id) + ")";
        }
    }
    return {};
}

}  // namespace

DebuggerPipes::DebuggerPipes(std::uint32_t process_id, std::string temporary_folder)
    : process_id_(process_id), folder_(std::move(temporary_folder)) {
    const std::uint64_t start_time = process_start_time(process_id);
    in_ = pipe_path(folder_, process_id, start_time, "in");
    out_ = pipe_path(folder_, process_id, start_time, "out");
    const auto own_id = static_cast<std::uint32_t>(runtime_process_own_id(static_cast<pid_t>(process_id)));
    in_inside_ = "/proc/" + std::to_string(process_id) + "/root" + pipe_path(folder_, own_id, start_time, "in");
}

bool DebuggerPipes::are_made() const {
    struct stat status{};
    return (lstat(in_inside_.c_str(), &status) == 0 && S_ISFIFO(status.st_mode)) || is_own_pipe(in_);
}

bool DebuggerPipes::is_own_pipe(const std::string& path) const {
    struct stat status{};
    uid_t owner = 0;
    return lstat(path.c_str(), &status) == 0 && S_ISFIFO(status.st_mode) &&
           runtime_process_owner(static_cast<pid_t>(process_id_), &owner) && status.st_uid == owner;
}

bool DebuggerPipes::are_reachable() const {
    return is_own_pipe(in_) && is_own_pipe(out_);
}

void DebuggerPipes::require_same_namespace() const {
    struct stat inside{};
    struct stat outside{};
    if (lstat(in_inside_.c_str(), &inside) != 0) {
        return;  // not made yet, or not for this user to see
    }
    if (lstat(in_.c_str(), &outside) != 0 || inside.st_ino != outside.st_ino || inside.st_dev != outside.st_dev) {
        throw Failure(CDS_E_OTHER_NAMESPACE, "Process " + std::to_string(process_id_) +
                                                 " runs in a container or has its own file system: its " + folder_ +
                                                 " is another one. Run the debugger inside it.");
    }
}

void DebuggerPipes::require_no_debugger() const {
    struct stat pipe{};
    if (!is_own_pipe(in_) || lstat(in_.c_str(), &pipe) != 0 || !has_open(std::to_string(process_id_), pipe)) {
        return;  // never debugged, or not any more: then what it has open was removed and made again
    }
    const std::string holder = holder_of(pipe, process_id_);
    if (holder.empty() && lstat(out_.c_str(), &pipe) == 0 && !has_open(std::to_string(process_id_), pipe)) {
        // A debugger ended before it had opened the other pipe, and the runtime does not notice: as with one that was lost.
        fail_runtime(CORDBG_E_TIMEOUT, "Attaching to the process");
    }
    throw Failure(CDS_E_ALREADY_DEBUGGED,
                  "Process " + std::to_string(process_id_) + " is already being debugged" + holder +
                      "; a .NET process can have only one debugger. End that session, or detach there first.");
}

}  // namespace cds
