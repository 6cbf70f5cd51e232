#include "types.h"

#include <algorithm>

#include "errors.h"
#include "session.h"
#include "value_types.h"

namespace cds {
namespace {

// Far beyond what a compiler makes; keeps a damaged process from exhausting the stack.
constexpr int deepest_nesting = 64;

bool has_class(std::uint32_t element_type) {
    switch (element_type) {
        case ELEMENT_TYPE_CLASS:
        case ELEMENT_TYPE_VALUETYPE:
        case ELEMENT_TYPE_STRING:
        case ELEMENT_TYPE_OBJECT:
            return true;
        default:
            return false;
    }
}

}  // namespace

std::uint32_t Types::intern(ICorDebugType* type) {
    const std::lock_guard lock(mutex_);
    purge();
    return type != nullptr ? intern(type, 0) : 0;
}

std::uint32_t Types::intern(ICorDebugType* type, int depth) {
    if (const auto known = known_.find(type); known != known_.end()) {
        return known->second.second;
    }
    std::uint32_t element_type = 0;
    if (depth > deepest_nesting || failed(type->GetType(&element_type))) {
        return 0;
    }
    Entry entry{ComPtr<ICorDebugType>(type), {}, {}, std::nullopt};
    std::uint32_t module = 0;
    std::uint32_t token = 0;
    if (has_class(element_type) && !failed(type->GetClass(entry.class_.out())) && entry.class_) {
        ComPtr<ICorDebugModule> found;
        entry.class_->GetToken(&token);
        if (!failed(entry.class_->GetModule(found.out()))) {
            module = session_.modules.id_of(found.get());
        }
    }
    std::uint32_t rank = 0;
    if (element_type == ELEMENT_TYPE_ARRAY || element_type == ELEMENT_TYPE_SZARRAY) {
        type->GetRank(&rank);
    }
    std::vector<std::uint32_t> arguments;
    ComPtr<ICorDebugTypeEnum> parameters;
    if (!failed(type->EnumerateTypeParameters(parameters.out())) && parameters) {
        for (const auto& parameter : all_of<ICorDebugType>(*parameters.get())) {
            arguments.push_back(intern(parameter.get(), depth + 1));
        }
    }
    entry.key = Key(element_type, module, token, rank, std::move(arguments));
    const auto [place, is_new] = ids_.emplace(entry.key, last_id_ + 1);
    const std::uint32_t id = place->second;
    if (is_new) {
        ++last_id_;
        entries_.emplace(id, std::move(entry));
    }
    known_.emplace(type, std::pair(ComPtr<ICorDebugType>(type), id));
    return id;
}

Types::Entry& Types::entry(std::uint32_t id) {
    purge();
    const auto found = entries_.find(id);
    if (found == entries_.end()) {
        throw Failure(CDS_E_NOT_FOUND, "The type is unknown, or its module was unloaded.");
    }
    return found->second;
}

ComPtr<ICorDebugType> Types::find(std::uint32_t id) {
    const std::lock_guard lock(mutex_);
    return entry(id).type;
}

std::uint32_t Types::value_element_type(std::uint32_t id) {
    const std::lock_guard lock(mutex_);
    const auto& [element_type, module, token, rank, arguments] = entry(id).key;
    if (element_type != ELEMENT_TYPE_VALUETYPE) {
        return element_type;
    }
    const std::uint32_t primitive = session_.primitives.element_type_of(module, token);
    return primitive != 0 ? primitive : element_type;
}

ComPtr<ICorDebugClass> Types::class_of(std::uint32_t id) {
    const std::lock_guard lock(mutex_);
    Entry& found = entry(id);
    if (!found.class_) {
        throw Failure(CDS_E_KIND, "The type has no fields of its own.");
    }
    return found.class_;
}

void Types::describe(std::uint32_t id, cds_type& out_type, std::vector<std::uint32_t>& out_arguments) {
    const std::lock_guard lock(mutex_);
    Entry& found = entry(id);
    if (!found.base) {
        ComPtr<ICorDebugType> base;
        // Refused for interfaces, primitives and the like: they have none.
        const bool has_base = !failed(found.type->GetBase(base.out())) && base;
        found.base = has_base ? intern(base.get(), 0) : 0;
    }
    const auto& [element_type, module, token, rank, arguments] = found.key;
    out_type = cds_type{sizeof(cds_type), element_type, module, token, *found.base, rank};
    out_arguments.insert(out_arguments.end(), arguments.begin(), arguments.end());
}

std::uint32_t Types::create(std::uint32_t module, std::uint32_t token, const std::uint32_t* arguments,
                            std::uint32_t count) {
    const std::lock_guard lock(mutex_);
    ComPtr<ICorDebugClass> class_;
    const auto of_module = session_.module(module);
    require(of_module->GetClassFromToken(token, class_.out()), "GetClassFromToken");
    const auto class2 = query<ICorDebugClass2>(class_);
    if (!class2) {
        fail_runtime(E_NOINTERFACE, "ICorDebugClass2");
    }
    std::vector<ComPtr<ICorDebugType>> kept;
    std::vector<ICorDebugType*> pointers;
    for (std::uint32_t i = 0; i < count; ++i) {
        kept.push_back(find(arguments[i]));
        pointers.push_back(kept.back().get());
    }
    // The runtime refuses the wrong one of the two only for types that it has loaded. Of others it would take an enum
    // for a class, and for all who ask later.
    const bool is_value = is_value_type(*of_module.get(), token);
    const std::uint32_t likely = is_value ? ELEMENT_TYPE_VALUETYPE : ELEMENT_TYPE_CLASS;
    const std::uint32_t other = is_value ? ELEMENT_TYPE_CLASS : ELEMENT_TYPE_VALUETYPE;
    ComPtr<ICorDebugType> type;
    HRESULT hr = class2->GetParameterizedType(likely, count, pointers.data(), type.out());
    if (failed(hr)) {
        hr = class2->GetParameterizedType(other, count, pointers.data(), type.out());
    }
    require(hr, "GetParameterizedType");
    return intern(type.get());
}

void Types::module_unloaded(std::uint32_t module) {
    const std::lock_guard lock(unloaded_mutex_);
    unloaded_.push_back(module);
}

void Types::purge() {
    std::vector<std::uint32_t> modules;
    {
        const std::lock_guard lock(unloaded_mutex_);
        modules.swap(unloaded_);
    }
    if (modules.empty()) {
        return;
    }
    // Ids grow from arguments to what is made of them, so that one pass in order finds all.
    for (auto entry = entries_.begin(); entry != entries_.end();) {
        const auto& [element_type, module, token, rank, arguments] = entry->second.key;
        const bool dies = std::find(modules.begin(), modules.end(), module) != modules.end() ||
                          std::any_of(arguments.begin(), arguments.end(), [this](std::uint32_t argument) {
                              return argument != 0 && entries_.count(argument) == 0;
                          });
        if (dies) {
            ids_.erase(entry->second.key);
            entry = entries_.erase(entry);
        } else {
            ++entry;
        }
    }
    for (auto known = known_.begin(); known != known_.end();) {
        known = entries_.count(known->second.second) == 0 ? known_.erase(known) : std::next(known);
    }
}

void Types::clear() {
    const std::lock_guard lock(mutex_);
    known_.clear();
    ids_.clear();
    entries_.clear();
}

}  // namespace cds

int32_t cds_type_describe(cds_session* session, uint32_t type, uint32_t* arguments, uint32_t capacity,
                          uint32_t* out_count, cds_type* out_type) {
    return cds::guarded([&] {
        auto& needed = cds::require_output(out_count);
        auto& described = cds::require_sized(out_type);
        auto& target = cds::session_of(session);
        target.require_alive();
        std::vector<std::uint32_t> found;
        cds_type description{};
        target.types.describe(type, description, found);
        cds::copy_out(found, arguments, capacity, needed);
        described = description;
    });
}

int32_t cds_type_create(cds_session* session, uint32_t module, uint32_t token, const uint32_t* arguments,
                        uint32_t count, uint32_t* out_type) {
    return cds::guarded([&] {
        auto& made = cds::require_output(out_type);
        auto& target = cds::session_of(session);
        target.require_held();
        made = target.types.create(module, token, arguments, count);
    });
}
