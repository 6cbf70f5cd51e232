// Objects of the runtime under ids of the session, found by id and by COM identity.
#pragma once

#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "cordebug/com.h"

namespace cds {

// Any thread. No call into the runtime is made under the lock but AddRef.
template <typename T>
class ObjectTable {
  public:
    // `owner` is the id of the module that takes the object along when it unloads; 0 for none.
    std::uint32_t add(const ComPtr<T>& object, std::uint32_t owner = 0) {
        const void* identity = identity_of(object.get());
        const std::lock_guard lock(mutex_);
        const std::uint32_t id = ++last_id_;
        entries_.emplace(id, Entry{object, identity, owner});
        ids_[identity] = id;
        return id;
    }

    // 0 for an object that is not in the table.
    std::uint32_t id_of(IUnknown* object) const {
        const void* identity = identity_of(object);
        const std::lock_guard lock(mutex_);
        const auto found = ids_.find(identity);
        return found == ids_.end() ? 0 : found->second;
    }

    // Empty for an unknown id.
    ComPtr<T> find(std::uint32_t id) const {
        const std::lock_guard lock(mutex_);
        const auto found = entries_.find(id);
        return found == entries_.end() ? ComPtr<T>() : found->second.object;
    }

    ComPtr<T> take(std::uint32_t id) {
        const std::lock_guard lock(mutex_);
        const auto found = entries_.find(id);
        if (found == entries_.end()) {
            return {};
        }
        ComPtr<T> object = std::move(found->second.object);
        forget_identity(found->second.identity, id);
        entries_.erase(found);
        return object;
    }

    std::vector<ComPtr<T>> take_owned(std::uint32_t owner) {
        return take_where([owner](const Entry& entry) { return entry.owner == owner; });
    }

    std::vector<ComPtr<T>> take_all() {
        return take_where([](const Entry&) { return true; });
    }

  private:
    struct Entry {
        ComPtr<T> object;
        const void* identity;
        std::uint32_t owner;
    };

    void forget_identity(const void* identity, std::uint32_t id) {
        const auto found = ids_.find(identity);
        if (found != ids_.end() && found->second == id) {
            ids_.erase(found);
        }
    }

    template <typename Condition>
    std::vector<ComPtr<T>> take_where(Condition condition) {
        std::vector<ComPtr<T>> taken;
        const std::lock_guard lock(mutex_);
        for (auto entry = entries_.begin(); entry != entries_.end();) {
            if (condition(entry->second)) {
                taken.push_back(std::move(entry->second.object));
                forget_identity(entry->second.identity, entry->first);
                entry = entries_.erase(entry);
            } else {
                ++entry;
            }
        }
        return taken;
    }

    mutable std::mutex mutex_;
    std::map<std::uint32_t, Entry> entries_;
    std::map<const void*, std::uint32_t> ids_;
    std::uint32_t last_id_ = 0;
};

}  // namespace cds
