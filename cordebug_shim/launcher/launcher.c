/* The launcher's main loop; protocol.h says what it does. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "control.h"
#include "copying.h"
#include "debuggee.h"
#include "descriptors.h"
#include "farewell.h"
#include "group.h"
#include "journal.h"
#include "options.h"
#include "port.h"
#include "protocol.h"
#include "traces.h"
#include "turn.h"

enum { SIGNAL_EXIT_BASE = 128, DISCARD_SIZE = 16384 };

struct launcher {
    struct options options;
    struct control control;
    struct debuggee debuggee;
    bool exec_reported; /* running or exec-failed has been sent */
    bool exec_failed;
    bool gate_opened;
    bool released;
    bool adapter_gone;
    bool ended; /* the debuggee is reaped */
    bool terminating;
    int exit_code; /* of the launcher: the debuggee's, as a shell reports it */
};

/* Signal handlers write the signal's number to this pipe, which the main loop polls. */
static int signal_pipe[2] = {-1, -1};

static void on_signal(int signal_number) {
    int error = errno;
    unsigned char byte = (unsigned char)signal_number;
    (void)!write(signal_pipe[1], &byte, 1);
    errno = error;
}

/* `own_session` false: a terminal starts us, and its end (SIGHUP) is ours and the debuggee's. */
static bool catch_signals(bool own_session) {
    if (pipe(signal_pipe) != 0) {
        return false;
    }
    for (int index = 0; index < 2; index++) {
        (void)fcntl(signal_pipe[index], F_SETFD, FD_CLOEXEC);
        (void)fcntl(signal_pipe[index], F_SETFL, O_NONBLOCK);
    }
    struct sigaction ignore = {.sa_handler = SIG_IGN};
    static const int ignored[] = {SIGINT, SIGHUP, SIGQUIT, SIGPIPE};
    for (size_t index = 0; index < sizeof ignored / sizeof *ignored; index++) {
        (void)sigaction(ignored[index], &ignore, NULL);
    }
    struct sigaction handle = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
    (void)sigaction(SIGCHLD, &handle, NULL);
    (void)sigaction(SIGTERM, &handle, NULL);
    if (!own_session) {
        (void)sigaction(SIGHUP, &handle, NULL);
    }
    /* A mask inherited from the adapter would keep both away. */
    sigset_t none;
    (void)sigemptyset(&none);
    (void)sigprocmask(SIG_SETMASK, &none, NULL);
    return true;
}

static void end_group(const struct launcher *launcher) {
    if (launcher->options.end_group && !launcher->released) {
        group_end(launcher->debuggee.pid); /* it leads a session, and so a group, of its own */
    }
}

static void handle_command(const char *line, void *context) {
    struct launcher *launcher = context;
    if (strcmp(line, COMMAND_GO) == 0) {
        launcher->gate_opened = true;
        debuggee_open_gate(&launcher->debuggee);
    } else if (strcmp(line, COMMAND_KILL) == 0) {
        if (!launcher->ended) {
            (void)kill(launcher->debuggee.pid, SIGKILL);
            end_group(launcher);
        }
    } else if (strcmp(line, COMMAND_RELEASE) == 0) {
        launcher->released = true;
    }
}

static void report_exec(struct launcher *launcher) {
    int error = debuggee_exec_result(&launcher->debuggee);
    launcher->exec_reported = true;
    if (error != 0) {
        launcher->exec_failed = true;
        control_send(&launcher->control, LINE_EXEC_FAILED " %d", error);
    } else if (launcher->gate_opened) {
        control_send(&launcher->control, LINE_RUNNING);
    }
}

static void report_end(struct launcher *launcher, int status) {
    launcher->ended = true;
    if (!launcher->exec_reported) {
        report_exec(launcher);
    }
    traces_remove(launcher->debuggee.pid, launcher->debuggee.start_time);
    if (WIFSIGNALED(status)) {
        launcher->exit_code = SIGNAL_EXIT_BASE + WTERMSIG(status);
        control_send(&launcher->control, LINE_SIGNAL " %d %d", WTERMSIG(status), WCOREDUMP(status) ? 1 : 0);
    } else {
        launcher->exit_code = WEXITSTATUS(status);
        if (!launcher->exec_failed) {
            control_send(&launcher->control, LINE_EXIT " %d", launcher->exit_code);
        }
    }
}

