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

enum { CONTROL_DESCRIPTORS = 4 };

/* Takes over an inherited socket. */
void control_adopt(struct control *control, int fd);

/* Connects to the Unix socket at `path`. Returns false with errno set. */
bool control_connect(struct control *control, const char *path);

/* Sends one line made as printf does; an adapter that is gone is noticed by control_receive, not here. */
void control_send(const struct control *control, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* As control_send, with descriptors, at most CONTROL_DESCRIPTORS. */
void control_send_with(const struct control *control, const int *fds, int count, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/*
 * Reads what has come and calls `handle` with each complete line, without its line feed. Returns false at end of file.
 * Lines that do not fit LINE_CAPACITY are no lines of ours and are dropped.
 */
bool control_receive(struct control *control, void (*handle)(const char *line, void *context), void *context);

#endif
