/* For memfd_create and SEEK_DATA. */
#define _GNU_SOURCE /* NOLINT(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp) */
#include "shared_memory.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_CAPACITY = 64, NAME_CAPACITY = 64 };

static const char file_name[] = "/memfd:doublemapper";

static int is_the_file(const char *path) {
    char name[NAME_CAPACITY];
    const ssize_t length = readlink(path, name, sizeof name);
    return length >= (ssize_t)sizeof file_name - 1 && memcmp(name, file_name, sizeof file_name - 1) == 0;
}

/* The path of the process's descriptor of the file, in /proc; empty where there is none. */
static void find_file(pid_t pid, char out_path[PATH_CAPACITY]) {
    static pid_t known_pid;
    static char known_path[PATH_CAPACITY]; /* most often it is where it was before */
    if (pid == known_pid && is_the_file(known_path)) {
        (void)strcpy(out_path, known_path);
        return;
    }
    out_path[0] = '\0';
    char folder[PATH_CAPACITY];
    (void)snprintf(folder, sizeof folder, "/proc/%d/fd", (int)pid);
    DIR *entries = opendir(folder);
    const struct dirent *entry = NULL;
    while (entries != NULL && out_path[0] == '\0' && (entry = readdir(entries)) != NULL) {
        char path[PATH_CAPACITY];
        (void)snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)pid, (int)strtol(entry->d_name, NULL, 10));
        if (entry->d_name[0] != '.' && is_the_file(path)) {
            (void)strcpy(out_path, path);
            (void)strcpy(known_path, path);
            known_pid = pid;
        }
    }
    if (entries != NULL) {
        (void)closedir(entries);
    }
}

static int write_all(int fd, const char *bytes, size_t size, off_t place) {
    while (size > 0) {
        const ssize_t written = pwrite(fd, bytes, size, place);
        if (written < 0 && errno != EINTR) {
            return errno;
        }
        if (written > 0) {
            bytes += written;
            place += written;
            size -= (size_t)written;
        }
    }
    return 0;
}

/* The parts that hold something: the file is much larger than what is in it. */
static int copy_parts(int from, int to, off_t size) {
    off_t start = 0;
    while ((start = lseek(from, start, SEEK_DATA)) >= 0 && start < size) {
        off_t end = lseek(from, start, SEEK_HOLE);
        if (end < 0 || end > size) {
            end = size;
        }
        const size_t length = (size_t)(end - start);
        char *bytes = mmap(NULL, length, PROT_READ, MAP_SHARED | MAP_POPULATE, from, start);
        if (bytes == MAP_FAILED) {
            return errno;
        }
        const int error = write_all(to, bytes, length, start);
        (void)munmap(bytes, length);
        if (error != 0) {
            return error;
        }
        start = end;
    }
    return start < 0 && errno != ENXIO ? errno : 0;
}

int shared_memory_copy(pid_t pid, int *out_fd) {
    *out_fd = -1;
    char path[PATH_CAPACITY];
    find_file(pid, path);
    if (path[0] == '\0') {
        return 0;
    }
    const int from = open(path, O_RDONLY | O_CLOEXEC);
    if (from < 0) {
        return errno;
    }
    struct stat state;
    const int to = memfd_create("dap-dotnet copy", MFD_CLOEXEC);
    int error = to < 0 || fstat(from, &state) != 0 || ftruncate(to, state.st_size) != 0 ? errno : 0;
    if (error == 0) {
        error = copy_parts(from, to, state.st_size);
    }
    (void)close(from);
    if (error != 0 && to >= 0) {
        (void)close(to);
    } else if (error == 0) {
        *out_fd = to;
    }
    return error;
}
