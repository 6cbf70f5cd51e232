#include "tracing.h"

#include <elf.h>
#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>

#include "clock.h"

#ifdef __x86_64__

_Static_assert(sizeof(struct user_regs_struct) == TRACING_REGISTERS_SIZE, "the registers of x86-64");

enum {
    SYSCALL_STOP = SIGTRAP + 0x80,
    INSTRUCTION_SIZE = 2,
    CALL_TIMEOUT_MS = 30000, /* fork of a large process */
    MOST_STOPS = 64,
    POLL_NS = 20000,
};

static const unsigned long mask_size = 8;
static const unsigned char syscall_instruction[INSTRUCTION_SIZE] = {0x0f, 0x05};

/* Waits for the next stop. Returns 0 with its status, or an errno. */
static int next_stop(pid_t thread, int timeout_ms, int *out_status) {
    const long long deadline_ms = now_ms() + timeout_ms;
    for (int round = 0;; round++) {
        const pid_t waited = waitpid(thread, out_status, __WALL | WNOHANG);
        if (waited == thread) {
            return WIFSTOPPED(*out_status) ? 0 : ESRCH;
        }
        if (waited < 0 && errno != EINTR) {
            return ESRCH;
        }
        if (now_ms() >= deadline_ms) {
            return ETIMEDOUT;
        }
        if (round > 8) {
            const struct timespec pause = {0, POLL_NS};
            (void)nanosleep(&pause, NULL);
        }
    }
}

static int event_of(int status) { return (int)((unsigned)status >> 16U); }

/* The signal to hand on at a stop: none, unless it is the delivery of one. */
static int signal_of(int status) {
    const int number = WSTOPSIG(status);
    return event_of(status) != 0 || number == SYSCALL_STOP || number == SIGTRAP ? 0 : number;
}

static int read_registers(pid_t thread, struct user_regs_struct *registers) {
    struct iovec place = {registers, sizeof *registers};
    return ptrace(PTRACE_GETREGSET, thread, NT_PRSTATUS, &place) == 0 ? 0 : errno;
}

static int write_registers(pid_t thread, const struct user_regs_struct *registers) {
    struct iovec place = {(void *)registers, sizeof *registers};
    return ptrace(PTRACE_SETREGSET, thread, NT_PRSTATUS, &place) == 0 ? 0 : errno;
}

static int resume(int request, pid_t thread, int signal_number) {
    return ptrace(request, thread, NULL, (long)signal_number) == 0 ? 0 : errno;
}

/* Goes on until a stop that PTRACE_INTERRUPT has asked for. */
static int run_to_interrupt(pid_t thread, int timeout_ms) {
    for (int stops = 0; stops < MOST_STOPS; stops++) {
        int status = 0;
        int error = next_stop(thread, timeout_ms, &status);
        if (error != 0 || event_of(status) == PTRACE_EVENT_STOP) {
            return error;
        }
        error = resume(PTRACE_CONT, thread, signal_of(status));
        if (error != 0) {
            return error;
        }
    }
    return ETIMEDOUT;
}

/* Goes on until the next entry or exit of a system call. */
static int run_to_call(pid_t thread, pid_t *out_child) {
    int signal_number = 0;
    for (int stops = 0; stops < MOST_STOPS; stops++) {
        int status = 0;
        int error = resume(PTRACE_SYSCALL, thread, signal_number);
        if (error == 0) {
            error = next_stop(thread, CALL_TIMEOUT_MS, &status);
        }
        if (error != 0) {
            return error;
        }
        if (event_of(status) == 0 && WSTOPSIG(status) == SYSCALL_STOP) {
            return 0;
        }
        if (event_of(status) == PTRACE_EVENT_CLONE || event_of(status) == PTRACE_EVENT_FORK) {
            unsigned long child = 0;
            (void)ptrace(PTRACE_GETEVENTMSG, thread, NULL, &child);
            *out_child = (pid_t)child;
        }
        signal_number = signal_of(status);
    }
    return ETIMEDOUT;
}

static int make_call(pid_t thread, const struct user_regs_struct *before, struct injected_call *call) {
    struct user_regs_struct registers = *before;
    registers.rip -= INSTRUCTION_SIZE;
    registers.rax = (unsigned long)call->number;
    registers.orig_rax = ~0UL; /* what it waited in is not to be begun again yet */
    registers.rdi = call->arguments[0];
    registers.rsi = call->arguments[1];
    registers.rdx = call->arguments[2];
    registers.r10 = call->arguments[3];
    registers.r8 = call->arguments[4];
    call->child = 0;
    int error = write_registers(thread, &registers);
    for (int half = 0; error == 0 && half < 2; half++) { /* its entry, its exit */
        error = run_to_call(thread, &call->child);
    }
    if (error == 0) {
        error = read_registers(thread, &registers);
        call->result = (long)registers.rax;
    }
    return error;
}

