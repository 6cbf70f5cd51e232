// The least that a test needs: named tests, checks that say where they failed, waiting with a deadline.
#pragma once

#include <chrono>
#include <cstdio>
#include <functional>
#include <thread>
#include <vector>

namespace cds::test {

struct Test {
    const char* name;
    void (*run)();
};

inline std::vector<Test>& tests() {
    static std::vector<Test> all;
    return all;
}

inline int& failures() {
    static int count = 0;
    return count;
}

inline void check(bool is_true, const char* text, const char* file, int line) {
    if (!is_true) {
        std::fprintf(stderr, "%s:%d: not true: %s\n", file, line, text);
        ++failures();
    }
}

// Whether a condition comes true within five seconds.
inline bool becomes(const std::function<bool()>& condition) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(5);
    while (!condition()) {
        if (std::chrono::steady_clock::now() > deadline) {
            return false;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return true;
}

}  // namespace cds::test

#define CHECK(condition) cds::test::check((condition), #condition, __FILE__, __LINE__)
#define TEST(name)                                                                           \
    static void name();                                                                      \
    static const bool name##_is_known = (cds::test::tests().push_back({#name, name}), true); \
    static void name()
