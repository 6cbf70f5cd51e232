#include "control.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
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

static void send_line(const struct control *control, const int *fds, int count, const char *format, va_list arguments) {
    char line[LINE_CAPACITY];
    int length = vsnprintf(line, sizeof line - 1, format, arguments);
    if (length < 0 || (size_t)length >= sizeof line - 1 || count > CONTROL_DESCRIPTORS) {
        return;
    }
    line[length++] = '\n';
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(CONTROL_DESCRIPTORS * sizeof(int))];
    } attached;
    struct iovec text = {line, (size_t)length};
    struct msghdr message = {.msg_iov = &text, .msg_iovlen = 1};
    if (count > 0) {
        message.msg_control = attached.bytes;
        message.msg_controllen = CMSG_SPACE((size_t)count * sizeof(int));
        attached.header = (struct cmsghdr){
            .cmsg_level = SOL_SOCKET,
            .cmsg_type = SCM_RIGHTS,
            .cmsg_len = CMSG_LEN((size_t)count * sizeof(int)),
        };
        memcpy(CMSG_DATA(&attached.header), fds, (size_t)count * sizeof(int));
    }
    while (text.iov_len > 0) {
        ssize_t sent = sendmsg(control->fd, &message, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR) {
            continue;
        }
        if (sent <= 0) {
            return;
        }
        text.iov_base = (char *)text.iov_base + sent;
        text.iov_len -= (size_t)sent;
        message.msg_control = NULL; /* they went with the first byte */
        message.msg_controllen = 0;
    }
}

void control_send(const struct control *control, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    send_line(control, NULL, 0, format, arguments);
    va_end(arguments);
}

void control_send_with(const struct control *control, const int *fds, int count, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    send_line(control, fds, count, format, arguments);
    va_end(arguments);
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
