/* The pipes by which a debugger and a runtime talk, as they show from outside, and coming to them as a debugger does. */
#ifndef DAP_DOTNET_LAUNCHER_PIPES_H
#define DAP_DOTNET_LAUNCHER_PIPES_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* A process whose runtime has pipes for its debugger, and which of its pipes somebody has been connected to. */
struct connection {
    pid_t pid;
    unsigned long long start_time;
    uint64_t pipe; /* which pipe leads into the process, 0 without one; a runtime that lost its debugger makes a new one */
};

/* Our ends. */
struct pipe_ends {
    int write_fd;
    int read_fd;
};

/* Looks at a process that is being debugged, or is about to be. */
void pipes_look_at(pid_t pid, struct connection *out_connection);

/* Whether it is still the same process, and has not ended: one whose parent does not wait for it has. */
bool pipes_is_alive(const struct connection *connection);

/* Which pipe leads into the process now, 0 for none. */
uint64_t pipes_current(const struct connection *connection);

/*
 * Whether the process has this pipe open: it has from the moment that a debugger comes until it has noticed that the
 * debugger is gone. Before and after it waits in open(). True where this cannot be seen.
 */
bool pipes_has_open(const struct connection *connection, uint64_t pipe);

/*
 * Connects as a debugger does, once the runtime waits for one: not on the pipe `connection->pipe`, and on none that the
 * runtime still has open, since a writer there would keep it from noticing that its debugger is gone. Then
 * `connection->pipe` is the pipe that was found.
 */
bool pipes_connect(struct connection *connection, int timeout_ms, struct pipe_ends *out_ends);

void pipes_disconnect(const struct pipe_ends *ends);

#endif
