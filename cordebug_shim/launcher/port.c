/* For accept4 and the credentials of a peer. */
#define _GNU_SOURCE /* NOLINT(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp) */
#include "port.h"

#include <errno.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "carriers.h"
#include "clock.h"

enum {
    CALL_SIZE = 34,
    MAGIC_SIZE = 8,
    COOKIE_SIZE = 16,
    GRACE_MS = 3000,      /* for a debugger that is on its way when the adapter ends */
    FIRST_LOOKS_MS = 100, /* between the first looks for processes that may still call */
    FREQUENT_LOOKS = 60,
    LATER_LOOKS_MS = 2000,
    LOOKS_TO_LEAVE = 2, /* a look may miss a process that is just forked */
    FULL_PAUSE_MS = 50,
};

static const char advertise[MAGIC_SIZE] = "ADVR_V1";
static const char claim[MAGIC_SIZE] = "DAPCLM1";

/* ResumeRuntime of the diagnostics protocol: magic, size, command set 4 (process), command 1, nothing more. */
static const char resume_runtime[] = "DOTNET_IPC_V1\0\x14\x00\x04\x01\x00";

enum kind {
    CALLER,   /* has not said yet what it is */
    WAITING,  /* a runtime, and the adapter knows of it */
    CLAIMED,  /* a runtime that a debugger has come for */
    RUNNING,  /* a runtime that was told to go on */
    CLAIMANT, /* a debugger */
};

struct peer {
    int fd;
    enum kind kind;
    pid_t pid; /* of the runtime, also for a claimant */
    uid_t user;
    size_t used;
    char call[CALL_SIZE];
};

struct port {
    struct control *control;
    int listener;
    struct peer *peers;
    size_t count;
    size_t capacity;
    char (
        *resumed)[COOKIE_SIZE]; /* the runtimes that were told to go on: they call again, once, and are left in peace */
    size_t resumed_count;
    size_t resumed_capacity;
    pid_t passed; /* the program itself: it never waits */
    bool adapter_gone;
    long long free_at_ms; /* from then on nobody waits */
};

static bool grow(void **array, size_t *capacity, size_t count, size_t size) {
    if (count < *capacity) {
        return true;
    }
    const size_t wanted = *capacity == 0 ? 16 : *capacity * 2;
    void *larger = realloc(*array, wanted * size);
    if (larger == NULL) {
        return false;
    }
    *array = larger;
    *capacity = wanted;
    return true;
}

static void hang_up(struct peer *peer) {
    (void)close(peer->fd);
    peer->fd = -1; /* taken out of the list by forget_closed */
}

static void forget_closed(struct port *port) {
    size_t kept = 0;
    for (size_t index = 0; index < port->count; index++) {
        if (port->peers[index].fd >= 0) {
            port->peers[kept++] = port->peers[index];
        }
    }
    port->count = kept;
}

static void resume(struct port *port, struct peer *runtime) {
    runtime->kind = RUNNING;
    if (grow((void **)&port->resumed, &port->resumed_capacity, port->resumed_count, sizeof *port->resumed)) {
        memcpy(port->resumed[port->resumed_count++], runtime->call + MAGIC_SIZE, COOKIE_SIZE);
    }
    (void)send(runtime->fd, resume_runtime, sizeof resume_runtime, MSG_NOSIGNAL);
}

static bool was_resumed(const struct port *port, const struct peer *runtime) {
    for (size_t index = 0; index < port->resumed_count; index++) {
        if (memcmp(port->resumed[index], runtime->call + MAGIC_SIZE, COOKIE_SIZE) == 0) {
            return true;
        }
    }
    return false;
}

static struct peer *find(const struct port *port, enum kind kind, pid_t pid) {
    for (size_t index = 0; index < port->count; index++) {
        struct peer *peer = &port->peers[index];
        if (peer->fd >= 0 && peer->kind == kind && peer->pid == pid) {
            return peer;
        }
    }
    return NULL;
}

