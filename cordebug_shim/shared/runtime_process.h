/*
 * A .NET process as it shows from outside: when it began, whose it is, and the names by which its runtime and a
 * debugger meet. The shim and the launcher both ask here; nobody else computes them.
 *
 * The names are those of the runtime's platform layer: the semaphores /clrstPPPPPPPPTTTTTTTTTTTTTTTT (the runtime has
 * started) and /clrco… (the debugger says continue) with process id and start time in hexadecimal, and in the process's
 * TMPDIR the debugger's pipes clr-debug-pipe-PID-START-in and -out, as the runtime sees them, and the diagnostics
 * socket dotnet-diagnostic-PID-START-socket, in decimal.
 */
#ifndef CORDEBUG_SHIM_RUNTIME_PROCESS_H
#define CORDEBUG_SHIM_RUNTIME_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

#define RUNTIME_SEMAPHORE_STARTED "st"
#define RUNTIME_SEMAPHORE_CONTINUE "co"
#define RUNTIME_PIPE "clr-debug-pipe"
#define RUNTIME_SOCKET "dotnet-diagnostic"

enum { RUNTIME_SEMAPHORE_CAPACITY = 40 };

/* Field 22 of /proc/PID/stat, in clock ticks since boot; exec does not change it. 0 with errno when it cannot be read.
 */
unsigned long long runtime_process_start_time(pid_t pid);

/* Whether there is no such process, or only what its parent has yet to wait for; it keeps its start time until then. */
bool runtime_process_has_ended(pid_t pid);

/* The effective user id. False with errno when it cannot be read. */
bool runtime_process_owner(pid_t pid, uid_t *out_owner);

/* The id by which the process knows itself, which in a container is another one; `pid` where it cannot be read. */
pid_t runtime_process_own_id(pid_t pid);

/* Of the kind RUNTIME_SEMAPHORE_..., into RUNTIME_SEMAPHORE_CAPACITY bytes. */
void runtime_semaphore_name(char *out_name, const char *kind, pid_t pid, unsigned long long start_time);

/*
 * FOLDER/STEM-PID-START-TAIL, for the stem RUNTIME_PIPE with the tails in and out, and RUNTIME_SOCKET with socket.
 * `folder` may end with a slash; NULL or empty is /tmp. The length, or 0 when it does not fit.
 */
size_t runtime_file_path(char *out_path, size_t capacity, const char *folder, const char *stem, pid_t pid,
                         unsigned long long start_time, const char *tail);

#ifdef __cplusplus
}
#endif

#endif
