/*
 * For LD_PRELOAD: every new thread, once it has reported to its creator that it lives, computes for SLOW_THREADS_MS before it
 * goes on. That is what a machine does that has no processor for it; what a runtime then loses shows in seconds.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

struct start {
    void *(*routine)(void *);
    void *argument;
};

static __thread enum { OLD, NEW, HAS_REPORTED } stage = OLD;

static void compute(long milliseconds) {
    struct timespec begin, now;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    do {
        clock_gettime(CLOCK_MONOTONIC, &now);
    } while ((now.tv_sec - begin.tv_sec) * 1000 + (now.tv_nsec - begin.tv_nsec) / 1000000 < milliseconds);
}

static void *run(void *given) {
    struct start start = *(struct start *)given;
    free(given);
    stage = NEW;
    return start.routine(start.argument);
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*routine)(void *), void *argument) {
    int (*next)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *) = dlsym(RTLD_NEXT, "pthread_create");
    struct start *start = malloc(sizeof *start);
    start->routine = routine;
    start->argument = argument;
    return next(thread, attributes, run, start);
}

int pthread_cond_signal(pthread_cond_t *condition) {
    /* Another one of that name, for programs from before 2002, would be found without the version. */
    int (*next)(pthread_cond_t *) = dlvsym(RTLD_NEXT, "pthread_cond_signal", "GLIBC_2.3.2");
    if (next == NULL)
        next = dlsym(RTLD_NEXT, "pthread_cond_signal");
    if (stage == NEW)
        stage = HAS_REPORTED;
    return next(condition);
}

int pthread_mutex_unlock(pthread_mutex_t *mutex) {
    static int (*next)(pthread_mutex_t *);
    if (next == NULL)
        next = dlsym(RTLD_NEXT, "pthread_mutex_unlock");
    int result = next(mutex);
    if (stage == HAS_REPORTED) {
        const char *time = getenv("SLOW_THREADS_MS");
        stage = OLD;
        if (time != NULL)
            compute(strtol(time, NULL, 10));
    }
    return result;
}
