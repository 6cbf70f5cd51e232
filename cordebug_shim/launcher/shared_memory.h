/* What a process shares with its copies: a runtime's loader data, which lie in a file of memory (W^X). */
#ifndef DAP_DOTNET_LAUNCHER_SHARED_MEMORY_H
#define DAP_DOTNET_LAUNCHER_SHARED_MEMORY_H

#include <sys/types.h>

/*
 * Copies the file as it is now into one of ours, at the same places: `out_fd`, -1 where the process has none. Returns 0 or
 * an errno.
 */
int shared_memory_copy(pid_t pid, int *out_fd);

#endif