static void answer(const struct peer *claimant, char word) {
    (void)send(claimant->fd, &word, sizeof word, MSG_NOSIGNAL);
}

static void take_runtime(struct port *port, struct peer *peer) {
    if (was_resumed(port, peer)) {
        peer->kind = RUNNING;
        return;
    }
    if (peer->pid == port->passed || port->adapter_gone || peer->user != geteuid()) {
        resume(port, peer); /* another user's is not debugged: it could not be trusted */
    } else {
        peer->kind = WAITING;
        control_send(port->control, LINE_SUSPENDED " %d", (int)peer->pid);
    }
}

static void take_claimant(struct port *port, struct peer *peer) {
    uint64_t wanted = 0;
    for (int index = 7; index >= 0; index--) {
        wanted = (wanted << 8U) | (unsigned char)peer->call[MAGIC_SIZE + index];
    }
    struct peer *runtime = wanted <= INT32_MAX ? find(port, WAITING, (pid_t)wanted) : NULL;
    if (runtime == NULL || (peer->user != geteuid() && peer->user != 0)) {
        answer(peer, 'n');
        hang_up(peer);
        return;
    }
    runtime->kind = CLAIMED;
    peer->kind = CLAIMANT;
    peer->pid = runtime->pid;
    answer(peer, 'y');
    control_send(port->control, LINE_CLAIMED " %d", (int)runtime->pid);
}

/* The debugger is ready, or gone. */
static void release(struct port *port, struct peer *claimant, bool is_ready) {
    struct peer *runtime = find(port, CLAIMED, claimant->pid);
    if (runtime != NULL) {
        resume(port, runtime);
        if (is_ready) {
            answer(claimant, 'd');
        }
    }
    hang_up(claimant);
}

static void take_end(struct port *port, struct peer *peer) {
    if (peer->kind == CLAIMANT) {
        release(port, peer, false);
        return;
    }
    if (peer->kind == WAITING || peer->kind == CLAIMED) {
        control_send(port->control, LINE_GONE " %d", (int)peer->pid);
    }
    hang_up(peer);
}

static void hear_caller(struct port *port, struct peer *peer) {
    if (peer->used < CALL_SIZE) {
        return;
    }
    if (memcmp(peer->call, advertise, MAGIC_SIZE) == 0) {
        take_runtime(port, peer);
    } else if (memcmp(peer->call, claim, MAGIC_SIZE) == 0) {
        take_claimant(port, peer);
    } else {
        hang_up(peer);
    }
}

static void hear(struct port *port, struct peer *peer) {
    char bytes[64];
    const bool is_caller = peer->kind == CALLER;
    ssize_t count = recv(peer->fd, is_caller ? peer->call + peer->used : bytes,
                         is_caller ? CALL_SIZE - peer->used : sizeof bytes, MSG_DONTWAIT);
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) {
        return;
    }
    if (count <= 0) {
        take_end(port, peer);
    } else if (is_caller) {
        peer->used += (size_t)count;
        hear_caller(port, peer);
    } else if (peer->kind == CLAIMANT) {
        release(port, peer, bytes[0] == 'g');
    }
}

static void let_in(struct port *port) {
    int fd = accept4(port->listener, NULL, NULL, SOCK_CLOEXEC);
    if (fd < 0) {
        if (errno == EMFILE || errno == ENFILE || errno == ENOMEM) {
            sleep_ms(FULL_PAUSE_MS);
        }
        return;
    }
    struct ucred who = {.pid = 0};
    socklen_t size = sizeof who;
    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &size) != 0 ||
        !grow((void **)&port->peers, &port->capacity, port->count, sizeof *port->peers)) {
        (void)close(fd);
        return;
    }
    port->peers[port->count++] = (struct peer){.fd = fd, .kind = CALLER, .pid = who.pid, .user = who.uid};
}

