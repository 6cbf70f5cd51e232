#include "turn.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/file.h>

#include "clock.h"
#include "journal.h"

enum { TURN_TIMEOUT_MS = 12000, TURN_INTERVAL_MS = 5, PATH_CAPACITY = 64 };

void turn_take(pid_t pid) {
    char path[PATH_CAPACITY];
    (void)snprintf(path, sizeof path, "/proc/%d/environ", (int)pid);
    const int fd = open(path, O_RDONLY | O_CLOEXEC); /* closed, and with it the lock given up, at the end */
    if (fd < 0) {
        return; /* it has ended, or may not be looked at: then nobody of ours comes to it either */
    }
    const long long deadline_ms = now_ms() + TURN_TIMEOUT_MS;
    bool is_taken = flock(fd, LOCK_EX | LOCK_NB) == 0;
    if (!is_taken) {
        journal("another debugger or guardian is at the process");
    }
    while (!is_taken && now_ms() < deadline_ms) {
        sleep_ms(TURN_INTERVAL_MS);
        is_taken = flock(fd, LOCK_EX | LOCK_NB) == 0;
    }
    journal("has its turn: %d", is_taken);
}
