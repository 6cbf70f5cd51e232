/* Threads of another process, held for a moment by ptrace, and system calls made in their place. x86-64. */
#ifndef DAP_DOTNET_LAUNCHER_TRACING_H
#define DAP_DOTNET_LAUNCHER_TRACING_H

#include <stdbool.h>
#include <sys/types.h>

/* A register file as ptrace has it: struct user_regs_struct. */
enum { TRACING_REGISTERS_SIZE = 27 * 8, TRACING_ARGUMENTS = 5 };

struct held_thread {
    pid_t id;
    unsigned char registers[TRACING_REGISTERS_SIZE]; /* as it was when it was held */
};

/* A new child of a thread that makes one is held, too. */
struct injected_call {
    long number;
    unsigned long arguments[TRACING_ARGUMENTS];
    long result; /* set: as the kernel gives it, an errno negative */
    pid_t child; /* set: 0 for none */
};

/*
 * Holds a thread. Returns 0 or an errno: ESRCH for one that has ended, EPERM where that is not allowed or another tracer
 * has it, ETIMEDOUT for one that cannot be stopped in `timeout_ms`, and is to be released later.
 */
int tracing_hold(pid_t thread, int timeout_ms, struct held_thread *out_held);

/* Whether it waits in a system call, so that another can be made in its place. */
bool tracing_can_call(const struct held_thread *held);

/*
 * Makes system calls in the place of the one that the thread waits in, with its signals blocked, until one fails to be made;
 * what it waits in goes on afterwards. Returns 0 or an errno.
 */
int tracing_call(const struct held_thread *held, struct injected_call *calls, int count);

/* Lets a held thread go on. */
void tracing_release(const struct held_thread *held);

/* Lets one go on that could not be stopped in time, if it has stopped meanwhile; whether it goes on, or has ended. */
bool tracing_release_late(pid_t thread);

/*
 * Takes a process that tracing_call has made: waits until it stands, has the kernel kill it with us, makes `calls` in it,
 * and leaves it standing. Returns 0 or an errno.
 */
int tracing_keep_child(pid_t child, struct injected_call *calls, int count);

/* Kills a process that is kept, and waits for it. */
void tracing_kill_child(pid_t child);

/* Whether one that is kept has ended. */
bool tracing_child_has_ended(pid_t child);

#endif