static void handle_port_command(const char *line, void *context) {
    struct port *port = context;
    char *end = NULL;
    const char *space = strchr(line, ' ');
    const pid_t pid = space == NULL ? 0 : (pid_t)strtol(space, &end, 10);
    if (pid <= 0) {
        return;
    }
    if (strncmp(line, COMMAND_PASS " ", sizeof COMMAND_PASS) == 0) {
        port->passed = pid;
    } else if (strncmp(line, COMMAND_RESUME " ", sizeof COMMAND_RESUME) == 0) {
        struct peer *runtime = find(port, WAITING, pid);
        if (runtime != NULL) {
            resume(port, runtime);
        }
    }
}

static void end_waits(struct port *port) {
    for (size_t index = 0; index < port->count; index++) {
        if (port->peers[index].kind == WAITING) {
            resume(port, &port->peers[index]);
        }
    }
}

static bool has_runtimes(const struct port *port) {
    for (size_t index = 0; index < port->count; index++) {
        if (port->peers[index].kind != CALLER) {
            return true;
        }
    }
    return false;
}

/* Polls everything once. Slots: control, listener, peers. */
static bool serve_once(struct port *port, int timeout_ms) {
    static struct pollfd *slots = NULL;
    static size_t capacity = 0;
    const size_t count = port->count;
    while (capacity < count + 2) {
        if (!grow((void **)&slots, &capacity, capacity, sizeof *slots)) {
            return false;
        }
    }
    slots[0] = (struct pollfd){.fd = port->adapter_gone ? -1 : port->control->fd, .events = POLLIN};
    slots[1] = (struct pollfd){.fd = port->listener, .events = POLLIN};
    for (size_t index = 0; index < count; index++) {
        slots[index + 2] = (struct pollfd){.fd = port->peers[index].fd, .events = POLLIN};
    }
    if (poll(slots, count + 2, timeout_ms) <= 0) {
        return true;
    }
    /* The adapter's word first: it says who passes before that process can call. */
    if (slots[0].revents != 0 && !control_receive(port->control, handle_port_command, port)) {
        port->adapter_gone = true;
        port->free_at_ms = now_ms() + GRACE_MS;
    }
    for (size_t index = 0; index < count; index++) {
        if (slots[index + 2].revents != 0 && port->peers[index].fd >= 0) {
            hear(port, &port->peers[index]);
        }
    }
    if (slots[1].revents != 0) {
        let_in(port);
    }
    forget_closed(port);
    return true;
}

static void remove_path(const char *path) {
    (void)unlink(path);
    char folder[LINE_CAPACITY * 2];
    const char *slash = strrchr(path, '/');
    if (slash != NULL && slash != path && (size_t)(slash - path) < sizeof folder) {
        memcpy(folder, path, (size_t)(slash - path));
        folder[slash - path] = '\0';
        (void)rmdir(folder);
    }
}

static void allow_many_callers(void) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
        limit.rlim_cur = limit.rlim_max;
        (void)setrlimit(RLIMIT_NOFILE, &limit);
    }
}

int port_keep(struct control *control, int listener, const char *path) {
    struct port port = {.control = control, .listener = listener};
    allow_many_callers();
    control_send(control, LINE_KEEPING);
    int looks = 0;
    int empty_looks = 0;
    long long look_at_ms = 0;
    while (empty_looks < LOOKS_TO_LEAVE) {
        if (!serve_once(&port, port.adapter_gone ? left_until(look_at_ms) : -1)) {
            return EXIT_CANNOT_START;
        }
        if (!port.adapter_gone) {
            continue;
        }
        const long long now = now_ms();
        if (now >= port.free_at_ms) {
            end_waits(&port);
        }
        if (now >= look_at_ms) {
            looks++;
            empty_looks = has_runtimes(&port) || carriers_exist(path) ? 0 : empty_looks + 1;
            look_at_ms = now + (looks < FREQUENT_LOOKS || empty_looks > 0 ? FIRST_LOOKS_MS : LATER_LOOKS_MS);
        }
    }
    remove_path(path);
    return 0;
}