int tracing_hold(pid_t thread, int timeout_ms, struct held_thread *out_held) {
    const unsigned long options = (unsigned long)PTRACE_O_TRACESYSGOOD + PTRACE_O_TRACEFORK + PTRACE_O_TRACECLONE;
    if (ptrace(PTRACE_SEIZE, thread, NULL, options) != 0) {
        return errno;
    }
    out_held->id = thread;
    int error = ptrace(PTRACE_INTERRUPT, thread, NULL, NULL) == 0 ? 0 : errno;
    if (error == 0) {
        error = run_to_interrupt(thread, timeout_ms);
    }
    if (error == 0) {
        error = read_registers(thread, (struct user_regs_struct *)out_held->registers);
    }
    if (error != 0 && error != ETIMEDOUT) {
        (void)ptrace(PTRACE_DETACH, thread, NULL, NULL);
    }
    return error;
}

bool tracing_can_call(const struct held_thread *held) {
    struct user_regs_struct registers;
    memcpy(&registers, held->registers, sizeof registers);
    errno = 0;
    const long word = ptrace(PTRACE_PEEKTEXT, held->id, registers.rip - INSTRUCTION_SIZE, NULL);
    return errno == 0 && (long)registers.orig_rax >= 0 && memcmp(&word, syscall_instruction, INSTRUCTION_SIZE) == 0;
}

int tracing_call(const struct held_thread *held, struct injected_call *calls, int count) {
    struct user_regs_struct before;
    memcpy(&before, held->registers, sizeof before);
    uint64_t mask = 0;
    const uint64_t all = ~0ULL;
    if (ptrace(PTRACE_GETSIGMASK, held->id, mask_size, &mask) != 0 ||
        ptrace(PTRACE_SETSIGMASK, held->id, mask_size, &all) != 0) {
        return errno;
    }
    int error = 0;
    for (int index = 0; error == 0 && index < count; index++) {
        error = make_call(held->id, &before, &calls[index]);
    }
    /* It begins again what it waited in only when it leaves a stop of this kind, with its registers as they were. */
    (void)write_registers(held->id, &before);
    (void)ptrace(PTRACE_SETSIGMASK, held->id, mask_size, &mask);
    (void)ptrace(PTRACE_INTERRUPT, held->id, NULL, NULL);
    (void)resume(PTRACE_CONT, held->id, 0);
    const int stop_error = run_to_interrupt(held->id, CALL_TIMEOUT_MS);
    return error != 0 ? error : stop_error;
}

void tracing_release(const struct held_thread *held) { (void)ptrace(PTRACE_DETACH, held->id, NULL, NULL); }

bool tracing_release_late(pid_t thread) {
    int status = 0;
    const pid_t waited = waitpid(thread, &status, __WALL | WNOHANG);
    if (waited == thread && WIFSTOPPED(status)) {
        (void)ptrace(PTRACE_DETACH, thread, NULL, (long)signal_of(status));
    }
    return waited != 0;
}

int tracing_keep_child(pid_t child, struct injected_call *calls, int count) {
    struct user_regs_struct registers;
    const unsigned long options = (unsigned long)PTRACE_O_TRACESYSGOOD + PTRACE_O_EXITKILL;
    int status = 0;
    int error = next_stop(child, CALL_TIMEOUT_MS, &status);
    if (error == 0 && ptrace(PTRACE_SETOPTIONS, child, NULL, options) != 0) {
        error = errno;
    }
    if (error == 0) {
        error = read_registers(child, &registers);
    }
    for (int index = 0; error == 0 && index < count; index++) {
        error = make_call(child, &registers, &calls[index]);
    }
    return error;
}

#else

int tracing_hold(pid_t thread, int timeout_ms, struct held_thread *out_held) {
    (void)thread, (void)timeout_ms, (void)out_held;
    return ENOSYS;
}

bool tracing_can_call(const struct held_thread *held) {
    (void)held;
    return false;
}

int tracing_call(const struct held_thread *held, struct injected_call *calls, int count) {
    (void)held, (void)calls, (void)count;
    return ENOSYS;
}

void tracing_release(const struct held_thread *held) { (void)held; }

bool tracing_release_late(pid_t thread) {
    (void)thread;
    return true;
}

int tracing_keep_child(pid_t child, struct injected_call *calls, int count) {
    (void)child, (void)calls, (void)count;
    return ENOSYS;
}

#endif

void tracing_kill_child(pid_t child) {
    (void)kill(child, SIGKILL);
    int status = 0;
    for (;;) {
        const pid_t waited = waitpid(child, &status, __WALL);
        if ((waited < 0 && errno != EINTR) || (waited == child && !WIFSTOPPED(status))) {
            return;
        }
    }
}

bool tracing_child_has_ended(pid_t child) {
    int status = 0;
    const pid_t waited = waitpid(child, &status, __WALL | WNOHANG);
    return (waited < 0 && errno == ECHILD) || (waited == child && !WIFSTOPPED(status));
}
