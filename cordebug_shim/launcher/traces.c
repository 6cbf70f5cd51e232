#include "traces.h"

#include <fcntl.h>
#include <limits.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "runtime_process.h"

static const char socket_tail[] = "socket";

static void unlink_semaphores(pid_t pid, unsigned long long start_time) {
    char name[RUNTIME_SEMAPHORE_CAPACITY];
    runtime_semaphore_name(name, RUNTIME_SEMAPHORE_STARTED, pid, start_time);
    (void)sem_unlink(name);
    runtime_semaphore_name(name, RUNTIME_SEMAPHORE_CONTINUE, pid, start_time);
    (void)sem_unlink(name);
}

void traces_release_startup(pid_t pid, unsigned long long start_time) {
    char name[RUNTIME_SEMAPHORE_CAPACITY];
    runtime_semaphore_name(name, RUNTIME_SEMAPHORE_CONTINUE, pid, start_time);
    sem_t *semaphore = sem_open(name, 0);
    if (semaphore != SEM_FAILED) {
        (void)sem_post(semaphore);
        (void)sem_close(semaphore);
    }
    unlink_semaphores(pid, start_time);
}

bool traces_pipe_path(char *out_path, size_t capacity, const char *direction, pid_t pid,
                      unsigned long long start_time) {
    return runtime_file_path(out_path, capacity, getenv("TMPDIR"), RUNTIME_PIPE, pid, start_time, direction) != 0;
}

/*
 * The runtime cuts a path that is too long for a socket. One that is cut before the end of the start time may be that of
 * another process, and is left.
 */
static void remove_socket(pid_t pid, unsigned long long start_time) {
    char path[PATH_MAX];
    const char *folder = getenv("TMPDIR");
    size_t length = runtime_file_path(path, sizeof path, folder, RUNTIME_SOCKET, pid, start_time, socket_tail);
    if (length == 0) {
        return;
    }
    (void)unlink(path);
    const size_t limit = sizeof((struct sockaddr_un *)NULL)->sun_path - 1;
    const size_t begin = length - strlen(socket_tail);
    if (length > limit && begin <= limit + 1) {
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
