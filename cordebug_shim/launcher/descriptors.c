#include "descriptors.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

static bool contains(const int *list, int wanted) {
    while (*list != -1 && *list != wanted) {
        list++;
    }
    return *list != -1;
}

void descriptors_keep_only(const int *kept) {
    for (const int *fd = kept; *fd != -1; fd++) {
        (void)fcntl(*fd, F_SETFD, FD_CLOEXEC);
    }
    DIR *directory = opendir("/proc/self/fd");
    if (directory == NULL) {
        directory = opendir("/dev/fd");
    }
    if (directory == NULL) {
        return;
    }
    const struct dirent *entry = NULL;
    while ((entry = readdir(directory)) != NULL) {
        char *end = NULL;
        long fd = strtol(entry->d_name, &end, 10);
        bool is_number = end != entry->d_name && *end == '\0';
        if (is_number && fd > STDERR_FILENO && fd != dirfd(directory) && !contains(kept, (int)fd)) {
            (void)close((int)fd);
        }
    }
    (void)closedir(directory);
}

void descriptors_drop_standard_streams(void) {
    int null_fd = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (null_fd < 0) {
        return;
    }
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
        (void)dup2(null_fd, fd);
    }
    if (null_fd > STDERR_FILENO) {
        (void)close(null_fd);
    }
}
