/* Whether the threads of a process have had the processor: time alone says nothing on a machine that is busy. */
#ifndef CORDEBUG_SHIM_THREAD_TURNS_H
#define CORDEBUG_SHIM_THREAD_TURNS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { THREAD_TURNS_CAPACITY = 512 };

/* How long each thread had had the processor at some moment; of more threads than fit, only the first. */
struct thread_turns {
    size_t count;
    struct {
        pid_t thread;
        unsigned long long ran_ns;
    } turn[THREAD_TURNS_CAPACITY];
};

void thread_turns_note(pid_t pid, struct thread_turns *out_turns);

/*
 * Whether each of the threads that were noted has had the processor for a millisecond since, or does not want it now. True
 * where the system does not tell.
 */
bool thread_turns_were_had(pid_t pid, const struct thread_turns *turns);

#ifdef __cplusplus
}
#endif

#endif
