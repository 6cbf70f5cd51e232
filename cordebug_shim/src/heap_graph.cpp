// What an object keeps alive: the objects that no root reaches without it.
#include <algorithm>
#include <unordered_map>

#include "errors.h"
#include "heap.h"

namespace cds {
namespace {

// 10 million objects with three references each take some 300 MB while they are looked at.
constexpr std::size_t most_objects = 10'000'000;

class Graph {
  public:
    explicit Graph(Heap& heap) {
        heap.each_object([&](const CorHeapObject& object) {
            if (nodes_.size() == most_objects) {
                throw Failure(CDS_E_RUNTIME, "The heap has more than 10,000,000 objects: that is too many to follow.");
            }
            nodes_.push_back(object);
        });
        std::sort(nodes_.begin(), nodes_.end(),
                  [](const CorHeapObject& left, const CorHeapObject& right) { return left.address < right.address; });
        starts_.reserve(nodes_.size() + 1);
        for (const CorHeapObject& object : nodes_) {
            starts_.push_back(edges_.size());
            heap.each_reference(object, [&](std::uint64_t, std::uint64_t target) {
                const std::size_t node = find(target);
                if (node != none) {
                    edges_.push_back(static_cast<std::uint32_t>(node));
                }
            });
        }
        starts_.push_back(edges_.size());
        reached_.resize(nodes_.size(), false);
    }

    static constexpr std::size_t none = ~std::size_t{0};

    // The object that an address is in.
    std::size_t find(std::uint64_t address) const {
        const auto is_before = [](std::uint64_t value, const CorHeapObject& node) { return value < node.address; };
        auto after = std::upper_bound(nodes_.begin(), nodes_.end(), address, is_before);
        if (after == nodes_.begin()) {
            return none;
        }
        --after;
        return address < after->address + after->size ? static_cast<std::size_t>(after - nodes_.begin()) : none;
    }

    // Marks what is reached from a node; its own bytes and those of what it reaches anew are added up.
    void reach(std::size_t node, Retained& total) {
        if (reached_[node]) {
            return;
        }
        reached_[node] = true;
        std::vector<std::size_t> pending{node};
        while (!pending.empty()) {
            const std::size_t next = pending.back();
            pending.pop_back();
            total.bytes += nodes_[next].size;
            ++total.objects;
            for (std::size_t i = starts_[next]; i < starts_[next + 1]; ++i) {
                if (!reached_[edges_[i]]) {
                    reached_[edges_[i]] = true;
                    pending.push_back(edges_[i]);
                }
            }
            for (auto [found, end] = dependent_.equal_range(next); found != end; ++found) {
                if (!reached_[found->second]) {
                    reached_[found->second] = true;
                    pending.push_back(found->second);
                }
            }
        }
    }

    // From each object in a range of addresses.
    void reach_all(std::uint64_t start, std::uint64_t end, Retained& total) {
        const auto is_before = [](const CorHeapObject& node, std::uint64_t value) { return node.address < value; };
        const auto first = std::lower_bound(nodes_.begin(), nodes_.end(), start, is_before);
        for (auto node = first; node != nodes_.end() && node->address < end; ++node) {
            reach(static_cast<std::size_t>(node - nodes_.begin()), total);
        }
    }

    void add_dependent(std::size_t key, std::size_t value) { dependent_.emplace(key, value); }
    void block(std::size_t node) { reached_[node] = true; }
    void unblock(std::size_t node) { reached_[node] = false; }
    const CorHeapObject& node(std::size_t number) const { return nodes_[number]; }

  private:
    std::vector<CorHeapObject> nodes_;
    std::vector<std::size_t> starts_;
    std::vector<std::uint32_t> edges_;
    std::vector<bool> reached_;
    std::unordered_multimap<std::size_t, std::size_t> dependent_;
};

}  // namespace

Retained retained_by(Heap& heap, std::uint64_t address) {
    Graph graph(heap);
    const std::size_t target = graph.find(address);
    if (target == Graph::none) {
        throw Failure(CDS_E_NOT_FOUND, "The object is not among those that the runtime enumerates.");
    }
    bool is_complete = false;
    const std::vector<Root> roots = heap.roots(is_complete);
    if (!is_complete) {
        throw Failure(CDS_E_RUNTIME,
                      "The runtime cannot tell all that the threads' stacks refer to: what an object keeps alive alone "
                      "is not known here.");
    }
    for (const Root& root : roots) {
        if (root.kind == CDS_HEAP_DEPENDENT_HANDLE) {
            const std::size_t key = graph.find(root.object);
            const std::size_t value = graph.find(root.dependent);
            if (key != Graph::none && value != Graph::none) {
                graph.add_dependent(key, value);
            }
        }
    }
    Retained others{};
    graph.block(target);
    for (const CorSegment& segment : heap.frozen_segments()) {
        graph.reach_all(segment.start, segment.end, others);
    }
    for (const Root& root : roots) {
        const std::size_t node = root.kind != CDS_HEAP_DEPENDENT_HANDLE ? graph.find(root.object) : Graph::none;
        if (node != Graph::none) {
            graph.reach(node, others);
        }
    }
    graph.unblock(target);
    Retained found{};
    graph.reach(target, found);
    found.own_bytes = graph.node(target).size;
    return found;
}

}  // namespace cds
