/*
 * The launcher process: it is the debuggee's parent.
 *
 * mscordbi calls waitpid on the debuggee: were the adapter its parent, the exit status would be lost to mscordbi. So
 * the adapter starts this program, and this program forks the debuggee, holds it at a gate until the adapter is ready
 * for its runtime, reaps it, reports how it ended, and leaves nothing behind when the adapter dies, however it dies.
 *
 * Usage:
 *   dap-dotnet-launcher --control FD [--drain FD]... [--cwd DIRECTORY] [--end-group yes] -- PROGRAM [ARGUMENT]...
 *   dap-dotnet-launcher --connect PATH [--cwd DIRECTORY] -- PROGRAM [ARGUMENT]...
 *   dap-dotnet-launcher --control FD --watch PID
 *   dap-dotnet-launcher --control FD --port FD --port-path PATH
 *   dap-dotnet-launcher --control FD --copy PID [--parent-reaps yes]
 *
 * --control FD      the adapter's end is the other half of a socket pair. Launcher and debuggee get sessions of their
 *                   own, so neither a Ctrl-C in the adapter's terminal nor a kill of its process group reaches them.
 *                   Where descriptor 0 is a terminal, it controls the debuggee's session.
 * --connect PATH    connects to a Unix socket: for a launcher that a terminal starts. The debuggee stays in the
 *                   terminal's foreground process group and is controlled by it. The terminal's end (SIGHUP) is the
 *                   debuggee's, too, also while it is stopped and could not react by itself.
 * --drain FD        the read end of a pipe that the debuggee writes to. When the debuggee was released and the adapter is
 *                   gone, the launcher reads and discards what still comes, so that the program is neither blocked nor
 *                   killed by a broken pipe.
 * --cwd DIRECTORY   the debuggee's working directory.
 * --end-group yes   with the debuggee ends what it has started: all that is left in its process group. Not with --connect,
 *                   where others share the group.
 * --watch PID       starts nothing, but watches over a process that the adapter has attached to (see the end).
 * --port FD         starts nothing, but keeps a diagnostic port, a listening Unix socket (see the end); --port-path is its
 *                   path.
 * --copy PID        starts nothing, but copies a process (see the end). --parent-reaps yes: its parent is a launcher.
 * PROGRAM           is not searched for. The environment and the descriptors 0, 1 and 2 are those of the launcher;
 *                   nothing else is inherited. Signals have their default actions and none is blocked.
 *
 * The control socket carries lines of ASCII, ended by a line feed, numbers decimal.
 *
 * Launcher to adapter:
 *   pid PID START         first line: the debuggee is forked and waits at the gate. START is its start time, field 22 of
 *                         /proc/PID/stat, in clock ticks since boot; 0 where it is not known. exec does not change it.
 *   start-failed STEP ERRNO   instead of it: STEP is chdir, pipe or fork. The launcher ends.
 *   running               the gate was opened and exec succeeded.
 *   exec-failed ERRNO     exec failed; there is no debuggee. Last line.
 *   exit CODE             the debuggee ended with an exit code. Last line.
 *   signal NUMBER CORE    a signal ended it; CORE is 1 when it left a core dump, else 0. Last line.
 *
 * Adapter to launcher:
 *   go                    opens the gate.
 *   kill                  SIGKILL to the debuggee; its end is reported as always.
 *   release               the debuggee is on its own from now on: the adapter's end does not end it any more. The
 *                         launcher stays until the debuggee ends, since its own end would.
 *   Unknown lines are ignored.
 *
 * End of file on the socket means that the adapter is done or dead. Then, and on SIGTERM (unless released), the launcher
 * posts the start-up semaphore that the runtime may wait for, unlinks both, kills and reaps the debuggee (unless
 * released), removes the files that a killed runtime leaves in TMPDIR, and ends. After the debuggee's last line it waits
 * for that end of file. If the launcher itself is killed, the kernel kills the debuggee (PR_SET_PDEATHSIG).
 *
 * With --watch the launcher says `watching` and waits, from before the adapter attaches. The adapter says `attached` then,
 * and `release` when it has detached or never attached; before that `runs`, where it has seen after its detach that nothing
 * keeps the process from running. At an end of file without `release` the launcher detaches from the process in the
 * adapter's place (farewell.h). To `unanswered`, said instead of `attached` where the runtime did not answer and before an
 * end of file without `release`, it detaches in the place of whatever debugger was lost before. After any other detach it
 * sees to it that the process runs, and its exit code is 0 when it does. DAP_DOTNET_GUARDIAN_LOG names a file to which it
 * appends what it does and sees.
 *
 * With --port (port.h) the launcher says `keeping`, and then of .NET processes that call:
 *   suspended PID   it waits at its start, as this user.
 *   claimed PID     a debugger has come for it, and will let it go on.
 *   gone PID        it has ended while it waited.
 * The adapter says:
 *   pass PID        this process never waits: the program itself. Before it starts.
 *   resume PID      let it go on without a debugger.
 * At an end of file those that wait go on after a few seconds, unless a debugger comes for them; others are not held any
 * more. The launcher ends when no process is left that was started with PATH in its environment.
 *
 * With --copy (copying.h) the launcher says `copying`. The adapter says:
 *   copy            copy the process, which its debugger holds.
 *   copy-running    copy it while it runs: all its threads are held for a moment.
 *   drop COPY       end that copy.
 *   reap COPY       the process has a dead copy of a launcher that was killed: have it wait for that one.
 * A copy is answered with one of
 *   copied COPY PAUSE SHARED REGISTERS   with one to three descriptors: the copy's /proc/COPY/mem; with SHARED 1, a copy of
 *                         the file of memory that the runtime shares with it; with REGISTERS 1, a file with 8 bytes of a
 *                         thread's id and its struct user_regs_struct for each thread. PAUSE is in microseconds.
 *   not-copied STEP ERRNO   STEP is hold, fork, shared, settle, registers or memory.
 * At an end of file all copies end, and nothing of them is left in the process.
 */
#ifndef DAP_DOTNET_LAUNCHER_PROTOCOL_H
#define DAP_DOTNET_LAUNCHER_PROTOCOL_H

#define LINE_PID "pid"
#define LINE_WATCHING "watching"
#define LINE_START_FAILED "start-failed"
#define LINE_RUNNING "running"
#define LINE_EXEC_FAILED "exec-failed"
#define LINE_EXIT "exit"
#define LINE_SIGNAL "signal"

#define LINE_KEEPING "keeping"
#define LINE_SUSPENDED "suspended"
#define LINE_CLAIMED "claimed"
#define LINE_GONE "gone"

#define LINE_COPYING "copying"
#define LINE_COPIED "copied"
#define LINE_NOT_COPIED "not-copied"

#define COMMAND_GO "go"
#define COMMAND_KILL "kill"
#define COMMAND_RELEASE "release"
#define COMMAND_ATTACHED "attached"
#define COMMAND_RUNS "runs"
#define COMMAND_UNANSWERED "unanswered"
#define COMMAND_PASS "pass"
#define COMMAND_RESUME "resume"
#define COMMAND_COPY "copy"
#define COMMAND_COPY_RUNNING "copy-running"
#define COMMAND_DROP "drop"
#define COMMAND_REAP "reap"

enum {
    /* As long as the longest line may be, with its line feed. */
    LINE_CAPACITY = 128,
    EXIT_USAGE = 64,
    EXIT_CANNOT_START = 71,
};

#endif
