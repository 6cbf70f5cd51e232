// The notes of an ELF file.
#pragma once

#include <elf.h>

#include <cstdint>
#include <cstring>
#include <vector>

namespace cds {

inline std::size_t aligned(std::size_t size) {
    return (size + 3) & ~std::size_t{3};
}

// Calls `take` with the type, the name and the content of each note.
template <typename Take>
void for_each_note(const std::vector<std::uint8_t>& notes, Take&& take) {
    std::size_t at = 0;
    while (at + sizeof(Elf64_Nhdr) <= notes.size()) {
        Elf64_Nhdr header;
        std::memcpy(&header, notes.data() + at, sizeof header);
        const std::size_t name = at + sizeof header;
        const std::size_t content = name + aligned(header.n_namesz);
        if (content > notes.size() || header.n_descsz > notes.size() - content) {
            return;  // cut off
        }
        take(header.n_type, reinterpret_cast<const char*>(notes.data() + name), header.n_namesz, notes.data() + content,
             header.n_descsz);
        at = content + aligned(header.n_descsz);
    }
}

}  // namespace cds
