#ifndef DAP_DOTNET_LAUNCHER_CONTROL_H
#define DAP_DOTNET_LAUNCHER_CONTROL_H

#include <stdbool.h>
#include <stddef.h>

#include "protocol.h"

/* The control socket and the part of a line that has come so far. */
struct control {
    int fd;
    size_t used;
    char buffer[LINE_CAPACITY];
};

/* Takes over an inherited socket. */
void control_adopt(struct control *control, int fd);

/* Connects to the Unix socket at `path`. Returns false with errno set. */
bool control_connect(struct control *control, const char *path);

/* Sends one line made as printf does; an adapter that is gone is noticed by control_receive, not here. */
void control_send(const struct control *control, const char *format, ...) __attribute__((format(printf, 2, 3)));

/*
 * Reads what has come and calls `handle` with each complete line, without its line feed. Returns false at end of file.
 * Lines that do not fit LINE_CAPACITY are no lines of ours and are dropped.
 */
bool control_receive(struct control *control, void (*handle)(const char *line, void *context), void *context);

#endif
