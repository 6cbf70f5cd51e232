#ifndef DAP_DOTNET_LAUNCHER_DEBUGGEE_H
#define DAP_DOTNET_LAUNCHER_DEBUGGEE_H

#include <stdbool.h>
#include <sys/types.h>

/* The forked debuggee. */
struct debuggee {
    pid_t pid;
    unsigned long long start_time;
    int gate_fd;   /* write end; one byte lets the child exec, end of file lets it exit. -1 once opened */
    int status_fd; /* read end; brings exec's errno as an int, or end of file when exec succeeded. -1 once read */
};

/*
 * Forks the debuggee; it waits at the gate. With `own_session` it gets a session, and so a process group, of its own.
 * Returns NULL, or the name of the step that failed (chdir, pipe, fork) with errno set.
 */
const char *debuggee_fork(struct debuggee *out_debuggee, const char *directory, char **command, bool own_session);

/* Lets the child exec. */
void debuggee_open_gate(struct debuggee *debuggee);

/* Once status_fd is readable: exec's errno, or 0 when it succeeded or the child died before it. */
int debuggee_exec_result(struct debuggee *debuggee);

/* Reaps the child if it has ended, or with `block` waits for that. Whether it was reaped. */
bool debuggee_reap(const struct debuggee *debuggee, bool block, int *out_status);

/* Reaps the copies of the child that have ended (copying.h). */
void debuggee_reap_copies(const struct debuggee *debuggee);

#endif
