/* Milliseconds of a clock that nobody sets. */
#ifndef DAP_DOTNET_LAUNCHER_CLOCK_H
#define DAP_DOTNET_LAUNCHER_CLOCK_H

#include <time.h>

static inline long long now_ms(void) {
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return ((long long)now.tv_sec * 1000) + (now.tv_nsec / 1000000);
}

/* 0 once it is past. */
static inline int left_until(long long time_ms) {
    const long long left = time_ms - now_ms();
    return left > 0 ? (int)left : 0;
}

static inline void sleep_ms(int duration_ms) {
    struct timespec duration = {.tv_sec = duration_ms / 1000, .tv_nsec = (duration_ms % 1000) * 1000000L};
    (void)nanosleep(&duration, NULL);
}

#endif
