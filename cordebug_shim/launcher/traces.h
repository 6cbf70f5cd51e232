/* What a .NET runtime and its debugger leave outside their processes, and how it is removed. In our TMPDIR. */
#ifndef DAP_DOTNET_LAUNCHER_TRACES_H
#define DAP_DOTNET_LAUNCHER_TRACES_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Posts the semaphore that a starting runtime waits for, so that it goes on without a debugger; unlinks both. */
void traces_release_startup(pid_t pid, unsigned long long start_time);

/* Removes both semaphores without a post, and the files in TMPDIR. For a process that has ended. */
void traces_remove(pid_t pid, unsigned long long start_time);

/* The path of the debugger's pipe, `direction` being in or out as the runtime sees it. False when it does not fit. */
bool traces_pipe_path(char *out_path, size_t capacity, const char *direction, pid_t pid, unsigned long long start_time);

#endif
