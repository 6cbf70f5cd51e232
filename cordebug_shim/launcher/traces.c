#include "traces.h"

#include <fcntl.h>
#include <limits.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum {
    SEMAPHORE_NAME_CAPACITY = 40,
    STAT_CAPACITY = 1024,
    FIELDS_BEFORE_START_TIME = 20, /* field 22; the count starts after the command name, which is field 2 */
};

unsigned long long process_start_time(pid_t pid) {
    char path[64];
    (void)snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    FILE *file = fopen(path, "re");
    if (file == NULL) {
        return 0;
    }
    char text[STAT_CAPACITY];
    size_t length = fread(text, 1, sizeof text - 1, file);
    (void)fclose(file);
    text[length] = '\0';
    /* The command name may hold spaces and parentheses: count from the last one. */
    const char *field = strrchr(text, ')');
    for (int skipped = 0; field != NULL && skipped < FIELDS_BEFORE_START_TIME; skipped++) {
        field = strchr(field + 1, ' ');
    }
    return field == NULL ? 0 : strtoull(field, NULL, 10);
}

bool process_owner(pid_t pid, uid_t *out_owner) {
    char path[64];
    (void)snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
    FILE *file = fopen(path, "re");
    if (file == NULL) {
        return false;
    }
    static const char key[] = "Uid:";
    char line[STAT_CAPACITY];
    bool is_found = false;
    while (!is_found && fgets(line, sizeof line, file) != NULL) {
        if (strncmp(line, key, sizeof key - 1) == 0) {
            char *end = NULL;
            (void)strtoul(line + sizeof key - 1, &end, 10); /* the real one */
            *out_owner = (uid_t)strtoul(end, NULL, 10);
            is_found = true;
        }
    }
    (void)fclose(file);
    return is_found;
}

static void semaphore_name(char *out_name, const char *kind, pid_t pid, unsigned long long start_time) {
    (void)snprintf(out_name, SEMAPHORE_NAME_CAPACITY, "/clr%s%08x%016llx", kind, (unsigned)pid, start_time);
}

static void unlink_semaphores(pid_t pid, unsigned long long start_time) {
    char name[SEMAPHORE_NAME_CAPACITY];
    semaphore_name(name, "st", pid, start_time);
    (void)sem_unlink(name);
    semaphore_name(name, "co", pid, start_time);
    (void)sem_unlink(name);
}

void traces_release_startup(pid_t pid, unsigned long long start_time) {
    char name[SEMAPHORE_NAME_CAPACITY];
    semaphore_name(name, "co", pid, start_time);
    sem_t *semaphore = sem_open(name, 0);
    if (semaphore != SEM_FAILED) {
        (void)sem_post(semaphore);
        (void)sem_close(semaphore);
    }
    unlink_semaphores(pid, start_time);
}

/* TMPDIR/STEM-PID-START- into `out_path`; its length, or 0 when it does not fit. */
static size_t path_begin(char *out_path, size_t capacity, const char *stem, pid_t pid, unsigned long long start_time) {
    const char *directory = getenv("TMPDIR");
    if (directory == NULL || *directory == '\0') {
        directory = "/tmp/";
    }
    const char *slash = directory[strlen(directory) - 1] == '/' ? "" : "/";
    int length = snprintf(out_path, capacity, "%s%s%s-%d-%llu-", directory, slash, stem, (int)pid, start_time);
    return length > 0 && (size_t)length < capacity ? (size_t)length : 0;
}

bool traces_pipe_path(char *out_path, size_t capacity, const char *direction, pid_t pid,
                      unsigned long long start_time) {
    size_t length = path_begin(out_path, capacity, "clr-debug-pipe", pid, start_time);
    if (length == 0 || length + strlen(direction) >= capacity) {
        return false;
    }
    memcpy(out_path + length, direction, strlen(direction) + 1);
    return true;
}

/*
 * The runtime cuts a path that is too long for a socket. One that is cut before the end of the start time may be that of
 * another process, and is left.
 */
static void remove_socket(pid_t pid, unsigned long long start_time) {
    char path[PATH_MAX];
    size_t length = path_begin(path, sizeof path - sizeof "socket", "dotnet-diagnostic", pid, start_time);
    if (length == 0) {
        return;
    }
    memcpy(path + length, "socket", sizeof "socket");
    (void)unlink(path);
    const size_t limit = sizeof((struct sockaddr_un *)NULL)->sun_path - 1;
    if (strlen(path) > limit && length <= limit + 1) {
        path[limit] = '\0';
        (void)unlink(path);
    }
}

static void remove_pipe(const char *direction, pid_t pid, unsigned long long start_time) {
    char path[PATH_MAX];
    if (traces_pipe_path(path, sizeof path, direction, pid, start_time)) {
        (void)unlink(path);
    }
}

void traces_remove(pid_t pid, unsigned long long start_time) {
    unlink_semaphores(pid, start_time);
    remove_pipe("in", pid, start_time);
    remove_pipe("out", pid, start_time);
    remove_socket(pid, start_time);
}
