#include "control.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#ifndef MSG_NOSIGNAL
#define MSG_NOSIGNAL 0 /* SIGPIPE is ignored by the launcher anyway */
#endif

void control_adopt(struct control *control, int fd) {
    control->fd = fd;
    control->used = 0;
    (void)fcntl(fd, F_SETFD, FD_CLOEXEC);
}

bool control_connect(struct control *control, const char *path) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    size_t length = strlen(path);
    if (length >= sizeof address.sun_path) {
        errno = ENAMETOOLONG;
        return false;
    }
    memcpy(address.sun_path, path, length);
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    if (fd < 0) {
        return false;
    }
    control_adopt(control, fd);
    if (connect(fd, (const struct sockaddr *)&address, sizeof address) != 0) {
        int error = errno;
        (void)close(fd);
        errno = error;
        return false;
    }
    return true;
}

void control_send(const struct control *control, const char *format, ...) {
    char line[LINE_CAPACITY];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(line, sizeof line - 1, format, arguments);
    va_end(arguments);
    if (length < 0 || (size_t)length >= sizeof line - 1) {
        return;
    }
    line[length++] = '\n';
    size_t sent = 0;
    while (sent < (size_t)length) {
        ssize_t count = send(control->fd, line + sent, (size_t)length - sent, MSG_NOSIGNAL);
        if (count < 0 && errno == EINTR) {
            continue;
        }
        if (count <= 0) {
            return;
        }
        sent += (size_t)count;
    }
}

static void split_lines(struct control *control, void (*handle)(const char *line, void *context), void *context) {
    char *start = control->buffer;
    char *end = control->buffer + control->used;
    char *feed = NULL;
    while ((feed = memchr(start, '\n', (size_t)(end - start))) != NULL) {
        *feed = '\0';
        handle(start, context);
        start = feed + 1;
    }
    control->used = (size_t)(end - start);
    memmove(control->buffer, start, control->used);
    if (control->used == sizeof control->buffer) {
        control->used = 0;
    }
}

bool control_receive(struct control *control, void (*handle)(const char *line, void *context), void *context) {
    ssize_t count = recv(control->fd, control->buffer + control->used, sizeof control->buffer - control->used, 0);
    if (count < 0 && (errno == EINTR || errno == EAGAIN)) {
        return true;
    }
    if (count <= 0) {
        return false;
    }
    control->used += (size_t)count;
    split_lines(control, handle, context);
    return true;
}
