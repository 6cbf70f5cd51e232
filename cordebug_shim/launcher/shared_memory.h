/*
 * What a process shares with its copies: a runtime's loader data, which lie in a file of memory (W^X). The process is held
 * while it is captured, and only then.
 */
#ifndef DAP_DOTNET_LAUNCHER_SHARED_MEMORY_H
#define DAP_DOTNET_LAUNCHER_SHARED_MEMORY_H

#include <stddef.h>
#include <sys/types.h>

struct shared_part {
    off_t start;
    size_t size;
};

/* All zero before the first use. */
struct shared_memory {
    int fd;       /* the process's file, while it is open */
    int is_there; /* whether the process has one */
    off_t size;
    char *bytes; /* of the parts, one after the other; kept for the next copy */
    size_t capacity;
    struct shared_part *parts; /* those that hold something: the file is much larger than what is in it */
    size_t count;
};

/* Opens the file and makes room, before the process is held. Returns 0, also where there is none, or an errno. */
int shared_memory_open(struct shared_memory *memory, pid_t pid);

/* Captures what is in it now. Returns 0 or an errno. */
int shared_memory_capture(struct shared_memory *memory);

/* Writes what was captured into a file of ours: `out_fd`, -1 where there is none. Returns 0 or an errno. */
int shared_memory_save(const struct shared_memory *memory, int *out_fd);

/* Closes the file. */
void shared_memory_close(struct shared_memory *memory);

#endif
