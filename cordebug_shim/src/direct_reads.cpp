#include "direct_reads.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "errors.h"
#include "session.h"

namespace cds {
namespace {

constexpr std::uint32_t register_relative = 1;  // VLT_REGISTER_RELATIVE
// Instances of a generic method, and code of other tiers: more of them are read as ever.
constexpr std::size_t most_sites = 8;
// So often the ways of one place are learnt: an object that is looked into may have been null, or of another type.
constexpr std::uint32_t most_lessons = 16;
// The first hits are read both ways, and then one in so many.
constexpr std::uint32_t first_checks = 8;
constexpr std::uint32_t check_every = 512;
constexpr std::int64_t largest_object = 1 << 20;

template <typename Type>
std::optional<Type> read_memory(Session& session, std::uint64_t address) {
    Type value{};
    std::size_t read = 0;
    const HRESULT hr = session.process()->ReadMemory(address, sizeof value, reinterpret_cast<std::uint8_t*>(&value), &read);
    return failed(hr) || read != sizeof value ? std::nullopt : std::optional(value);
}

// Where the storage of a value is that a plan has brought; 0 for none.
std::uint64_t storage_of(Session& session, const cds_value& value) {
    std::uint64_t address = 0;
    if ((value.flags & (CDS_VALUE_MISSING | CDS_VALUE_BYREF | CDS_VALUE_BOXED)) != 0) {
        return 0;
    }
    const KeptValue kept = session.values.find(value.handle);
    return kept.original && !failed(kept.original->GetAddress(&address)) ? address : 0;
}

bool is_reference(const cds_value& value) { return (value.flags & (CDS_VALUE_REFERENCE | CDS_VALUE_NULL)) != 0; }

}  // namespace

// One hit.
class DirectReads::View final : public HitView {
  public:
    View(Session& session, const Site& site, const ThreadRegisters& registers)
        : session_(session), site_(site), registers_(registers) {}

    bool copy(std::uint32_t read, std::uint32_t size, std::uint8_t* bytes) override {
        const auto address = address_of(read);
        std::size_t count = 0;
        return address && !site_.ways[read].is_reference &&
               !failed(session_.process()->ReadMemory(*address, size, bytes, &count)) && count == size;
    }

    std::optional<bool> is_null(std::uint32_t read) override {
        const auto object = object_of(read);
        return object ? std::optional(*object == 0) : std::nullopt;
    }

    std::optional<bool> equals(std::uint32_t read, std::u16string_view text) override {
        const auto object = object_of(read);
        if (!object) {
            return std::nullopt;
        }
        if (*object == 0) {
            return false;
        }
        const auto table = read_memory<std::uint64_t>(session_, *object);
        const auto length = read_memory<std::uint32_t>(session_, *object + string_length_offset);
        if (!table || *table == 0 || *table != session_.values.string_table.load() || !length) {
            return std::nullopt;
        }
        if (*length != text.size()) {
            return false;
        }
        std::u16string units(text.size(), u'\0');
        const std::uint32_t got =
            read_string_memory(session_, *object, 0, *length, reinterpret_cast<std::uint16_t*>(units.data()));
        return got == *length ? std::optional(units == text) : std::nullopt;
    }

  private:
    // Of the object that a reference refers to, 0 for null.
    std::optional<std::uint64_t> object_of(std::uint32_t read) const {
        const auto address = address_of(read);
        return address && site_.ways[read].is_reference ? read_memory<std::uint64_t>(session_, *address) : std::nullopt;
    }

    std::optional<std::uint64_t> address_of(std::uint32_t read) const {
        const Way& way = site_.ways[read];
        const auto offset = static_cast<std::uint64_t>(way.offset);
        switch (way.kind) {
            case Way::Kind::at_register:
                return registers_.values[way.base] + offset;
            case Way::Kind::in_structure: {
                const auto structure = address_of(way.base);
                return structure ? std::optional(*structure + offset) : std::nullopt;
            }
            case Way::Kind::in_object: {
                const auto object = object_of(way.base);
                // Of an object of another type the field may not be one.
                if (!object || *object == 0 || read_memory<std::uint64_t>(session_, *object) != way.method_table) {
                    return std::nullopt;
                }
                return *object + offset;
            }
            default:
                return std::nullopt;
        }
    }

