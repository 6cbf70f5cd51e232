/* For memfd_create and SEEK_DATA. */
#define _GNU_SOURCE /* NOLINT(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp) */
#include "shared_memory.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_CAPACITY = 64, NAME_CAPACITY = 64 };

static const char file_name[] = "/memfd:doublemapper";

static void path_of(pid_t pid, int number, char out_path[PATH_CAPACITY]) {
    (void)snprintf(out_path, PATH_CAPACITY, "/proc/%d/fd/%d", (int)pid, number);
}

static bool is_the_file(pid_t pid, int number) {
    char path[PATH_CAPACITY];
    char name[NAME_CAPACITY];
    path_of(pid, number, path);
    const ssize_t length = readlink(path, name, sizeof name);
    return length >= (ssize_t)sizeof file_name - 1 && memcmp(name, file_name, sizeof file_name - 1) == 0;
}

/* Of the process's descriptor of the file; -1 where there is none. */
static int find_file(pid_t pid) {
    static pid_t known_pid;
    static int known_number = -1; /* most often it is where it was before */
    if (pid == known_pid && is_the_file(pid, known_number)) {
        return known_number;
    }
    char folder[PATH_CAPACITY];
    (void)snprintf(folder, sizeof folder, "/proc/%d/fd", (int)pid);
    DIR *entries = opendir(folder);
    const struct dirent *entry = NULL;
    known_pid = pid;
    known_number = -1;
    while (entries != NULL && known_number < 0 && (entry = readdir(entries)) != NULL) {
        const int number = (int)strtol(entry->d_name, NULL, 10);
        if (entry->d_name[0] != '.' && is_the_file(pid, number)) {
            known_number = number;
        }
    }
    if (entries != NULL) {
        (void)closedir(entries);
    }
    return known_number;
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
    const int number = find_file(pid);
    if (number < 0) {
        return 0;
    }
    char path[PATH_CAPACITY];
    path_of(pid, number, path);
    const int from = open(path, O_RDONLY | O_CLOEXEC);
    if (from < 0) {
        return errno;
    }
    struct stat state = {0};
    const int to = memfd_create("dap-dotnet copy", MFD_CLOEXEC);
    const bool is_ready = to >= 0 && fstat(from, &state) == 0 && ftruncate(to, state.st_size) == 0;
    const int error = is_ready ? copy_parts(from, to, state.st_size) : errno;
    (void)close(from);
    if (error == 0) {
        *out_fd = to;
    } else if (to >= 0) {
        (void)close(to);
    }
    return error;
}
