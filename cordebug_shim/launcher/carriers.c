/* For memmem. */
#define _GNU_SOURCE /* NOLINT(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp) */
#include "carriers.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { PATH_CAPACITY = 300, LONGEST_TEXT = 256, CHUNK = 65536 };

static bool file_contains(int fd, const char *text) {
    static char bytes[CHUNK + LONGEST_TEXT];
    const size_t length = strlen(text);
    size_t kept = 0; /* of the chunk before: the text may lie across the two */
    for (;;) {
        ssize_t count = read(fd, bytes + kept, CHUNK);
        if (count < 0 && errno == EINTR) {
            continue;
        }
        if (count <= 0) {
            return false;
        }
        const size_t filled = kept + (size_t)count;
        if (memmem(bytes, filled, text, length) != NULL) {
            return true;
        }
        kept = filled < length ? filled : length - 1;
        memmove(bytes, bytes + filled - kept, kept);
    }
}

static bool carries(const char *pid, const char *text) {
    char path[PATH_CAPACITY];
    (void)snprintf(path, sizeof path, "/proc/%s/environ", pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return false;
    }
    bool is_there = file_contains(fd, text);
    (void)close(fd);
    return is_there;
}

bool carriers_exist(const char *text) {
    DIR *processes = opendir("/proc");
    if (processes == NULL || *text == '\0' || strlen(text) > LONGEST_TEXT) {
        if (processes != NULL) {
            (void)closedir(processes);
        }
        return false;
    }
    bool is_there = false;
    const struct dirent *entry = NULL;
    while (!is_there && (entry = readdir(processes)) != NULL) {
        is_there = isdigit((unsigned char)entry->d_name[0]) && carries(entry->d_name, text);
    }
    (void)closedir(processes);
    return is_there;
}
