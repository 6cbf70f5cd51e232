#include "journal.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { JOURNAL_LINE_CAPACITY = 256, FILE_MODE = 0600 };

static int journal_fd = -1;

void journal_open(void) {
    const char *path = getenv(JOURNAL_VARIABLE);
    if (path != NULL && *path != '\0') {
        journal_fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, FILE_MODE);
    }
}

void journal(const char *format, ...) {
    if (journal_fd < 0) {
        return;
    }
    struct timespec now;
    (void)clock_gettime(CLOCK_REALTIME, &now);
    struct tm parts;
    (void)gmtime_r(&now.tv_sec, &parts);
    char line[JOURNAL_LINE_CAPACITY];
    size_t length = strftime(line, sizeof line, "%T", &parts);
    length += (size_t)snprintf(line + length, sizeof line - length, ".%03ld %d: ", now.tv_nsec / 1000000, (int)getpid());
    va_list arguments;
    va_start(arguments, format);
    int added = vsnprintf(line + length, sizeof line - length - 1, format, arguments);
    va_end(arguments);
    if (added < 0) {
        return;
    }
    length += (size_t)added;
    if (length > sizeof line - 2) {
        length = sizeof line - 2;
    }
    line[length++] = '\n';
    (void)!write(journal_fd, line, length);
}
