// Runs the tests whose names contain the argument, or all. The exit code is 0 when none fails.
#include <cstring>

#include "checks.h"

int main(int argc, char** argv) {
    int run = 0;
    for (const auto& test : cds::test::tests()) {
        if (argc > 1 && std::strstr(test.name, argv[1]) == nullptr) {
            continue;
        }
        const int before = cds::test::failures();
        test.run();
        ++run;
        std::printf("%s %s\n", cds::test::failures() == before ? "ok  " : "FAIL", test.name);
        std::fflush(stdout);
    }
    std::printf("%d tests, %d failures\n", run, cds::test::failures());
    return cds::test::failures() == 0 && run > 0 ? 0 : 1;
}
