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

enum { PATH_CAPACITY = 64, NAME_CAPACITY = 64, BLOCK_SIZE = 512, SPARE_SIZE = 1048576 };

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

static bool make_room(struct shared_memory *memory, size_t capacity) {
    if (capacity <= memory->capacity) {
        return true;
    }
    char *larger = realloc(memory->bytes, capacity);
    if (larger == NULL) {
        return false;
    }
    memset(larger + memory->capacity, 0, capacity - memory->capacity); /* the pages are there when they are needed */
    memory->bytes = larger;
    memory->capacity = capacity;
    return true;
}

int shared_memory_open(struct shared_memory *memory, pid_t pid) {
    memory->count = 0;
    const int number = find_file(pid);
    memory->is_there = number >= 0;
    if (!memory->is_there) {
        return 0;
    }
    char path[PATH_CAPACITY];
    struct stat state;
    path_of(pid, number, path);
    memory->fd = open(path, O_RDONLY | O_CLOEXEC);
    if (memory->fd < 0) {
        memory->is_there = 0;
        return errno;
    }
    if (fstat(memory->fd, &state) != 0) {
        return errno;
    }
    memory->size = state.st_size;
    return make_room(memory, ((size_t)state.st_blocks * BLOCK_SIZE) + SPARE_SIZE) ? 0 : ENOMEM;
}

static int capture_part(struct shared_memory *memory, off_t start, size_t size, size_t place) {
    struct shared_part *parts = realloc(memory->parts, (memory->count + 1) * sizeof *parts);
    if (parts == NULL || !make_room(memory, place + size)) {
        memory->parts = parts != NULL ? parts : memory->parts;
        return ENOMEM;
    }
    memory->parts = parts;
    parts[memory->count++] = (struct shared_part){start, size};
    for (size_t done = 0; done < size;) {
        const ssize_t length = pread(memory->fd, memory->bytes + place + done, size - done, start + (off_t)done);
        if (length <= 0 && errno != EINTR) {
            return length < 0 ? errno : EIO;
        }
        done += length > 0 ? (size_t)length : 0;
    }
    return 0;
}

int shared_memory_capture(struct shared_memory *memory) {
    size_t place = 0;
    off_t start = 0;
    while (memory->is_there && (start = lseek(memory->fd, start, SEEK_DATA)) >= 0 && start < memory->size) {
        off_t end = lseek(memory->fd, start, SEEK_HOLE);
        if (end < 0 || end > memory->size) {
            end = memory->size;
        }
        const int error = capture_part(memory, start, (size_t)(end - start), place);
        if (error != 0) {
            return error;
        }
        place += (size_t)(end - start);
        start = end;
    }
    return start < 0 && errno != ENXIO ? errno : 0;
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

int shared_memory_save(const struct shared_memory *memory, int *out_fd) {
    *out_fd = -1;
    if (!memory->is_there) {
        return 0;
    }
    const int fd = memfd_create("dap-dotnet copy", MFD_CLOEXEC);
    int error = fd >= 0 && ftruncate(fd, memory->size) == 0 ? 0 : errno;
    const char *bytes = memory->bytes;
    for (size_t index = 0; error == 0 && index < memory->count; index++) {
        error = write_all(fd, bytes, memory->parts[index].size, memory->parts[index].start);
        bytes += memory->parts[index].size;
    }
    if (error == 0) {
        *out_fd = fd;
    } else if (fd >= 0) {
        (void)close(fd);
    }
    return error;
}

void shared_memory_close(struct shared_memory *memory) {
    if (memory->is_there) {
        (void)close(memory->fd);
        memory->is_there = 0;
    }
}