static void reap_if_ended(struct launcher *launcher, bool block) {
    int status = 0;
    if (!launcher->ended && debuggee_reap(&launcher->debuggee, block, &status)) {
        end_group(launcher); /* at once: the number could be given to others later */
        report_end(launcher, status);
    }
}

static void take_signals(struct launcher *launcher) {
    unsigned char signals[64];
    ssize_t count = read(signal_pipe[0], signals, sizeof signals);
    for (ssize_t index = 0; index < count; index++) {
        if ((signals[index] == SIGTERM || signals[index] == SIGHUP) && !launcher->released) {
            launcher->terminating = true;
        }
    }
    reap_if_ended(launcher, false);
    debuggee_reap_copies(&launcher->debuggee);
}

/* Reads and discards from a pipe of the debuggee; whether more may come. */
static bool discard(int fd) {
    char bytes[DISCARD_SIZE];
    ssize_t count = read(fd, bytes, sizeof bytes);
    return count > 0 || (count < 0 && (errno == EINTR || errno == EAGAIN));
}

/* Polls everything once. Slots: signals, exec status, control, drains. */
static void wait_for_something(struct launcher *launcher) {
    struct pollfd slots[3 + MAX_DRAINS];
    nfds_t count = 3;
    /* poll ignores negative descriptors */
    slots[0] = (struct pollfd){.fd = signal_pipe[0], .events = POLLIN};
    slots[1] = (struct pollfd){.fd = launcher->debuggee.status_fd, .events = POLLIN};
    slots[2] = (struct pollfd){.fd = launcher->adapter_gone ? -1 : launcher->control.fd, .events = POLLIN};
    for (int index = 0; launcher->adapter_gone && index < launcher->options.drain_count; index++) {
        slots[count++] = (struct pollfd){.fd = launcher->options.drain_fds[index], .events = POLLIN};
    }
    if (poll(slots, count, -1) < 0) {
        return;
    }
    if (slots[2].revents != 0 && !control_receive(&launcher->control, handle_command, launcher)) {
        launcher->adapter_gone = true;
        traces_release_startup(launcher->debuggee.pid, launcher->debuggee.start_time);
    }
    if (slots[1].revents != 0) {
        report_exec(launcher);
    }
    if (slots[0].revents != 0) {
        take_signals(launcher);
    }
    for (nfds_t index = 3; index < count; index++) {
        int *fd = &launcher->options.drain_fds[index - 3];
        if (slots[index].revents != 0 && !discard(*fd)) {
            (void)close(*fd);
            *fd = -1;
        }
    }
}

static void end_debuggee(struct launcher *launcher) {
    traces_release_startup(launcher->debuggee.pid, launcher->debuggee.start_time);
    if (!launcher->ended) {
        (void)kill(launcher->debuggee.pid, SIGKILL);
        end_group(launcher);
        reap_if_ended(launcher, true);
    }
}

static bool is_done(const struct launcher *launcher) {
    if (launcher->terminating) {
        return true;
    }
    return launcher->adapter_gone && (launcher->ended || !launcher->released);
}

static void keep_own_descriptors(const struct launcher *launcher) {
    int kept[MAX_DRAINS + 3];
    int count = 0;
    kept[count++] = launcher->control.fd;
    if (launcher->options.port_fd >= 0) {
        kept[count++] = launcher->options.port_fd;
    }
    for (int index = 0; index < launcher->options.drain_count; index++) {
        kept[count++] = launcher->options.drain_fds[index];
    }
    kept[count] = -1;
    descriptors_keep_only(kept);
}

