#include <elf.h>
#include <fcntl.h>
#include <sys/procfs.h>
#include <sys/stat.h>
#include <sys/user.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "core_file.h"
#include "elf_notes.h"
#include "errors.h"

namespace cds {
namespace {

constexpr std::size_t most_notes = 256U << 20U;
constexpr std::size_t most_segments = 4U << 20U;

[[noreturn]] void refuse(const std::string& why) {
    throw Failure(CDS_E_CORE, why);
}

}  // namespace

CoreFile::CoreFile(const std::string& path) : descriptor_(open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    struct stat state {};
    if (descriptor_ < 0 || fstat(descriptor_, &state) != 0 || !S_ISREG(state.st_mode)) {
        const int error = descriptor_ < 0 ? errno : EINVAL;
        if (descriptor_ >= 0) {
            close(descriptor_);
        }
        throw Failure(CDS_E_SYSTEM, path + " cannot be read: " + std::strerror(error) + ".", error);
    }
    modified_ = state.st_mtim.tv_sec;
    try {
        Elf64_Ehdr header;
        if (read_file(0, &header, sizeof header) != sizeof header ||
            std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64 ||
            header.e_type != ET_CORE || header.e_phentsize != sizeof(Elf64_Phdr)) {
            refuse(path + " is no core dump of a 64-bit Linux process.");
        }
        if (header.e_machine != EM_X86_64) {
            refuse(path + " is a core dump of another kind of processor than this machine's.");
        }
        std::size_t count = header.e_phnum;
        if (count == PN_XNUM) {
            Elf64_Shdr section;
            if (read_file(header.e_shoff, &section, sizeof section) != sizeof section) {
                refuse(path + " is cut off: its list of segments is missing.");
            }
            count = section.sh_info;
        }
        if (count > most_segments) {
            refuse(path + " has more segments than a core dump can have.");
        }
        for (std::size_t i = 0; i < count; ++i) {
            Elf64_Phdr part;
            if (read_file(header.e_phoff + i * sizeof part, &part, sizeof part) != sizeof part) {
                refuse(path + " is cut off: its list of segments is not complete.");
            }
            if (part.p_type == PT_NOTE) {
                read_notes(part.p_offset, part.p_filesz);
            } else if (part.p_type == PT_LOAD && part.p_filesz != 0) {
                segments_.push_back({part.p_vaddr, part.p_filesz, part.p_offset});
            }
        }
    } catch (...) {
        close(descriptor_);
        throw;
    }
    const auto by_address = [](const auto& left, const auto& right) { return left.address < right.address; };
    std::sort(segments_.begin(), segments_.end(), by_address);
    std::sort(mappings_.begin(), mappings_.end(),
              [](const Mapping& left, const Mapping& right) { return left.start < right.start; });
}

CoreFile::~CoreFile() {
    close(descriptor_);
    for (const auto& [path, file] : files_) {
        if (file.descriptor >= 0) {
            close(file.descriptor);
        }
    }
}

std::size_t CoreFile::read_file(std::uint64_t offset, void* buffer, std::size_t size) const {
    return read_at(descriptor_, offset, buffer, size);
}

void CoreFile::read_notes(std::uint64_t offset, std::uint64_t size) {
    std::vector<std::uint8_t> notes(std::min<std::uint64_t>(size, most_notes));
    notes.resize(read_file(offset, notes.data(), notes.size()));
    for_each_note(notes, [this](std::uint32_t type, const char* name, std::size_t length, const std::uint8_t* content,
                                std::size_t found) {
        if (length >= 4 && std::memcmp(name, "CORE", 4) == 0) {
            read_note(type, content, found);
        }
    });
}

void CoreFile::read_note(std::uint32_t type, const std::uint8_t* content, std::size_t size) {
    if (type == NT_PRSTATUS && size >= sizeof(elf_prstatus)) {
        elf_prstatus status;
        std::memcpy(&status, content, sizeof status);
        std::vector<std::uint64_t> registers(sizeof(user_regs_struct) / sizeof(std::uint64_t));
        std::memcpy(registers.data(), &status.pr_reg, sizeof(user_regs_struct));
        const auto thread = static_cast<std::uint32_t>(status.pr_pid);
        registers_[thread] = std::move(registers);
        if (first_thread_ == 0) {
            first_thread_ = thread;
            signal_ = static_cast<std::uint32_t>(std::max<int>(status.pr_cursig, 0));
        }
    } else if (type == NT_PRPSINFO && size >= sizeof(elf_prpsinfo)) {
        elf_prpsinfo information;
        std::memcpy(&information, content, sizeof information);
        process_id_ = static_cast<std::uint32_t>(information.pr_pid);
    } else if (type == NT_FILE) {
        read_mappings(content, size);
    }
}

void CoreFile::read_mappings(const std::uint8_t* content, std::size_t size) {
    std::array<std::uint64_t, 2> head{};
    if (size < sizeof head) {
        return;
    }
    std::memcpy(head.data(), content, sizeof head);
    const auto [count, page] = head;
    constexpr std::size_t entry_size = 3 * sizeof(std::uint64_t);
    if (count > (size - sizeof head) / entry_size) {
        return;
    }
    const char* name = reinterpret_cast<const char*>(content) + sizeof head + count * entry_size;
    const char* end = reinterpret_cast<const char*>(content) + size;
    for (std::uint64_t i = 0; i < count; ++i) {
        std::array<std::uint64_t, 3> entry{};
        std::memcpy(entry.data(), content + sizeof head + i * entry_size, entry_size);
        const char* after = std::find(name, end, '\0');
        if (after == end) {
            return;
        }
        mappings_.push_back({entry[0], entry[1], entry[2] * page, std::string(name, after)});
        name = after + 1;
    }
}

std::size_t CoreFile::read(std::uint64_t address, void* buffer, std::size_t size) const {
    return read(address, buffer, size, false);
}

bool CoreFile::read_page(std::uintptr_t page, void* buffer, std::size_t size) const noexcept {
    return read(page, buffer, size, true) == size;
}

std::size_t CoreFile::read(std::uint64_t address, void* buffer, std::size_t size, bool only_dumped) const {
    auto* out = static_cast<std::uint8_t*>(buffer);
    std::size_t done = 0;
    while (done < size) {
        const std::uint64_t at = address + done;
        auto next = std::upper_bound(segments_.begin(), segments_.end(), at,
                                     [](std::uint64_t wanted, const Segment& one) { return wanted < one.address; });
        std::size_t got = 0;
        if (next != segments_.begin()) {
            const Segment& segment = *std::prev(next);
            const std::uint64_t inside = at - segment.address;
            if (inside < segment.size) {
                const auto most = static_cast<std::size_t>(std::min<std::uint64_t>(size - done, segment.size - inside));
                got = read_file(segment.offset + inside, out + done, most);
            }
        }
        if (got == 0 && !only_dumped) {
            std::size_t most = size - done;
            if (next != segments_.end()) {
                most = static_cast<std::size_t>(std::min<std::uint64_t>(most, next->address - at));
            }
            got = read_mapped(at, out + done, most);
        }
        if (got == 0) {
            break;
        }
        done += got;
    }
    return done;
}

std::size_t CoreFile::read_mapped(std::uint64_t address, void* buffer, std::size_t size) const {
    auto next = std::upper_bound(mappings_.begin(), mappings_.end(), address,
                                 [](std::uint64_t wanted, const Mapping& one) { return wanted < one.start; });
    if (next == mappings_.begin()) {
        return 0;
    }
    const Mapping& mapping = *std::prev(next);
    if (address >= mapping.end) {
        return 0;
    }
    const int file = mapped_file(mapping.path);
    const std::uint64_t inside = address - mapping.start;
    const auto most = static_cast<std::size_t>(std::min<std::uint64_t>(size, mapping.end - address));
    return file >= 0 ? read_at(file, mapping.offset + inside, buffer, most) : 0;
}

// One that was written since is not what was mapped.
int CoreFile::mapped_file(const std::string& path) const {
    const auto known = files_.find(path);
    if (known != files_.end()) {
        return known->second.descriptor;
    }
    int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat state {};
    if (descriptor >= 0 &&
        (fstat(descriptor, &state) != 0 || !S_ISREG(state.st_mode) || state.st_mtim.tv_sec > modified_)) {
        close(descriptor);
        descriptor = -1;
    }
    files_[path].descriptor = descriptor;
    return descriptor;
}

bool CoreFile::context(std::uint32_t thread, void* buffer, std::size_t size) const {
    const auto found = registers_.find(thread);
    return found != registers_.end() && write_context(found->second.data(), buffer, size);
}

CoreFile::Image CoreFile::image(const std::string& name) const {
    for (const Mapping& mapping : mappings_) {
        if (mapping.offset == 0 && mapping.path.size() > name.size() &&
            mapping.path.compare(mapping.path.size() - name.size(), name.size(), name) == 0) {
            return {mapping.path, mapping.start};
        }
    }
    return {};
}

std::string CoreFile::build_id(std::uint64_t base) const {
    return find_build_id([this, base](std::uint64_t offset, void* buffer, std::size_t size) {
        return read(base + offset, buffer, size, true);
    });
}

}  // namespace cds
