// Exact types, each under one id.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <tuple>
#include <vector>

#include "cordebug/code.h"
#include "cordebug_shim.h"

namespace cds {

class Session;

// Any thread; used while the process is held, but for `module_unloaded`.
class Types {
  public:
    explicit Types(Session& session) : session_(session) {}

    // The id of an exact type; 0 for none and for types nested too deep.
    std::uint32_t intern(ICorDebugType* type);

    // Throws CDS_E_NOT_FOUND for ids unknown or gone.
    ComPtr<ICorDebugType> find(std::uint32_t id);
    // The element type of a value of that type: as the type itself has it, but a System.Int32 is an I4.
    std::uint32_t value_element_type(std::uint32_t id);
    // The class of a type with a TypeDef; throws CDS_E_KIND for others.
    ComPtr<ICorDebugClass> class_of(std::uint32_t id);

    // Arguments are appended to `out_arguments`.
    void describe(std::uint32_t id, cds_type& out_type, std::vector<std::uint32_t>& out_arguments);

    std::uint32_t create(std::uint32_t module, std::uint32_t token, const std::uint32_t* arguments,
                         std::uint32_t count);

    // The types of the module die before the next use.
    void module_unloaded(std::uint32_t module);

    void clear();

  private:
    // Element type, module, TypeDef, rank, arguments.
    using Key = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t, std::vector<std::uint32_t>>;

    struct Entry {
        ComPtr<ICorDebugType> type;
        ComPtr<ICorDebugClass> class_;
        Key key;
        std::optional<std::uint32_t> base;
    };

    std::uint32_t intern(ICorDebugType* type, int depth);
    Entry& entry(std::uint32_t id);
    void purge();

    Session& session_;
    mutable std::recursive_mutex mutex_;  // over all below; the runtime is called under it
    std::map<std::uint32_t, Entry> entries_;
    std::map<Key, std::uint32_t> ids_;
    // Short cut: mscordbi gives one object for one exact type most of the time. Each pointer here is kept alive.
    std::map<ICorDebugType*, std::pair<ComPtr<ICorDebugType>, std::uint32_t>> known_;
    std::uint32_t last_id_ = 0;
    std::mutex unloaded_mutex_;
    std::vector<std::uint32_t> unloaded_;
};

// All the elements of an ICorDebug enumeration that go through `Next`.
template <typename Element, typename Enum>
std::vector<ComPtr<Element>> all_of(Enum& list) {
    std::vector<ComPtr<Element>> result;
    for (;;) {
        ComPtr<Element> element;
        std::uint32_t fetched = 0;
        if (failed(list.Next(1, element.out(), &fetched)) || fetched == 0 || !element) {
            return result;
        }
        result.push_back(std::move(element));
    }
}

}  // namespace cds
