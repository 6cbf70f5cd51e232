#include "process_copy.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <utility>

#include "errors.h"
#include "proc_linux.h"

namespace cds {
namespace {

constexpr const char* shared_file = "/memfd:doublemapper";

}  // namespace

Descriptor::~Descriptor() {
    if (number_ >= 0) {
        close(number_);
    }
}

ProcessCopy::ProcessCopy(CopyParts parts, std::function<void()> drop)
    : parts_(std::move(parts)), drop_(std::move(drop)) {
    try {
        read_mappings(read_proc(parts_.process_id, "maps"));
        read_registers();
    } catch (...) {
        drop_();
        throw;
    }
}

ProcessCopy::~ProcessCopy() {
    drop_();
}

// START-END PERMISSIONS OFFSET DEVICE INODE PATH, hexadecimal, ascending.
void ProcessCopy::read_mappings(const std::string& maps) {
    std::istringstream lines(maps);
    std::string line;
    while (std::getline(lines, line)) {
        const std::size_t path = line.find('/');
        if (path == std::string::npos) {
            continue;
        }
        char* at = nullptr;
        const std::uint64_t start = std::strtoull(line.c_str(), &at, 16);
        const std::uint64_t end = *at == '-' ? std::strtoull(at + 1, &at, 16) : 0;
        const std::size_t permissions = line.find(' ');
        const std::size_t offset_at = permissions == std::string::npos ? permissions : line.find(' ', permissions + 1);
        if (end <= start || offset_at == std::string::npos || offset_at > path) {
            continue;
        }
        const std::uint64_t offset = std::strtoull(line.c_str() + offset_at, nullptr, 16);
        if (line.compare(path, std::strlen(shared_file), shared_file) == 0) {
            shared_.push_back({start, end, offset});
        } else if (offset == 0) {
            images_.push_back({line.substr(path), start});
        }
    }
    if (!shared_.empty() && !parts_.shared.is_open()) {
        throw Failure(CDS_E_SYSTEM, "What the process shares with its copy could not be copied.");
    }
}

void ProcessCopy::read_registers() {
    std::uint64_t place = 0;
    std::uint64_t thread = 0;
    Registers registers;
    while (parts_.registers.is_open() &&
           read_at(parts_.registers.number(), place, &thread, sizeof thread) == sizeof thread &&
           read_at(parts_.registers.number(), place + sizeof thread, registers.data(), registers.size()) ==
               registers.size()) {
        registers_[static_cast<std::uint32_t>(thread)] = registers;
        place += sizeof thread + registers.size();
    }
}

// From one of its two files.
std::size_t ProcessCopy::read_some(std::uint64_t address, void* buffer, std::size_t size) const noexcept {
    const auto next = std::upper_bound(shared_.begin(), shared_.end(), address,
                                       [](std::uint64_t place, const Stretch& other) { return place < other.start; });
    std::uint64_t most = size;
    if (next != shared_.begin() && address < std::prev(next)->end) {
        const Stretch& stretch = *std::prev(next);
        most = std::min(most, stretch.end - address);
        return read_at(parts_.shared.number(), stretch.offset + (address - stretch.start), buffer, most);
    }
    if (next != shared_.end()) {
        most = std::min(most, next->start - address);
    }
    return read_at(parts_.memory.number(), address, buffer, most);
}

std::size_t ProcessCopy::read(std::uint64_t address, void* buffer, std::size_t size) const {
    std::size_t done = 0;
    while (done < size) {
        const std::size_t got = read_some(address + done, static_cast<std::uint8_t*>(buffer) + done, size - done);
        if (got == 0) {
            break;
        }
        done += got;
    }
    return done;
}

bool ProcessCopy::read_page(std::uintptr_t page, void* buffer, std::size_t size) const noexcept {
    return read_some(page, buffer, size) == size;
}

bool ProcessCopy::context(std::uint32_t thread, void* buffer, std::size_t size) const {
    const auto place = registers_.find(thread);
    if (place == registers_.end() && parts_.registers.is_open()) {
        return false;
    }
    return write_context(place == registers_.end() ? nullptr : place->second.data(), buffer, size);
}

FrozenProcess::Image ProcessCopy::image(const std::string& name) const {
    for (const Image& image : images_) {
        const std::string& path = image.path;
        if (path.size() > name.size() && path.compare(path.size() - name.size(), name.size(), name) == 0) {
            return image;
        }
    }
    return {};
}

std::string ProcessCopy::build_id(std::uint64_t base) const {
    return find_build_id([this, base](std::uint64_t offset, void* buffer, std::size_t size) {
        return read(base + offset, buffer, size);
    });
}

}  // namespace cds
