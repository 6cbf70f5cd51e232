// Linux: /proc/PID/task/TID/status.
#include "rest.h"

#include <dirent.h>

#include <cstdlib>
#include <fstream>
#include <map>
#include <memory>
#include <utility>

namespace cds {
namespace {

struct ThreadStatus {
    std::string name;
    char state = 'X';
    // How often it was given a processor: unchanged between two looks, it has not run in between.
    std::uint64_t switches = 0;

    bool operator==(const ThreadStatus& other) const { return state == other.state && switches == other.switches; }
};

ThreadStatus read_status(const std::string& path) {
    ThreadStatus status;
    std::ifstream file(path);
    std::string line;
    while (std::getline(file, line)) {
        const std::size_t colon = line.find(":\t");
        if (colon == std::string::npos) {
            continue;
        }
        const std::string key = line.substr(0, colon);
        const std::string value = line.substr(colon + 2);
        if (key == "Name") {
            status.name = value;
        } else if (key == "State" && !value.empty()) {
            status.state = value.front();
        } else if (key == "voluntary_ctxt_switches" || key == "nonvoluntary_ctxt_switches") {
            status.switches += std::strtoull(value.c_str(), nullptr, 10);
        }
    }
    return status;
}

using Statuses = std::map<std::string, ThreadStatus>;

Statuses read_threads(std::uint32_t process_id) {
    const std::string folder = "/proc/" + std::to_string(process_id) + "/task/";
    const std::unique_ptr<DIR, int (*)(DIR*)> listing(opendir(folder.c_str()), closedir);
    Statuses threads;
    if (listing) {
        while (const dirent* entry = readdir(listing.get())) {
            const std::string id = entry->d_name;
            if (id.front() == '.') {
                continue;
            }
            std::string path = folder;
            path.append(id).append("/status");
            threads.emplace(id, read_status(path));
        }
    }
    return threads;
}

void keep_named(Statuses& threads, const std::string& name) {
    Statuses named;
    for (const auto& [id, status] : threads) {
        if (status.name == name) {
            named.emplace(id, status);
        }
    }
    if (!named.empty()) {
        threads = std::move(named);
    }
}

}  // namespace

bool is_at_rest(std::uint32_t process_id, const std::string& name) {
    constexpr char waits = 'S';
    Statuses first = read_threads(process_id);
    keep_named(first, name);
    for (const auto& [id, status] : first) {
        if (status.state != waits) {
            return false;
        }
    }
    Statuses second = read_threads(process_id);
    keep_named(second, name);
    return first == second;
}

}  // namespace cds
