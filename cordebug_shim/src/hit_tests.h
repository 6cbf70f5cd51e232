// Hit tests: the conditions that the callback's own thread can decide. What is not known there is never decided.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cordebug_shim.h"

namespace cds {

// What a test looks at: the reads of a plan at one hit, by number. Nothing for what is not known.
class HitView {
  public:
    HitView() = default;
    HitView(const HitView&) = delete;
    HitView& operator=(const HitView&) = delete;
    virtual ~HitView() = default;

    // Copies a primitive value of `size` bytes, at most 8; false when it is not one of that size.
    virtual bool copy(std::uint32_t read, std::uint32_t size, std::uint8_t* bytes) = 0;
    virtual std::optional<bool> is_null(std::uint32_t read) = 0;
    // Of a string; null equals no text.
    virtual std::optional<bool> equals(std::uint32_t read, std::u16string_view text) = 0;
};

// The values that a plan has brought into an event.
class EventView final : public HitView {
  public:
    EventView(const std::vector<cds_value>& values, std::u16string_view text) : values_(values), text_(text) {}
    bool copy(std::uint32_t read, std::uint32_t size, std::uint8_t* bytes) override;
    std::optional<bool> is_null(std::uint32_t read) override;
    std::optional<bool> equals(std::uint32_t read, std::u16string_view text) override;

  private:
    const cds_value* find(std::uint32_t read) const;

    const std::vector<cds_value>& values_;
    std::u16string_view text_;
};

// Immutable. Any thread.
class HitTest {
  public:
    // Throws CDS_E_ARGUMENT for nodes that cannot be a test of a plan with `reads` reads.
    HitTest(std::vector<cds_test> nodes, std::u16string text, std::size_t reads);

    // Whether the condition holds; nothing where what it needs is not known.
    std::optional<bool> holds(HitView& view) const;

  private:
    struct Scalar {
        enum class Kind { none, truth, integer, real } kind = Kind::none;
        std::int64_t integer = 0;  // of a truth 0 or 1
        double real = 0;
    };

    static Scalar truth(std::optional<bool> value);
    static Scalar load(const cds_test& node, HitView& view);
    static Scalar compare(std::uint32_t relation, const Scalar& left, const Scalar& right);
    static Scalar compute(std::uint32_t operation, const Scalar& left, const Scalar& right);
    Scalar value(std::uint32_t number, HitView& view) const;
    Scalar both(const cds_test& node, HitView& view) const;
    bool is_sound(std::uint32_t number, std::size_t reads) const;

    std::vector<cds_test> nodes_;
    std::u16string text_;
};

}  // namespace cds
