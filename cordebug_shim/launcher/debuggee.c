#include "debuggee.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef __linux__
#include <sys/prctl.h>
#endif

#include "runtime_process.h"

extern char **environ;

enum { EXIT_NOT_EXECUTED = 127 };

/* A pipe that no exec inherits. */
static bool make_pipe(int fds[2]) {
    if (pipe(fds) != 0) {
        return false;
    }
    (void)fcntl(fds[0], F_SETFD, FD_CLOEXEC);
    (void)fcntl(fds[1], F_SETFD, FD_CLOEXEC);
    return true;
}

static void close_pipe(const int fds[2]) {
    int error = errno;
    (void)close(fds[0]);
    (void)close(fds[1]);
    errno = error;
}

static void die_with_parent(pid_t parent) {
#ifdef __linux__
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
    /* The parent may have died before the request was made. */
    if (getppid() != parent) {
        _exit(EXIT_NOT_EXECUTED);
    }
}

/* Where the standard input is a terminal, it is the one of the new session: Ctrl-C typed there comes to the debuggee. */
static void take_terminal(void) {
    if (isatty(STDIN_FILENO)) {
        (void)ioctl(STDIN_FILENO, TIOCSCTTY, 0);
    }
}

static void restore_signals(void) {
    struct sigaction action = {.sa_handler = SIG_DFL};
    for (int signal_number = 1; signal_number < NSIG; signal_number++) {
        (void)sigaction(signal_number, &action, NULL); /* fails for SIGKILL, SIGSTOP and those of the C library */
    }
    sigset_t none;
    (void)sigemptyset(&none);
    (void)sigprocmask(SIG_SETMASK, &none, NULL);
}

static _Noreturn void wait_and_exec(int gate_fd, int status_fd, char **command) {
    char byte = 0;
    ssize_t count = 0;
    do {
        count = read(gate_fd, &byte, 1);
    } while (count < 0 && errno == EINTR);
    if (count != 1) {
        _exit(EXIT_NOT_EXECUTED);
    }
    (void)execve(command[0], command, environ);
    int error = errno;
    (void)!write(status_fd, &error, sizeof error);
    _exit(EXIT_NOT_EXECUTED);
}

const char *debuggee_fork(struct debuggee *out_debuggee, const char *directory, char **command, bool own_session) {
    if (directory != NULL && chdir(directory) != 0) {
        return "chdir";
    }
    int gate[2];
    int status[2];
    if (!make_pipe(gate)) {
        return "pipe";
    }
    if (!make_pipe(status)) {
        close_pipe(gate);
        return "pipe";
    }
    /* No handler of the launcher may run in the child: it would write to the launcher's own pipe. */
    sigset_t all;
    sigset_t before;
    (void)sigfillset(&all);
    (void)sigprocmask(SIG_SETMASK, &all, &before);
    pid_t launcher = getpid();
    pid_t pid = fork();
    if (pid == 0) {
        die_with_parent(launcher);
        if (own_session) {
            (void)setsid();
            take_terminal();
        }
        (void)close(gate[1]);
        (void)close(status[0]);
        restore_signals();
        wait_and_exec(gate[0], status[1], command);
    }
    int error = errno;
    (void)sigprocmask(SIG_SETMASK, &before, NULL);
    errno = error;
    if (pid < 0) {
        close_pipe(gate);
        close_pipe(status);
        return "fork";
    }
    (void)close(gate[0]);
    (void)close(status[1]);
    out_debuggee->pid = pid;
    out_debuggee->start_time = runtime_process_start_time(pid);
    out_debuggee->gate_fd = gate[1];
    out_debuggee->status_fd = status[0];
    return NULL;
}

void debuggee_open_gate(struct debuggee *debuggee) {
    if (debuggee->gate_fd < 0) {
        return;
    }
    (void)!write(debuggee->gate_fd, "g", 1);
    (void)close(debuggee->gate_fd);
    debuggee->gate_fd = -1;
}

int debuggee_exec_result(struct debuggee *debuggee) {
    int error = 0;
    ssize_t count = 0;
    do {
        count = read(debuggee->status_fd, &error, sizeof error);
    } while (count < 0 && errno == EINTR);
    (void)close(debuggee->status_fd);
    debuggee->status_fd = -1;
    return count == (ssize_t)sizeof error ? error : 0;
}

bool debuggee_reap(const struct debuggee *debuggee, bool block, int *out_status) {
    pid_t reaped = 0;
    do {
        reaped = waitpid(debuggee->pid, out_status, block ? 0 : WNOHANG);
    } while (reaped < 0 && errno == EINTR);
    return reaped == debuggee->pid;
}

void debuggee_reap_copies(const struct debuggee *debuggee) {
    siginfo_t ended = {0};
    while (waitid(P_ALL, 0, &ended, WEXITED | WNOHANG | WNOWAIT) == 0 && ended.si_pid != 0 &&
           ended.si_pid != debuggee->pid && waitpid(ended.si_pid, NULL, WNOHANG) == ended.si_pid) {
        ended.si_pid = 0;
    }
}
