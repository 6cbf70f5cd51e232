// Attaching loads a library from beside the runtime of another process, and that process chose where its runtime lies.
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <memory>

#include "errors.h"
#include "trust.h"

namespace cds {
namespace {

bool is_private_group(gid_t group) {
    // A user's group of the same number, as most systems make them, has nobody else in it.
    return group == 0 || (group == getegid() && group == geteuid());
}

// Empty when only root and this user may write there.
std::string who_may_write(const std::string& path, bool is_folder_above) {
    struct stat status{};
    if (lstat(path.c_str(), &status) != 0) {
        return "it cannot be looked at";
    }
    if (status.st_uid != 0 && status.st_uid != geteuid()) {
        return "it belongs to user " + std::to_string(status.st_uid);
    }
    // In a folder with the sticky bit, such as /tmp, nobody can replace what belongs to another.
    if (is_folder_above && (status.st_mode & S_ISVTX) != 0) {
        return {};
    }
    if ((status.st_mode & S_IWOTH) != 0) {
        return "everybody may write to it";
    }
    if ((status.st_mode & S_IWGRP) != 0 && !is_private_group(status.st_gid)) {
        return "group " + std::to_string(status.st_gid) + " may write to it";
    }
    return {};
}

}  // namespace

std::string require_trusted(const std::string& path) {
    const std::unique_ptr<char, void (*)(void*)> resolved(realpath(path.c_str(), nullptr), std::free);
    if (!resolved) {
        throw Failure(CDS_E_NO_DEBUGGER, "The runtime's debugger library is missing: there is no " + path + ".");
    }
    const std::string file = resolved.get();
    std::string part = file;
    for (bool is_folder_above = false;; is_folder_above = true) {
        if (const std::string reason = who_may_write(part, is_folder_above && part != file); !reason.empty()) {
            std::string message = "The runtime's debugger library ";
            message.append(path).append(" is not loaded, since ").append(part).append(" is not only yours: ");
            message.append(reason).append(". Whoever can change it would act as you.");
            throw Failure(CDS_E_UNTRUSTED, message);
        }
        if (part == "/") {
            return file;
        }
        const std::size_t slash = part.rfind('/');
        part = slash == 0 ? "/" : part.substr(0, slash);
    }
}

}  // namespace cds