    Session& session_;
    const Site& site_;
    const ThreadRegisters& registers_;
};

std::optional<bool> DirectReads::decide(Session& session, const HitTest& test, std::uint32_t thread) {
    if (!is_trusted_) {
        return std::nullopt;
    }
    registers_ = thread_registers(*session.process().get(), thread);
    if (!registers_) {
        return std::nullopt;
    }
    const ThreadRegisters& registers = *registers_;
    const Site* site = find(registers.instruction_pointer());
    if (site == nullptr) {
        return std::nullopt;
    }
    View view(session, *site, registers);
    return test.holds(view);
}

bool DirectReads::is_to_be_checked() {
    ++hits_;
    return hits_ <= first_checks || hits_ % check_every == 0;
}

DirectReads::Site* DirectReads::find(std::uint64_t instruction_pointer) {
    const auto found = std::find_if(sites_.begin(), sites_.end(), [&](const Site& site) {
        return site.instruction_pointer == instruction_pointer;
    });
    return found == sites_.end() ? nullptr : &*found;
}

void DirectReads::learn(Session& session, ICorDebugFrame& frame, const std::vector<cds_value>& values) {
    if (!is_trusted_ || values.size() != reads_.size()) {
        return;
    }
    if (!registers_) {
        is_trusted_ = false;
        return;
    }
    const ThreadRegisters& registers = *registers_;
    Site* site = find(registers.instruction_pointer());
    if (site == nullptr) {
        if (sites_.size() >= most_sites) {
            return;
        }
        site = &sites_.emplace_back(Site{registers.instruction_pointer(), std::vector<Way>(reads_.size()), 0});
    }
    if (site->lessons++ >= most_lessons) {
        return;
    }
    const std::vector<Way> homes = homes_of(frame);
    for (std::uint32_t number = 0; number < reads_.size(); ++number) {
        learn_read(session, *site, registers, homes, values, number);
    }
}

void DirectReads::learn_read(Session& session, Site& site, const ThreadRegisters& registers,
                             const std::vector<Way>& homes, const std::vector<cds_value>& values,
                             std::uint32_t number) const {
    const cds_read& read = reads_[number];
    const cds_value& value = values[number];
    const std::uint64_t storage = storage_of(session, value);
    if (storage == 0) {
        return;
    }
    Way way = homes[number];
    if (way.kind == Way::Kind::at_register) {
        if (registers.values[way.base] + static_cast<std::uint64_t>(way.offset) != storage) {
            return;
        }
    } else if (read.kind == CDS_READ_FIELD && site.ways[read.parent].kind != Way::Kind::none) {
        const cds_value& parent = values[read.parent];
        const bool is_object = site.ways[read.parent].is_reference;
        const std::uint64_t start = is_object ? parent.address : storage_of(session, parent);
        const auto table = is_object ? read_memory<std::uint64_t>(session, start) : std::optional<std::uint64_t>(0);
        way.kind = is_object ? Way::Kind::in_object : Way::Kind::in_structure;
        way.base = read.parent;
        way.offset = static_cast<std::int64_t>(storage - start);
        if (start == 0 || !table || way.offset < 0 || way.offset > largest_object) {
            return;
        }
        way.method_table = *table;
    } else {
        return;
    }
    way.is_reference = is_reference(value);
    site.ways[number] = way;
}

// The homes in memory of the plan's arguments and locals, by the numbers of the reads.
std::vector<DirectReads::Way> DirectReads::homes_of(ICorDebugFrame& frame) const {
    std::vector<Way> ways(reads_.size());
    const auto native = query<ICorDebugNativeFrame>(&frame);
    ComPtr<ICorDebugCode> code;
    std::uint32_t at = 0;
    if (!native || failed(native->GetIP(&at)) || failed(native->GetCode(code.out())) || !code) {
        return ways;
    }
    const auto code4 = query<ICorDebugCode4>(code);
    ComPtr<ICorDebugVariableHomeEnum> homes;
    if (!code4 || failed(code4->EnumerateVariableHomes(homes.out())) || !homes) {
        return ways;
    }
    for (;;) {
        ComPtr<ICorDebugVariableHome> home;
        std::uint32_t count = 0;
        if (failed(homes->Next(1, home.out(), &count)) || count == 0 || !home) {
            return ways;
        }
        std::uint32_t begin = 0;
        std::uint32_t end = 0;
        std::uint32_t type = 0;
        Way way;
        way.kind = Way::Kind::at_register;
        std::int32_t offset = 0;
        if (failed(home->GetLiveRange(&begin, &end)) || at < begin || at >= end ||
            failed(home->GetLocationType(&type)) || type != register_relative || failed(home->GetRegister(&way.base)) ||
            way.base >= ThreadRegisters::count || failed(home->GetOffset(&offset))) {
            continue;
        }
        way.offset = offset;
        std::uint32_t index = 0;
        const bool is_local = !failed(home->GetSlotIndex(&index));
        if (!is_local && failed(home->GetArgumentIndex(&index))) {
            continue;
        }
        const std::uint32_t kind = is_local ? CDS_READ_LOCAL : CDS_READ_ARGUMENT;
        for (std::size_t number = 0; number < reads_.size(); ++number) {
            if (reads_[number].kind == kind && reads_[number].index == index) {
                ways[number] = way;
            }
        }
    }
}

}  // namespace cds
