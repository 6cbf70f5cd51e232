// Values of the held process: read in bulk into the caller's buffer, kept under handles until the process runs.
#pragma once

#include <atomic>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "cordebug/value.h"
#include "cordebug_shim.h"
#include "errors.h"

namespace cds {

class Session;

// An element of an array that is itself kept, by its flat position.
struct ArrayElement {
    std::uint64_t array = 0;  // its handle; 0: it is no element
    std::uint32_t position = 0;
};

// Writes values one after another into the caller's buffer.
class ValueWriter {
  public:
    // Throws CDS_E_BUFFER when `needed` values do not fit.
    ValueWriter(Session& session, cds_value_buffer* buffer, std::uint32_t needed);

    // A value as the runtime gave it, or the reason why it gave none.
    void add(HRESULT hr, const ComPtr<ICorDebugValue>& value);

    // An element of an array that refers to the object at an address; it is of the `declared` element type. False, and
    // nothing is written: the runtime has to be asked for it.
    bool add_object(std::uint64_t address, std::uint32_t declared, ArrayElement element);

    // Whether the elements of an array of value types differ from its first one, as it was written, in no more than
    // place, bytes and handle.
    static bool has_alike(const cds_value& first);
    // Such an element; `raw` has as many bytes as the first one's `raw_size`.
    void add_alike(const cds_value& first, std::uint64_t address, const std::uint8_t* raw, ArrayElement element);

    // The value that was written last.
    const cds_value& last() const { return buffer_.values[buffer_.count - 1]; }

    std::uint32_t text_used() const { return text_used_; }

  private:
    friend class ValueReader;
    Session& session_;
    cds_value_buffer& buffer_;
    std::uint32_t text_used_ = 0;
};

// CorDebugHandleType: a strong handle keeps the object alive, a weak one follows it until it is collected.
constexpr std::uint32_t handle_strong = 1;
constexpr std::uint32_t handle_weak = 2;

// The static field of a type; of pointers CORDBG_E_STATIC_VAR_NOT_AVAILABLE, whatever they hold.
HRESULT read_static_field(ICorDebugType& owner, std::uint32_t token, ICorDebugFrame* frame,
                          ComPtr<ICorDebugValue>& out_value);

// The object on the heap that a value refers to or is. Throws CDS_E_KIND where it is none.
ComPtr<ICorDebugHeapValue2> heap_object_of(ComPtr<ICorDebugValue> value);

struct KeptValue {
    ComPtr<ICorDebugValue> original;  // as the runtime gave it: a reference, a box, the value; empty: not asked yet
    ArrayElement element;             // how to ask for it
    ComPtr<ICorDebugValue> target;    // after following references and opening boxes; empty for null
    std::uint64_t long_string = 0;    // address of a string that is too long to be copied; the target is the reference
    std::uint32_t long_length = 0;    // its UTF-16 units
    std::uint64_t stores = 0;         // how often something had been stored when the target was found
    bool is_followed = true;          // false: the target is found when it is first asked for
};

// A string object: its method table, its length in UTF-16 units, the units.
constexpr std::uint64_t string_length_offset = sizeof(void*);

// Copies units of a string object from the memory of the held process; how many could be read.
std::uint32_t read_string_memory(Session& session, std::uint64_t address, std::uint32_t start, std::uint32_t count,
                                 std::uint16_t* text);

// Any thread. Places are not used twice in a generation: what was dropped too early is refused, not mistaken.
class Values {
  public:
    explicit Values(Session& session) : session_(session) {}

    std::uint64_t keep(KeptValue value);
    // Throws CDS_E_STALE for a handle of another generation, CDS_E_ARGUMENT for one that never was.
    KeptValue find(std::uint64_t handle);

    // The target's interface of that kind; throws CDS_E_KIND.
    template <typename Interface>
    ComPtr<Interface> as(std::uint64_t handle, const char* expected);

    // Something was stored in the process: the runtime's objects and arrays have copies of what was there.
    void stored();

    void clear();

    // The type of the objects with a method table, as it was read of one of them since the process was held last: by it
    // others are described without being looked into. 0 where none was.
    std::uint32_t type_of_table(std::uint64_t table);
    void learn_table(std::uint64_t table, std::uint32_t type);

    // The method table of String, by which a reference of type object is known to be one; 0 until one was seen.
    std::atomic<std::uint64_t> string_table{0};
    // The id of String; 0 until one was described.
    std::atomic<std::uint32_t> string_type{0};

  private:
    // Throws as `find`; under the lock.
    KeptValue& at(std::uint64_t handle);
    ComPtr<ICorDebugValue> element(ArrayElement element);

    // The low half of a handle is the place in `values_`, counted from 1, the high half the generation's low bits.
    static constexpr std::uint32_t generation_shift = 32;

    Session& session_;
    std::mutex mutex_;
    std::uint64_t generation_ = 0;
    std::uint64_t dropped_ = 0;  // places of this generation that are no more
    std::uint64_t stores_ = 0;
    std::vector<KeptValue> values_;
    std::unordered_map<std::uint64_t, std::uint32_t> types_of_tables_;
    std::uint64_t tables_generation_ = 0;
};

template <typename Interface>
ComPtr<Interface> Values::as(std::uint64_t handle, const char* expected) {
    auto found = query<Interface>(find(handle).target);
    if (!found) {
        throw Failure(CDS_E_KIND, std::string("The value is not ") + expected + ".");
    }
    return found;
}

}  // namespace cds
