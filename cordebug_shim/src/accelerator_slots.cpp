#include "accelerator_slots.h"

#if defined(__linux__) && (defined(__x86_64__) || defined(__aarch64__))

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>

namespace cds::accelerator {
namespace {

#if defined(__x86_64__)
constexpr std::uint32_t jump_slot = R_X86_64_JUMP_SLOT;
constexpr std::uint32_t global_data = R_X86_64_GLOB_DAT;
#else
constexpr std::uint32_t jump_slot = R_AARCH64_JUMP_SLOT;
constexpr std::uint32_t global_data = R_AARCH64_GLOB_DAT;
#endif

// What the dynamic section says about relocations; addresses in memory.
struct Dynamic {
    const ElfW(Sym) * symbols = nullptr;
    const char* strings = nullptr;
    const ElfW(Rela) * plt_relocations = nullptr;
    std::size_t plt_size = 0;
    bool plt_is_rela = true;
    const ElfW(Rela) * relocations = nullptr;
    std::size_t size = 0;
};

template <typename T>
const T* pointer(const link_map& map, ElfW(Addr) value) {
    // glibc has made these absolute, other C libraries leave them relative to the load address.
    return reinterpret_cast<const T*>(value < map.l_addr ? map.l_addr + value : value);
}

Dynamic read_dynamic(const link_map& map) {
    Dynamic dynamic;
    for (const ElfW(Dyn)* entry = map.l_ld; entry->d_tag != DT_NULL; ++entry) {
        switch (entry->d_tag) {
            case DT_SYMTAB:
                dynamic.symbols = pointer<ElfW(Sym)>(map, entry->d_un.d_ptr);
                break;
            case DT_STRTAB:
                dynamic.strings = pointer<char>(map, entry->d_un.d_ptr);
                break;
            case DT_JMPREL:
                dynamic.plt_relocations = pointer<ElfW(Rela)>(map, entry->d_un.d_ptr);
                break;
            case DT_PLTRELSZ:
                dynamic.plt_size = entry->d_un.d_val;
                break;
            case DT_PLTREL:
                dynamic.plt_is_rela = entry->d_un.d_val == DT_RELA;
                break;
            case DT_RELA:
                dynamic.relocations = pointer<ElfW(Rela)>(map, entry->d_un.d_ptr);
                break;
            case DT_RELASZ:
                dynamic.size = entry->d_un.d_val;
                break;
            default:
                break;
        }
    }
    return dynamic;
}

struct ReadOnlyPart {
    ElfW(Addr) load_address;
    std::uintptr_t begin = 0;
    std::uintptr_t end = 0;
};

int find_read_only_part(dl_phdr_info* info, std::size_t /*size*/, void* context) {
    auto& wanted = *static_cast<ReadOnlyPart*>(context);
    if (info->dlpi_addr != wanted.load_address) {
        return 0;
    }
    for (int index = 0; index < info->dlpi_phnum; ++index) {
        const ElfW(Phdr) & header = info->dlpi_phdr[index];
        if (header.p_type == PT_GNU_RELRO) {
            wanted.begin = info->dlpi_addr + header.p_vaddr;
            wanted.end = wanted.begin + header.p_memsz;
        }
    }
    return 1;
}

}  // namespace

ImportTable::ImportTable(const std::string& path) {
    void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_NOLOAD);
    if (handle == nullptr) {
        return;
    }
    link_map* map = nullptr;
    if (dlinfo(handle, RTLD_DI_LINKMAP, static_cast<void*>(&map)) == 0 && map != nullptr) {
        const Dynamic dynamic = read_dynamic(*map);
        auto collect = [&](const ElfW(Rela)* first, std::size_t size) {
            for (std::size_t index = 0; first != nullptr && index < size / sizeof *first; ++index) {
                const auto type = static_cast<std::uint32_t>(ELF64_R_TYPE(first[index].r_info));
                const std::size_t symbol = ELF64_R_SYM(first[index].r_info);
                if (type == jump_slot || type == global_data) {
                    imports_.push_back({dynamic.strings + dynamic.symbols[symbol].st_name,
                                        reinterpret_cast<void**>(map->l_addr + first[index].r_offset)});
                }
            }
        };
        if (dynamic.symbols != nullptr && dynamic.strings != nullptr && dynamic.plt_is_rela) {
            collect(dynamic.plt_relocations, dynamic.plt_size);
            collect(dynamic.relocations, dynamic.size);
        }
        ReadOnlyPart part{map->l_addr};
        dl_iterate_phdr(find_read_only_part, &part);
        read_only_begin_ = part.begin;
        read_only_end_ = part.end;
    }
    dlclose(handle);
}

Slots ImportTable::find(const char* function) const {
    Slots found;
    for (const Import& import : imports_) {
        if (std::strcmp(import.name, function) == 0) {
            found.push_back(import.slot);
        }
    }
    return found;
}

bool ImportTable::replace(const Slots& slots, void* replacement) const {
    const auto page_size = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
    for (void** slot : slots) {
        const auto address = reinterpret_cast<std::uintptr_t>(slot);
        // An entry is aligned and so lies within one page.
        void* page = reinterpret_cast<void*>(address & ~(page_size - 1));
        if (mprotect(page, page_size, PROT_READ | PROT_WRITE) != 0) {
            return false;
        }
        __atomic_store_n(slot, replacement, __ATOMIC_RELEASE);
        // The loader protects whole pages of the part only.
        const bool was_read_only = address >= read_only_begin_ && address < (read_only_end_ & ~(page_size - 1));
        if (was_read_only) {
            mprotect(page, page_size, PROT_READ);
        }
    }
    return true;
}

}  // namespace cds::accelerator

#endif
