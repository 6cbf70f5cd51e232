/*
 * What a .NET runtime and its debugger leave outside their processes, and how it is removed.
 *
 * Names are those of the runtime's platform layer: the semaphores /clrstPPPPPPPPTTTTTTTTTTTTTTTT (runtime has started)
 * and /clrco… (debugger says continue) with process id and start time in hexadecimal, and in TMPDIR the debugger's pipes
 * clr-debug-pipe-PID-START-in and -out and the diagnostics socket dotnet-diagnostic-PID-START-socket, in decimal.
 */
#ifndef DAP_DOTNET_LAUNCHER_TRACES_H
#define DAP_DOTNET_LAUNCHER_TRACES_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Start time of a process: field 22 of /proc/PID/stat. 0 when it cannot be read. */
unsigned long long process_start_time(pid_t pid);

/* The effective user id of a process. False when it cannot be read. */
bool process_owner(pid_t pid, uid_t *out_owner);

/* Posts the semaphore that a starting runtime waits for, so that it goes on without a debugger; unlinks both. */
void traces_release_startup(pid_t pid, unsigned long long start_time);

/* Removes both semaphores without a post, and the files in TMPDIR. For a process that has ended. */
void traces_remove(pid_t pid, unsigned long long start_time);

/* The path of the debugger's pipe, `direction` being in or out as the runtime sees it. False when it does not fit. */
bool traces_pipe_path(char *out_path, size_t capacity, const char *direction, pid_t pid, unsigned long long start_time);

#endif
