#include "hit_tests.h"

#include <cstring>
#include <limits>
#include <utility>

#include "cordebug/types.h"
#include "errors.h"

namespace cds {
namespace {

std::uint32_t size_of(std::uint32_t element_type) {
    switch (element_type) {
        case ELEMENT_TYPE_BOOLEAN:
        case ELEMENT_TYPE_I1:
        case ELEMENT_TYPE_U1:
            return 1;
        case ELEMENT_TYPE_CHAR:
        case ELEMENT_TYPE_I2:
        case ELEMENT_TYPE_U2:
            return 2;
        case ELEMENT_TYPE_I4:
        case ELEMENT_TYPE_U4:
        case ELEMENT_TYPE_R4:
            return 4;
        case ELEMENT_TYPE_I8:
        case ELEMENT_TYPE_U8:
        case ELEMENT_TYPE_R8:
            return 8;
        default:
            return 0;
    }
}

template <typename Type>
Type as(const std::uint8_t* bytes) {
    Type value{};
    std::memcpy(&value, bytes, sizeof value);
    return value;
}

std::optional<std::int64_t> integer_of(std::uint32_t element_type, const std::uint8_t* bytes) {
    switch (element_type) {
        case ELEMENT_TYPE_BOOLEAN:
            return as<std::uint8_t>(bytes) != 0 ? 1 : 0;
        case ELEMENT_TYPE_I1:
            return as<std::int8_t>(bytes);
        case ELEMENT_TYPE_U1:
            return as<std::uint8_t>(bytes);
        case ELEMENT_TYPE_I2:
            return as<std::int16_t>(bytes);
        case ELEMENT_TYPE_CHAR:
        case ELEMENT_TYPE_U2:
            return as<std::uint16_t>(bytes);
        case ELEMENT_TYPE_I4:
            return as<std::int32_t>(bytes);
        case ELEMENT_TYPE_U4:
            return as<std::uint32_t>(bytes);
        case ELEMENT_TYPE_I8:
            return as<std::int64_t>(bytes);
        case ELEMENT_TYPE_U8: {
            const auto wide = as<std::uint64_t>(bytes);
            constexpr auto most = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
            return wide <= most ? std::optional(static_cast<std::int64_t>(wide)) : std::nullopt;
        }
        default:
            return std::nullopt;
    }
}

template <typename Number>
bool is_related(std::uint32_t relation, Number left, Number right) {
    switch (relation) {
        case CDS_RELATION_EQUAL:
            return left == right;
        case CDS_RELATION_NOT_EQUAL:
            return left != right;
        case CDS_RELATION_LESS:
            return left < right;
        case CDS_RELATION_LESS_EQUAL:
            return left <= right;
        case CDS_RELATION_GREATER:
            return left > right;
        default:
            return left >= right;
    }
}

}  // namespace

const cds_value* EventView::find(std::uint32_t read) const {
    if (read >= values_.size() || (values_[read].flags & CDS_VALUE_MISSING) != 0) {
        return nullptr;
    }
    return &values_[read];
}

bool EventView::copy(std::uint32_t read, std::uint32_t size, std::uint8_t* bytes) {
    const cds_value* found = find(read);
    if (found == nullptr || (found->flags & CDS_VALUE_NULL) != 0 || found->raw_size != size || size > 8) {
        return false;
    }
    std::memcpy(bytes, found->raw, size);
    return true;
}

std::optional<bool> EventView::is_null(std::uint32_t read) {
    const cds_value* found = find(read);
    return found == nullptr ? std::nullopt : std::optional((found->flags & CDS_VALUE_NULL) != 0);
}

std::optional<bool> EventView::equals(std::uint32_t read, std::u16string_view text) {
    const cds_value* found = find(read);
    if (found == nullptr) {
        return std::nullopt;
    }
    if ((found->flags & CDS_VALUE_NULL) != 0) {
        return false;
    }
    if (found->element_type != ELEMENT_TYPE_STRING) {
        return std::nullopt;
    }
    if (found->length != text.size()) {
        return false;
    }
    if (found->text_length != text.size()) {
        return std::nullopt;
    }
    return text_.substr(found->text_offset, found->text_length) == text;
}

HitTest::HitTest(std::vector<cds_test> nodes, std::u16string text, std::size_t reads)
    : nodes_(std::move(nodes)), text_(std::move(text)) {
    bool is_sound = !nodes_.empty() && nodes_.size() <= CDS_MOST_TESTS;
    for (std::uint32_t number = 0; is_sound && number < nodes_.size(); ++number) {
        is_sound = this->is_sound(number, reads);
    }
    if (!is_sound) {
        throw Failure(CDS_E_ARGUMENT, "The test is too long, or a part of it comes after what needs it.");
    }
}

bool HitTest::is_sound(std::uint32_t number, std::size_t reads) const {
    const cds_test& node = nodes_[number];
    switch (node.kind) {
        case CDS_TEST_INTEGER:
        case CDS_TEST_REAL:
            return true;
        case CDS_TEST_READ:
            return node.left < reads && size_of(node.detail) != 0;
        case CDS_TEST_NULL:
            return node.left < reads;
        case CDS_TEST_TEXT:
            return node.left < reads && node.detail <= text_.size() && node.right <= text_.size() - node.detail;
        case CDS_TEST_NOT:
            return node.left < number;
        case CDS_TEST_COMPARE:
            return node.left < number && node.right < number && node.detail >= CDS_RELATION_EQUAL &&
                   node.detail <= CDS_RELATION_GREATER_EQUAL;
        case CDS_TEST_AND:
        case CDS_TEST_OR:
        case CDS_TEST_REMAINDER:
        case CDS_TEST_BITS:
            return node.left < number && node.right < number;
        default:
            return false;
    }
}

std::optional<bool> HitTest::holds(HitView& view) const {
    const Scalar result = value(static_cast<std::uint32_t>(nodes_.size() - 1), view);
    return result.kind == Scalar::Kind::truth ? std::optional(result.integer != 0) : std::nullopt;
}

HitTest::Scalar HitTest::truth(std::optional<bool> value) {
    return value ? Scalar{Scalar::Kind::truth, *value ? 1 : 0, 0} : Scalar{};
}

HitTest::Scalar HitTest::load(const cds_test& node, HitView& view) {
    std::uint8_t bytes[8] = {};
    if (!view.copy(node.left, size_of(node.detail), bytes)) {
        return {};
    }
    if (node.detail == ELEMENT_TYPE_R8) {
        return {Scalar::Kind::real, 0, as<double>(bytes)};
    }
    if (node.detail == ELEMENT_TYPE_R4) {
        return {Scalar::Kind::real, 0, static_cast<double>(as<float>(bytes))};
    }
    const auto integer = integer_of(node.detail, bytes);
    if (!integer) {
        return {};
    }
    return {node.detail == ELEMENT_TYPE_BOOLEAN ? Scalar::Kind::truth : Scalar::Kind::integer, *integer, 0};
}

HitTest::Scalar HitTest::compare(std::uint32_t relation, const Scalar& left, const Scalar& right) {
    if (left.kind == Scalar::Kind::none || right.kind == Scalar::Kind::none) {
        return {};
    }
    if (left.kind == Scalar::Kind::real || right.kind == Scalar::Kind::real) {
        const double first = left.kind == Scalar::Kind::real ? left.real : static_cast<double>(left.integer);
        const double second = right.kind == Scalar::Kind::real ? right.real : static_cast<double>(right.integer);
        return truth(is_related(relation, first, second));
    }
    return truth(is_related(relation, left.integer, right.integer));
}

HitTest::Scalar HitTest::compute(std::uint32_t operation, const Scalar& left, const Scalar& right) {
    if (left.kind != Scalar::Kind::integer || right.kind != Scalar::Kind::integer) {
        return {};
    }
    if (operation == CDS_TEST_BITS) {
        return {Scalar::Kind::integer, left.integer & right.integer, 0};
    }
    // By 0 and of the least number by -1 the program's own remainder throws.
    if (right.integer == 0 || right.integer == -1) {
        return {};
    }
    return {Scalar::Kind::integer, left.integer % right.integer, 0};
}

// `&&` and `||`: the right side counts only where the left one does not decide, as in the language.
HitTest::Scalar HitTest::both(const cds_test& node, HitView& view) const {
    const Scalar left = value(node.left, view);
    const bool deciding = node.kind == CDS_TEST_OR;
    if (left.kind != Scalar::Kind::truth || (left.integer != 0) == deciding) {
        return left.kind == Scalar::Kind::truth ? left : Scalar{};
    }
    return value(node.right, view);
}

HitTest::Scalar HitTest::value(std::uint32_t number, HitView& view) const {
    const cds_test& node = nodes_[number];
    switch (node.kind) {
        case CDS_TEST_INTEGER:
            return {Scalar::Kind::integer, node.integer, 0};
        case CDS_TEST_REAL:
            return {Scalar::Kind::real, 0, node.real};
        case CDS_TEST_READ:
            return load(node, view);
        case CDS_TEST_NULL:
            return truth(view.is_null(node.left));
        case CDS_TEST_TEXT:
            return truth(view.equals(node.left, std::u16string_view(text_).substr(node.detail, node.right)));
        case CDS_TEST_COMPARE:
            return compare(node.detail, value(node.left, view), value(node.right, view));
        case CDS_TEST_REMAINDER:
        case CDS_TEST_BITS:
            return compute(node.kind, value(node.left, view), value(node.right, view));
        case CDS_TEST_NOT: {
            const Scalar inner = value(node.left, view);
            return inner.kind == Scalar::Kind::truth ? truth(inner.integer == 0) : Scalar{};
        }
        default:
            return both(node, view);
    }
}

}  // namespace cds
