// What a core dump and a copy of a process have in common.
#include "frozen_process.h"

#include <elf.h>
#include <fcntl.h>
#include <sys/user.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <vector>

#include "elf_notes.h"

namespace cds {
namespace {

constexpr std::size_t most_build_id = 64;
constexpr std::uint32_t context_flags = 0x10000b;  // control, integer and segment registers of an x64 CONTEXT
constexpr std::size_t context_size = 1232;

static_assert(sizeof(user_regs_struct) == registers_size, "the registers of x86-64");

std::string hexadecimal(const std::uint8_t* bytes, std::size_t size) {
    constexpr const char* digits = "0123456789abcdef";
    std::string text;
    for (std::size_t i = 0; i < size; ++i) {
        text += digits[bytes[i] >> 4U];
        text += digits[bytes[i] & 15U];
    }
    return text;
}

}  // namespace

std::size_t read_at(int descriptor, std::uint64_t offset, void* buffer, std::size_t size) noexcept {
    auto* out = static_cast<std::uint8_t*>(buffer);
    std::size_t done = 0;
    while (done < size) {
        const ssize_t got = pread(descriptor, out + done, size - done, static_cast<off_t>(offset + done));
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            break;
        }
        done += static_cast<std::size_t>(got);
    }
    return done;
}

std::string find_build_id(
    const std::function<std::size_t(std::uint64_t offset, void* buffer, std::size_t size)>& read) {
    Elf64_Ehdr header;
    if (read(0, &header, sizeof header) != sizeof header || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
        header.e_phentsize != sizeof(Elf64_Phdr)) {
        return {};
    }
    for (std::uint32_t i = 0; i < header.e_phnum; ++i) {
        Elf64_Phdr part;
        if (read(header.e_phoff + i * sizeof part, &part, sizeof part) != sizeof part) {
            return {};
        }
        if (part.p_type != PT_NOTE || part.p_filesz > (1U << 20U)) {
            continue;
        }
        std::vector<std::uint8_t> notes(part.p_filesz);
        notes.resize(read(part.p_vaddr, notes.data(), notes.size()));
        std::string found;
        for_each_note(notes, [&](std::uint32_t type, const char* name, std::size_t length, const std::uint8_t* content,
                                 std::size_t size) {
            if (type == NT_GNU_BUILD_ID && length == 4 && std::memcmp(name, "GNU", 4) == 0 && size <= most_build_id) {
                found = hexadecimal(content, size);
            }
        });
        if (!found.empty()) {
            return found;
        }
    }
    return {};
}

std::string build_id_of_file(const std::string& path) {
    const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) {
        return {};
    }
    // Its notes lie in the first segment, where places in the file and in memory are the same.
    std::string found = find_build_id([descriptor](std::uint64_t offset, void* buffer, std::size_t size) {
        return read_at(descriptor, offset, buffer, size);
    });
    close(descriptor);
    return found;
}

bool write_context(const void* registers_of_thread, void* buffer, std::size_t size) {
    if (size < context_size) {
        return false;
    }
    user_regs_struct registers{};
    if (registers_of_thread != nullptr) {
        std::memcpy(&registers, registers_of_thread, sizeof registers);
    }
    auto* context = static_cast<std::uint8_t*>(buffer);
    std::memset(context, 0, size);
    const auto put = [context](std::size_t offset, auto value) { std::memcpy(context + offset, &value, sizeof value); };
    put(0x30, context_flags);
    put(0x38, static_cast<std::uint16_t>(registers.cs));
    put(0x42, static_cast<std::uint16_t>(registers.ss));
    put(0x44, static_cast<std::uint32_t>(registers.eflags));
    const std::array<std::uint64_t, 17> in_order = {
        registers.rax, registers.rcx, registers.rdx, registers.rbx, registers.rsp, registers.rbp,
        registers.rsi, registers.rdi, registers.r8,  registers.r9,  registers.r10, registers.r11,
        registers.r12, registers.r13, registers.r14, registers.r15, registers.rip};
    for (std::size_t i = 0; i < in_order.size(); ++i) {
        put(0x78 + i * sizeof(std::uint64_t), in_order[i]);
    }
    return true;
}

}  // namespace cds
