// Hit tests by themselves: what they come to, and what they refuse.
#include <cstring>
#include <limits>
#include <map>

#include "checks.h"
#include "cordebug/types.h"
#include "errors.h"
#include "hit_tests.h"

namespace {

using namespace cds;

// Values that are known by number; all others are not.
class Known final : public HitView {
  public:
    template <typename Type>
    void set(std::uint32_t read, Type value) {
        auto& bytes = bytes_[read];
        bytes.resize(sizeof value);
        std::memcpy(bytes.data(), &value, sizeof value);
    }
    bool copy(std::uint32_t read, std::uint32_t size, std::uint8_t* bytes) override {
        const auto found = bytes_.find(read);
        if (found == bytes_.end() || found->second.size() != size) {
            return false;
        }
        std::memcpy(bytes, found->second.data(), size);
        return true;
    }
    std::optional<bool> is_null(std::uint32_t read) override {
        return bytes_.count(read) != 0 ? std::optional(false) : std::nullopt;
    }
    std::optional<bool> equals(std::uint32_t, std::u16string_view text) override { return text == u"word"; }

  private:
    std::map<std::uint32_t, std::vector<std::uint8_t>> bytes_;
};

cds_test read(std::uint32_t number, std::uint32_t type) { return {CDS_TEST_READ, number, 0, type, 0, 0}; }
cds_test integer(std::int64_t value) { return {CDS_TEST_INTEGER, 0, 0, 0, value, 0}; }
cds_test real(double value) { return {CDS_TEST_REAL, 0, 0, 0, 0, value}; }
cds_test compare(std::uint32_t relation, std::uint32_t left, std::uint32_t right) {
    return {CDS_TEST_COMPARE, left, right, relation, 0, 0};
}
cds_test node(std::uint32_t kind, std::uint32_t left, std::uint32_t right) { return {kind, left, right, 0, 0, 0}; }

std::optional<bool> holds(std::vector<cds_test> nodes, HitView& view) {
    return HitTest(std::move(nodes), u"word", 4).holds(view);
}

bool is_refused(std::vector<cds_test> nodes) {
    try {
        HitTest(std::move(nodes), u"word", 4);
        return false;
    } catch (const Failure&) {
        return true;
    }
}

TEST(integers_of_all_sizes_are_compared_by_what_they_are) {
    Known view;
    view.set<std::int8_t>(0, -1);
    view.set<std::uint8_t>(1, 255);
    CHECK(holds({read(0, ELEMENT_TYPE_I1), read(1, ELEMENT_TYPE_U1), compare(CDS_RELATION_LESS, 0, 1)}, view) == true);
    view.set<std::int32_t>(0, -1);
    view.set<std::uint32_t>(1, 0xffffffffU);
    CHECK(holds({read(0, ELEMENT_TYPE_I4), read(1, ELEMENT_TYPE_U4), compare(CDS_RELATION_EQUAL, 0, 1)}, view) == false);
    view.set<std::int64_t>(0, std::numeric_limits<std::int64_t>::min());
    CHECK(holds({read(0, ELEMENT_TYPE_I8), integer(0), compare(CDS_RELATION_GREATER_EQUAL, 0, 1)}, view) == false);
    view.set<std::uint64_t>(0, std::numeric_limits<std::uint64_t>::max());
    CHECK(!holds({read(0, ELEMENT_TYPE_U8), integer(-1), compare(CDS_RELATION_EQUAL, 0, 1)}, view));
}

TEST(no_number_equals_what_is_not_a_number) {
    Known view;
    view.set<double>(0, std::numeric_limits<double>::quiet_NaN());
    const cds_test value = read(0, ELEMENT_TYPE_R8);
    CHECK(holds({value, value, compare(CDS_RELATION_EQUAL, 0, 1)}, view) == false);
    CHECK(holds({value, value, compare(CDS_RELATION_NOT_EQUAL, 0, 1)}, view) == true);
    CHECK(holds({value, real(1), compare(CDS_RELATION_LESS_EQUAL, 0, 1)}, view) == false);
    view.set<float>(0, 0.1F);
    CHECK(holds({read(0, ELEMENT_TYPE_R4), real(0.1), compare(CDS_RELATION_GREATER, 0, 1)}, view) == true);
}

TEST(what_is_not_known_decides_nothing_but_where_it_is_not_asked) {
    Known view;
    view.set<std::uint8_t>(0, 1);
    const cds_test yes = read(0, ELEMENT_TYPE_BOOLEAN);
    const cds_test unknown = read(3, ELEMENT_TYPE_BOOLEAN);
    CHECK(!holds({unknown}, view));
    CHECK(!holds({yes, unknown, node(CDS_TEST_AND, 0, 1)}, view));
    CHECK(!holds({unknown, yes, node(CDS_TEST_OR, 0, 1)}, view));
    CHECK(holds({yes, unknown, node(CDS_TEST_OR, 0, 1)}, view) == true);
    CHECK(holds({yes, node(CDS_TEST_NOT, 0, 0), unknown, node(CDS_TEST_AND, 1, 2)}, view) == false);
    CHECK(!holds({unknown, node(CDS_TEST_NOT, 0, 0)}, view));
    CHECK(!holds({integer(1)}, view));
}

TEST(remainders_are_of_the_sign_of_the_number_and_never_by_zero) {
    Known view;
    view.set<std::int32_t>(0, -7);
    const cds_test value = read(0, ELEMENT_TYPE_I4);
    const auto remainder_is = [&](std::int64_t by, std::int64_t expected) {
        return holds({value, integer(by), node(CDS_TEST_REMAINDER, 0, 1), integer(expected),
                      compare(CDS_RELATION_EQUAL, 2, 3)},
                     view);
    };
    CHECK(remainder_is(3, -1) == true);
    CHECK(remainder_is(-3, -1) == true);
    CHECK(!remainder_is(0, 0));
    CHECK(!remainder_is(-1, 0));
    CHECK(holds({value, integer(1), node(CDS_TEST_BITS, 0, 1), integer(1), compare(CDS_RELATION_EQUAL, 2, 3)}, view) ==
          true);
}

TEST(values_of_an_event_are_looked_at_as_they_are) {
    std::vector<cds_value> values(4);
    values[0].raw_size = 4;
    values[0].raw[0] = 7;
    values[1].flags = CDS_VALUE_MISSING;
    values[2].element_type = ELEMENT_TYPE_STRING;
    values[2].length = 4;
    values[2].text_length = 4;
    values[2].text_offset = 1;
    values[3].flags = CDS_VALUE_NULL;
    EventView view(values, u"-word");
    CHECK(holds({read(0, ELEMENT_TYPE_I4), integer(7), compare(CDS_RELATION_EQUAL, 0, 1)}, view) == true);
    CHECK(!holds({read(0, ELEMENT_TYPE_I8), integer(7), compare(CDS_RELATION_EQUAL, 0, 1)}, view));
    CHECK(!holds({read(1, ELEMENT_TYPE_I4), integer(7), compare(CDS_RELATION_EQUAL, 0, 1)}, view));
    CHECK(holds({node(CDS_TEST_TEXT, 2, 4)}, view) == true);
    CHECK(holds({node(CDS_TEST_TEXT, 2, 3)}, view) == false);
    CHECK(holds({node(CDS_TEST_TEXT, 3, 4)}, view) == false);
    CHECK(!holds({node(CDS_TEST_TEXT, 0, 4)}, view));
    CHECK(holds({node(CDS_TEST_NULL, 3, 0)}, view) == true);
    CHECK(!holds({node(CDS_TEST_NULL, 1, 0)}, view));
    values[2].text_length = 2;
    CHECK(!holds({node(CDS_TEST_TEXT, 2, 4)}, view));
}

TEST(tests_that_make_no_sense_are_refused) {
    CHECK(is_refused({}));
    CHECK(is_refused({node(CDS_TEST_NOT, 0, 0)}));
    CHECK(is_refused({integer(1), compare(CDS_RELATION_EQUAL, 0, 1)}));
    CHECK(is_refused({integer(1), compare(7, 0, 0)}));
    CHECK(is_refused({read(4, ELEMENT_TYPE_I4)}));
    CHECK(is_refused({read(0, ELEMENT_TYPE_CLASS)}));
    CHECK(is_refused({node(CDS_TEST_TEXT, 0, 5)}));
    CHECK(is_refused({{CDS_TEST_TEXT, 0, 1, 4, 0, 0}}));
    CHECK(is_refused({node(99, 0, 0)}));
    CHECK(is_refused(std::vector<cds_test>(CDS_MOST_TESTS + 1, integer(1))));
}

}  // namespace