static int cannot_start(struct launcher *launcher, const char *step) {
    int error = errno;
    control_send(&launcher->control, LINE_START_FAILED " %s %d", step, error);
    (void)fprintf(stderr, "dap-dotnet-launcher: %s: %s\n", step, strerror(error));
    return EXIT_CANNOT_START;
}

/* A process that the adapter attaches to. */
struct watch {
    struct connection connection;
    bool attached; /* until it is known to run on without a debugger */
    bool unanswered;
    bool released;
};

static void handle_watch_command(const char *line, void *context) {
    struct watch *watch = context;
    if (strcmp(line, COMMAND_ATTACHED) == 0) {
        watch->attached = true;
    } else if (strcmp(line, COMMAND_RUNS) == 0) {
        watch->attached = false;
    } else if (strcmp(line, COMMAND_UNANSWERED) == 0) {
        watch->unanswered = true;
    } else if (strcmp(line, COMMAND_RELEASE) == 0) {
        watch->released = true;
    }
}

/* Waits for the adapter's end, or its word that it has detached. */
static int watch_over(struct control *control, pid_t pid) {
    struct watch watch = {.released = false};
    journal_open();
    pipes_look_at(pid, &watch.connection);
    (void)signal(SIGTERM, SIG_IGN); /* whoever ends everything ends the process itself */
    descriptors_drop_standard_streams();
    control_send(control, LINE_WATCHING);
    while (control_receive(control, handle_watch_command, &watch)) {
    }
    if (watch.released) {
        journal("released; attached: %d", watch.attached);
        if (watch.attached) {
            turn_take(pid);
        }
        return !watch.attached || farewell_see_it_run(&watch.connection) ? 0 : EXIT_CANNOT_START;
    }
    turn_take(pid);
    if (watch.unanswered) {
        journal("the runtime did not answer");
        return farewell_free(&watch.connection) ? 0 : EXIT_CANNOT_START;
    }
    if (!watch.attached) { /* the adapter may have ended while the runtime waited for it to attach */
        traces_release_startup(pid, watch.connection.start_time);
    }
    return farewell_detach(&watch.connection) ? 0 : EXIT_CANNOT_START;
}

int main(int argc, char **argv) {
    struct launcher launcher = {.debuggee = {.gate_fd = -1, .status_fd = -1}};
    if (!options_parse(argc, argv, &launcher.options)) {
        return EXIT_USAGE;
    }
    bool own_session = launcher.options.connect_path == NULL;
    if (own_session) {
        (void)setsid();
        control_adopt(&launcher.control, launcher.options.control_fd);
    } else if (!control_connect(&launcher.control, launcher.options.connect_path)) {
        (void)fprintf(stderr, "dap-dotnet-launcher: cannot reach the debugger at %s: %s\n",
                      launcher.options.connect_path, strerror(errno));
        return EXIT_CANNOT_START;
    }
    keep_own_descriptors(&launcher);
    if (!catch_signals(own_session)) {
        return cannot_start(&launcher, "pipe");
    }
    if (launcher.options.watched_pid != 0) {
        return watch_over(&launcher.control, launcher.options.watched_pid);
    }
    if (launcher.options.copied_pid != 0) {
        return copying_serve(&launcher.control, launcher.options.copied_pid, launcher.options.parent_reaps);
    }
    if (launcher.options.port_fd >= 0) {
        (void)signal(SIGTERM, SIG_IGN); /* whoever ends everything ends those that may call, too */
        descriptors_drop_standard_streams();
        return port_keep(&launcher.control, launcher.options.port_fd, launcher.options.port_path);
    }
    const char *failed_step =
        debuggee_fork(&launcher.debuggee, launcher.options.directory, launcher.options.command, own_session);
    if (failed_step != NULL) {
        return cannot_start(&launcher, failed_step);
    }
    if (own_session) {
        descriptors_drop_standard_streams();
    }
    control_send(&launcher.control, LINE_PID " %d %llu", (int)launcher.debuggee.pid, launcher.debuggee.start_time);
    while (!is_done(&launcher)) {
        wait_for_something(&launcher);
    }
    end_debuggee(&launcher);
    return launcher.exit_code;
}
