/*
 * cordebug_shim: ICorDebug, the debugging interface of .NET, as a flat C API.
 *
 * Conventions
 *   Names      cds_<noun>_<verb>; output parameters come last and are named out_...
 *   Lifetime   What a _create makes, its _destroy takes away. Two are forgotten earlier: a stepper with its
 *              CDS_EVENT_STEP_COMPLETED, an evaluation with the hold of its CDS_EVENT_EVAL_COMPLETED. Types and values
 *              have none: a type lives as long as its module, a value until the process runs.
 *   Results    A function that can fail returns CDS_OK (0) or a negative CDS_E_... code; cds_error_last then gives the
 *              calling thread the HRESULT and a sentence. A failed call leaves its output parameters alone unless it
 *              says otherwise. Output parameters that are NULL are refused before anything is done.
 *   Structs    One that may grow begins with its `size`, which the caller sets. The others come in arrays, are as large
 *              in every version, and end with the function that takes them.
 *   Version    CDS_VERSION grows with each incompatible change; so does the number at the end of the library's name,
 *              libcordebug_shim.so.CDS_VERSION, which is its SONAME, too. Compare it with cds_version() after loading.
 *   Ids        Modules, breakpoints, steppers, evaluations and types have ids: counted from 1, never used twice in a
 *              session, 0 for none. A thread's id is that of the operating system.
 *   Handles    A value handle is valid while the process stays held. It carries the session's generation, which grows
 *              each time the process really runs again; older handles are refused with CDS_E_STALE.
 *   Text       UTF-16 code units as the runtime has them, lone surrogates included, counted without a terminator.
 *              Paths and messages of the shim itself are UTF-8 with a terminator.
 *   Offsets    IL offsets are in bytes from the start of a method's IL. Addresses are the debuggee's.
 *
 * Threads
 *   One thread, the session thread, makes the calls. One other thread may be inside cds_event_wait at the same time.
 *   cds_error_last, cds_hresult_name and cds_version are for any thread. The runtime's own callback threads never leave
 *   the shim: a callback copies plain data into an event, queues it and returns.
 *
 * Holds
 *   An event whose `hold` is not 0 leaves the whole process stopped. cds_hold_release with that number gives back the
 *   one ICorDebugController::Continue that the event owes; it works once. Holds add up: the process runs again when the
 *   last one is released. Events without a hold have been continued inside the shim.
 *
 * What a session does to its process
 *   It loads the runtime's debugger library, libmscordbi; that library and this one are never unloaded.
 *   libmscordbi starts threads, ignores SIGPIPE, and waits for the debuggee (waitpid): do not be its parent.
 *   A handler for SIGSEGV is installed. It parks a thread that faults inside libmscordbi while the debuggee is dead or
 *   dying, and passes any other fault on to the handler that was there before.
 *   Entries of the import tables of libmscordbi and libmscordaccore are replaced (cds_accelerator_state).
 *   ICorDebugController::Stop and ICorDebugEval::Abort run on threads of their own, which are left behind where they do
 *   not return. The runtime's root objects are kept until the process ends.
 */
#ifndef CORDEBUG_SHIM_H
#define CORDEBUG_SHIM_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#pragma GCC visibility push(default)
#endif

/* The body between the two marks is what cffi reads: no preprocessor there but plain #define NAME number. */
/* cffi: begin */

#define CDS_VERSION 3

/* ---- Results ------------------------------------------------------------------------------------------------ */

#define CDS_OK 0
/* The caller broke the contract of this header. */
#define CDS_E_ARGUMENT -1
#define CDS_E_MEMORY -2
/* A defect of the shim; the sentence has the details. */
#define CDS_E_INTERNAL -3
/* ICorDebug refused; the HRESULT says why. */
#define CDS_E_RUNTIME -4
/* A handle or hold of an earlier stop, or a hold released before. */
#define CDS_E_STALE -5
/* The process ended or was detached from. */
#define CDS_E_GONE -6
#define CDS_E_TIMEOUT -7
/* The caller's buffer is too small; the needed count is in the output parameter. */
#define CDS_E_BUFFER -8
/* No such module, thread, frame, type, breakpoint, stepper or evaluation. */
#define CDS_E_NOT_FOUND -9
/* The value is not of the kind asked for: no object, array or string, or a null reference. */
#define CDS_E_KIND -10
/* An operating-system call failed. */
#define CDS_E_SYSTEM -11
#define CDS_E_NO_PROCESS -20
#define CDS_E_PERMISSION -21
/* The process has not loaded a .NET runtime. */
#define CDS_E_NOT_DOTNET -22
/* libmscordbi is missing beside the runtime, or cannot be loaded. */
#define CDS_E_NO_DEBUGGER -23
/* The runtime's debugger pipes are not in this process's temporary folder. */
#define CDS_E_NO_PIPES -24
/* Only one debugger can have a process: it is seen before anything is done, since a second one would hang the first. */
#define CDS_E_ALREADY_DEBUGGED -25
/* The runtime lies inside the executable: a self-contained single-file program. */
#define CDS_E_SINGLE_FILE -26
/* Start-up of this process is being waited for already. */
#define CDS_E_STARTUP_CLAIMED -27
/* The runtime's files were removed or replaced on disk after the process had started. */
#define CDS_E_RUNTIME_REPLACED -28
/* Others than root and this user could have written the runtime's debugger library. */
#define CDS_E_UNTRUSTED -29
/* The process is in a container or has a file system of its own: its debugger must be there, too. */
#define CDS_E_OTHER_NAMESPACE -30
/* The session is over memory that stands still: nothing of the process runs or changes. */
#define CDS_E_FROZEN -31
/* The file is no core dump, or is damaged. */
#define CDS_E_CORE -32

typedef struct cds_error {
    uint32_t size;     /* sizeof(cds_error) */
    int32_t code;      /* CDS_E_... */
    int32_t hresult;   /* of CDS_E_RUNTIME and CDS_E_GONE, errno of CDS_E_SYSTEM, else 0 */
    char message[512]; /* UTF-8, a sentence for a person */
} cds_error;

/* The last error of the calling thread. Nothing is written where `size` is not set. */
void cds_error_last(cds_error* out_error);

/* The name of an HRESULT, such as CORDBG_E_BAD_THREAD_STATE; NULL for one without a known name. Static storage. */
const char* cds_hresult_name(int32_t hresult);

/* Version of this API: CDS_VERSION of the header that it was built with. Grows with each incompatible change. */
int32_t cds_version(void);

/*
 * What of the accelerator is in use, 0 for nothing: CDS_ACCELERATOR_... bits. Known once a session has been created,
 * pages once data came from the process. It makes the runtime's debugger libraries faster and changes no answer; where
 * it does not fit it stays out. DAP_DOTNET_ACCELERATOR=0 in the environment keeps it out altogether.
 */
#define CDS_ACCELERATOR_HASH_CHUNK 1
#define CDS_ACCELERATOR_PAGES 2
int32_t cds_accelerator_state(void);

/* Why a part (one of the two bits) is in use or not: "on", or a few words. Static storage. Any thread. */
const char* cds_accelerator_reason(int32_t part);

/*
 * Load the debugger libraries of a runtime without a process, as its first session would, so that
 * cds_accelerator_reason tells what fits it. `runtime_folder` is that of libcoreclr.so, UTF-8; `flags` are
 * CDS_SESSION_... For a process that does nothing else: two runtimes cannot share one. CDS_E_UNTRUSTED and
 * CDS_E_NO_DEBUGGER as cds_session_create.
 */
int32_t cds_accelerator_install(const char* runtime_folder, uint32_t flags);

/* Switch it off, or on again where it was installed. Any thread, any time. */
void cds_accelerator_enable(int32_t enabled);

/* How many reads of the debuggee's memory it has answered. */
uint64_t cds_accelerator_cached_reads(void);

/* ---- Starting together with a process ----------------------------------------------------------------------- */

/* The hand-shake with a runtime that is about to start in a known process. */
typedef struct cds_startup cds_startup;

/*
 * Make the runtime of a process wait for a debugger. The process must exist and must not have started its runtime:
 * hold it at a gate before exec. Where two of these meet for one process the second gets CDS_E_STARTUP_CLAIMED.
 */
int32_t cds_startup_create(uint32_t process_id, cds_startup** out_startup);

/*
 * Wait up to `timeout_ms` for the runtime to come up: CDS_OK when it stands and waits, and its debugger thread waits
 * too (or did not within 5 s), CDS_E_TIMEOUT when not yet. Call it again in slices, and look between them whether the
 * process still lives.
 */
int32_t cds_startup_wait(cds_startup* startup, uint32_t timeout_ms);

/*
 * End the hand-shake: post, close and unlink its semaphores. Idempotent, and implied by cds_startup_destroy. A runtime
 * that has not started yet will run without a debugger. One for which cds_startup_wait said CDS_OK goes on when a
 * session is attached; without one it waits for a debugger for ever, and the caller must kill it.
 */
void cds_startup_finish(cds_startup* startup);

/* Finish and free. NULL is ignored. */
void cds_startup_destroy(cds_startup* startup);

/* ---- Sessions ----------------------------------------------------------------------------------------------- */

/*
 * One process under control. One session at a time for each process of the debugger, but for frozen ones, and all of them
 * for one runtime: the libraries of two cannot share a process. What an ended session leaves stays (docs/decisions/0016-shim-letting-go.md).
 */
typedef struct cds_session cds_session;

/*
 * Load the runtime's debugger library whoever may have written it. Its code runs with this process's rights: for a
 * process that this user has started, or trusts.
 */
#define CDS_SESSION_TRUST_RUNTIME 1

typedef struct cds_session_options {
    uint32_t size;       /* sizeof(cds_session_options) */
    uint32_t timeout_ms; /* how long the runtime's debugger pipes may take to appear */
    /* The process's TMPDIR, where runtime and debugger meet; UTF-8. NULL: as this process's. */
    const char* temporary_folder;
    uint32_t flags;    /* CDS_SESSION_... */
    uint32_t reserved; /* 0 */
} cds_session_options;

/*
 * Attach to a process: at start-up between cds_startup_wait and cds_startup_finish, or at any later time.
 * Events follow at once: ProcessCreated, then the modules and threads that are there. Blocks some milliseconds; up to
 * 10 seconds where the runtime does not answer. CDS_E_UNTRUSTED when the debugger library beside the runtime, or a
 * folder above it, does not belong to root or this user, or others may write there. CDS_E_NO_DEBUGGER also when an
 * earlier session had another runtime, or has broken the library.
 */
int32_t cds_session_create(uint32_t process_id, const cds_session_options* options, cds_session** out_session);

/* What a core dump says of its process. */
typedef struct cds_core {
    uint32_t size; /* sizeof(cds_core) */
    uint32_t process_id;
    uint32_t signal;         /* that ended it; 0 for none */
    uint32_t thread;         /* that took the signal, or 0 */
    char build_id[136];      /* of the runtime's library, in hexadecimal digits; empty where the dump does not tell */
    char runtime_path[4096]; /* of the runtime's library, as the process had it; UTF-8 */
} cds_core;

/* Look into a core dump. CDS_E_SYSTEM, CDS_E_CORE; CDS_E_NOT_DOTNET for a process without a .NET runtime. */
int32_t cds_core_describe(const char* path, cds_core* out_core);

/*
 * Open a core dump as a frozen session, with the libraries in `runtime_folder`, UTF-8, where the runtime of the very
 * build has to lie that the process had: CDS_E_NO_DEBUGGER otherwise. `flags` are CDS_SESSION_...; CDS_E_UNTRUSTED as
 * cds_session_create, CDS_E_CORE and CDS_E_NOT_DOTNET as cds_core_describe. Modules and threads come as events, which
 * hold nothing: a frozen session is held from its beginning to its end. cds_session_stop is answered at once. What
 * would act on the process answers CDS_E_FROZEN.
 */
int32_t cds_core_open(const char* path, const char* runtime_folder, uint32_t flags, cds_session** out_session);

/*
 * Copies of a process that runs, or that a debugger holds: forks of it that never run, made by another process (the
 * launcher, --copy). `control` is the socket to that one, which is taken over, also where this fails. The copier, its
 * snapshots and their sessions are destroyed in any order; its process ends after the last of them, and with it all copies,
 * as they do when this process ends. CDS_E_SYSTEM where the copier does not answer.
 */
typedef struct cds_copier cds_copier;
int32_t cds_copier_create(uint32_t process_id, int32_t control, cds_copier** out_copier);

/* NULL is ignored. */
void cds_copier_destroy(cds_copier* copier);

/* A process as it was at a moment. Holds about 0.3 MB, its page tables, and what the process has changed since. */
typedef struct cds_snapshot cds_snapshot;

typedef struct cds_snapshot_info {
    uint32_t size;       /* sizeof(cds_snapshot_info) */
    uint32_t process_id; /* of the copy */
    uint32_t pause_us;   /* how long the process was held for it */
    uint32_t reserved;
} cds_snapshot_info;

/* The process runs: all its threads are held for the moment, and their registers recorded. Else a session holds it. */
#define CDS_SNAPSHOT_RUNNING 1

/*
 * Copy the process as it is now; `flags` are CDS_SNAPSHOT_... Blocks some milliseconds. CDS_E_NO_PROCESS, CDS_E_PERMISSION,
 * CDS_E_ALREADY_DEBUGGED where another one traces it, CDS_E_TIMEOUT where no thread waits in the system, CDS_E_SYSTEM.
 */
int32_t cds_snapshot_create(cds_copier* copier, uint32_t flags, cds_snapshot_info* out_info,
                            cds_snapshot** out_snapshot);

/*
 * Open a copy as a frozen session, as cds_core_open does, with the libraries of the runtime that the process has. Any number
 * of sessions, also beside that of the process itself. `flags` are CDS_SESSION_... CDS_E_NO_DEBUGGER where the runtime on
 * disk is another one by now; CDS_E_NOT_DOTNET.
 */
int32_t cds_snapshot_open(cds_snapshot* snapshot, uint32_t flags, cds_session** out_session);

/* The copy ends once no session is over it. NULL is ignored. */
void cds_snapshot_destroy(cds_snapshot* snapshot);

/* Look at a process that runs: cds_snapshot_create and cds_snapshot_open; the copy ends with the session. */
int32_t cds_peek_open(cds_copier* copier, uint32_t flags, cds_snapshot_info* out_info, cds_session** out_session);

/* Whether a session is over memory that stands still: 0 or 1. */
int32_t cds_session_is_frozen(cds_session* session);

/*
 * Let go of the process, if that was not done, and free the session; NULL is ignored. CDS_OK: the process was let go,
 * or has ended. Any other code: it could not be let go in 3 s, such as one that cannot be stopped. It is free of
 * breakpoints where it could be stopped, is continued at whatever it reports, and may stand for ever once this debugger
 * ends: then somebody must detach in its place, or kill it. A thread inside cds_event_wait must have left it before:
 * call cds_session_shutdown first.
 */
int32_t cds_session_destroy(cds_session* session);

/* Wake the thread inside cds_event_wait and refuse further waits with CDS_E_GONE. Any thread. */
void cds_session_shutdown(cds_session* session);

/* UTF-8 path of the runtime's library; owned by the session. */
const char* cds_session_runtime_path(cds_session* session);

/* Grows each time the process runs again. */
uint64_t cds_session_generation(cds_session* session);

/*
 * Remove all breakpoints and steppers and let the process run on without a debugger. The process must be held. Takes up
 * to `timeout_ms` where callbacks are still queued. After success only _destroy and event calls are useful.
 * Where it fails after it began (any code but CDS_E_ARGUMENT and CDS_E_RUNTIME for a running process), the session
 * stays attached and the process runs: no breakpoint, stepper, evaluation, pin or hold is left. It can be stopped and
 * detached from again. Where the runtime does not answer (CDS_E_TIMEOUT, and CDS_E_GONE from then on) the session is
 * over but the process is not let go, as cds_session_destroy then says.
 */
int32_t cds_session_detach(cds_session* session, uint32_t timeout_ms);

/*
 * Prepare for the process being killed by other means: stop it if it runs, so that the runtime's library is idle. It
 * crashes now and then when its process vanishes while it handles an event. After this, and also with CDS_E_TIMEOUT
 * when the process did not stop in time, all holds are forgotten without a Continue, and only CDS_EVENT_PROCESS_EXITED
 * comes.
 */
int32_t cds_session_quiesce(cds_session* session, uint32_t timeout_ms);

/* End the process at once: ICorDebugController::Terminate. CDS_EVENT_PROCESS_EXITED follows. */
int32_t cds_session_terminate(cds_session* session, uint32_t exit_code);

/* Give up one hold: exactly one Continue. CDS_E_STALE when it was given up before. */
int32_t cds_hold_release(cds_session* session, uint64_t hold);

/*
 * Ask for ICorDebugController::Stop on a thread of the shim. CDS_EVENT_STOPPED or CDS_EVENT_STOP_TIMED_OUT follows;
 * after a time-out a late Stop still gives its CDS_EVENT_STOPPED. While one Stop is under way a second only gets a new
 * deadline.
 */
int32_t cds_session_stop(cds_session* session, uint32_t timeout_ms);

/*
 * Whether callbacks wait until the process goes on: ICorDebugController::HasQueuedCallbacks. `out_waiting` 0 or 1.
 * After an attach they tell of what the process consists of.
 */
int32_t cds_session_has_queued_callbacks(cds_session* session, int32_t* out_waiting);

/* Which exception phases become events, as a set of bits 1 << CorDebugExceptionCallbackType. At first 1 <<
 * CDS_EXCEPTION_UNHANDLED. */
int32_t cds_session_set_exception_interest(cds_session* session, uint32_t phases);

/* Read memory; `out_read` is less than `size` where the readable memory ends. */
int32_t cds_memory_read(cds_session* session, uint64_t address, uint32_t size, uint8_t* buffer, uint32_t* out_read);

/* Write memory; CDS_E_RUNTIME unless all of it could be written. */
int32_t cds_memory_write(cds_session* session, uint64_t address, uint32_t size, const uint8_t* content);

/* ---- Events ------------------------------------------------------------------------------------------------- */

/* Kinds, with the fields of cds_event that each has. [hold] marks those that hold the process. */
#define CDS_EVENT_PROCESS_CREATED 1
/* [hold] module, text path, address, module_size, flags CDS_MODULE_... */
#define CDS_EVENT_MODULE_LOADED 2
/* module */
#define CDS_EVENT_MODULE_UNLOADED 3
/* thread */
#define CDS_EVENT_THREAD_STARTED 4
/* thread */
#define CDS_EVENT_THREAD_EXITED 5
/* thread, 0 for an application domain */
#define CDS_EVENT_THREAD_RENAMED 6
/*
 * [hold] thread, object: the breakpoint, module, token, il_offset; with a read plan detail: its number, values,
 * value_count, and in text the heads of their strings
 */
#define CDS_EVENT_BREAKPOINT_HIT 7
/* [hold] thread, object: the stepper, detail: CorDebugStepReason */
#define CDS_EVENT_STEP_COMPLETED 8
/* [hold] thread */
#define CDS_EVENT_DEBUGGER_BREAK 9
/* [hold] thread, detail: CorDebugExceptionCallbackType; module, token, il_offset or 0, 0, CDS_NO_OFFSET */
#define CDS_EVENT_EXCEPTION 10
/* [hold] thread, object: the evaluation, detail: 1 when it threw */
#define CDS_EVENT_EVAL_COMPLETED 11
/* thread, detail: level, text: category, text2: message */
#define CDS_EVENT_MESSAGE_LOGGED 12
/* [hold] a requested stop took effect */
#define CDS_EVENT_STOPPED 13
/* a requested stop did not take effect in its time; detail: the HRESULT when Stop itself failed, else 0 */
#define CDS_EVENT_STOP_TIMED_OUT 14
/* [hold] object: the breakpoint, detail: HRESULT */
#define CDS_EVENT_BREAKPOINT_FAILED 15
/* detail: HRESULT */
#define CDS_EVENT_RUNTIME_FAILED 16
/* the runtime is gone */
#define CDS_EVENT_PROCESS_EXITED 17

#define CDS_MODULE_DYNAMIC 1
#define CDS_MODULE_IN_MEMORY 2
#define CDS_MODULE_MAPPED_LAYOUT 4

#define CDS_NO_OFFSET 0xffffffff

/* The runtime's own numbers, as its names are: CorDebugStepReason, */
#define CDS_STEP_REASON_NORMAL 0
#define CDS_STEP_REASON_RETURN 1
#define CDS_STEP_REASON_CALL 2
#define CDS_STEP_REASON_EXCEPTION_FILTER 3
#define CDS_STEP_REASON_EXCEPTION_HANDLER 4
#define CDS_STEP_REASON_INTERCEPT 5
#define CDS_STEP_REASON_EXIT 6
/* CorDebugExceptionCallbackType, */
#define CDS_EXCEPTION_FIRST_CHANCE 1
#define CDS_EXCEPTION_USER_FIRST_CHANCE 2
#define CDS_EXCEPTION_CATCH_HANDLER_FOUND 3
#define CDS_EXCEPTION_UNHANDLED 4
/* CorDebugUserState (bits), */
#define CDS_USER_STATE_STOP_REQUESTED 0x1
#define CDS_USER_STATE_SUSPEND_REQUESTED 0x2
#define CDS_USER_STATE_BACKGROUND 0x4
#define CDS_USER_STATE_UNSTARTED 0x8
#define CDS_USER_STATE_STOPPED 0x10
#define CDS_USER_STATE_WAIT_SLEEP_JOIN 0x20
#define CDS_USER_STATE_SUSPENDED 0x40
#define CDS_USER_STATE_UNSAFE_POINT 0x80
#define CDS_USER_STATE_THREADPOOL 0x100
/* CorDebugMappingResult (bits), */
#define CDS_MAPPING_PROLOG 0x1
#define CDS_MAPPING_EPILOG 0x2
#define CDS_MAPPING_NO_INFO 0x4
#define CDS_MAPPING_UNMAPPED_ADDRESS 0x8
#define CDS_MAPPING_EXACT 0x10
#define CDS_MAPPING_APPROXIMATE 0x20
/* CorDebugInternalFrameType, */
#define CDS_INTERNAL_FRAME_NONE 0
#define CDS_INTERNAL_FRAME_M2U 1
#define CDS_INTERNAL_FRAME_U2M 2
#define CDS_INTERNAL_FRAME_APPDOMAIN_TRANSITION 3
#define CDS_INTERNAL_FRAME_LIGHTWEIGHT_FUNCTION 4
#define CDS_INTERNAL_FRAME_FUNC_EVAL 5
#define CDS_INTERNAL_FRAME_INTERNALCALL 6
#define CDS_INTERNAL_FRAME_CLASS_INIT 7
#define CDS_INTERNAL_FRAME_EXCEPTION 8
#define CDS_INTERNAL_FRAME_SECURITY 9
#define CDS_INTERNAL_FRAME_JIT_COMPILATION 10
/* and CorElementType (ECMA-335 II.23.1.16). */
#define CDS_ELEMENT_VOID 0x01
#define CDS_ELEMENT_BOOLEAN 0x02
#define CDS_ELEMENT_CHAR 0x03
#define CDS_ELEMENT_I1 0x04
#define CDS_ELEMENT_U1 0x05
#define CDS_ELEMENT_I2 0x06
#define CDS_ELEMENT_U2 0x07
#define CDS_ELEMENT_I4 0x08
#define CDS_ELEMENT_U4 0x09
#define CDS_ELEMENT_I8 0x0a
#define CDS_ELEMENT_U8 0x0b
#define CDS_ELEMENT_R4 0x0c
#define CDS_ELEMENT_R8 0x0d
#define CDS_ELEMENT_STRING 0x0e
#define CDS_ELEMENT_PTR 0x0f
#define CDS_ELEMENT_BYREF 0x10
#define CDS_ELEMENT_VALUETYPE 0x11
#define CDS_ELEMENT_CLASS 0x12
#define CDS_ELEMENT_ARRAY 0x14
#define CDS_ELEMENT_GENERICINST 0x15
#define CDS_ELEMENT_TYPEDBYREF 0x16
#define CDS_ELEMENT_I 0x18
#define CDS_ELEMENT_U 0x19
#define CDS_ELEMENT_FNPTR 0x1b
#define CDS_ELEMENT_OBJECT 0x1c
#define CDS_ELEMENT_SZARRAY 0x1d

typedef struct cds_event {
    uint32_t size;                  /* sizeof(cds_event), before the call */
    uint32_t kind;                  /* CDS_EVENT_... */
    uint64_t hold;                  /* number for cds_hold_release, 0 when the process was continued */
    uint64_t generation;            /* the session's, when the event came */
    uint64_t address;               /* base address of a module */
    const uint16_t* text;           /* owned by the session until its next cds_event_wait */
    const uint16_t* text2;          /* likewise */
    const struct cds_value* values; /* likewise */
    uint32_t text_length;
    uint32_t text2_length;
    uint32_t thread;
    uint32_t module;
    uint32_t token; /* MethodDef */
    uint32_t il_offset;
    uint32_t object; /* id of a breakpoint, stepper or evaluation; 0 when the shim does not know it any more */
    uint32_t module_size;
    uint32_t flags;
    int32_t detail;
    uint32_t value_count;
} cds_event;

/*
 * Take the next event, waiting up to `timeout_ms`: CDS_OK, CDS_E_TIMEOUT, or CDS_E_GONE after cds_session_shutdown.
 * One thread at a time, which may be another than the session thread.
 */
int32_t cds_event_wait(cds_session* session, uint32_t timeout_ms, cds_event* out_event);

/* ---- Modules, breakpoints, steppers -------------------------------------------------------------------------- */

/*
 * Just-my-code status and optimisation of a module; only while its CDS_EVENT_MODULE_LOADED holds the process.
 * With `disable_optimizations` 0 the runtime's own choice stays. It also stays, without an error, where code exists
 * already: after attaching, and in precompiled modules.
 */
int32_t cds_module_set_flags(cds_session* session, uint32_t module, int32_t just_my_code,
                             int32_t disable_optimizations);

typedef struct cds_breakpoint_location {
    uint32_t module;
    uint32_t token; /* MethodDef */
    uint32_t il_offset;
} cds_breakpoint_location;

typedef struct cds_breakpoint_result {
    uint32_t breakpoint; /* 0 when it failed */
    int32_t hresult;     /* why; 0 for success */
} cds_breakpoint_result;

/* Create and activate `count` breakpoints; each has its own result. The process must be held. */
int32_t cds_breakpoint_create(cds_session* session, const cds_breakpoint_location* locations, uint32_t count,
                              cds_breakpoint_result* out_results);

/* Deactivate and forget. Ids that are gone are ignored. */
int32_t cds_breakpoint_destroy(cds_session* session, const uint32_t* breakpoints, uint32_t count);

/* ICorDebugBreakpoint::Activate. */
int32_t cds_breakpoint_activate(cds_session* session, uint32_t breakpoint, int32_t active);

/*
 * A read plan: what is read of the leaf frame in the callback's own thread at each hit of a breakpoint, so that the
 * event brings it along. Reads are done in order; FIELD and ELEMENT look into the value of an earlier one (`parent`).
 */
#define CDS_READ_ARGUMENT 1 /* number `index`, `this` first */
#define CDS_READ_LOCAL 2    /* slot `index` */
#define CDS_READ_FIELD 3   /* Field token `index`, which the exact type `type` declares, of an object of type `owner` */
#define CDS_READ_STATIC 4  /* Field token `index`, which the exact type `type` declares */
#define CDS_READ_ELEMENT 5 /* element `index`, in flat order, of an array */
#define CDS_READ_ELEMENT_AT 6 /* the element whose number is the integer that read number `index` brought */
#define CDS_MOST_READS 32

typedef struct cds_read {
    uint32_t kind; /* CDS_READ_... */
    uint32_t parent;
    uint32_t index;
    uint32_t type;
    uint32_t owner;
} cds_read;

/*
 * Give a breakpoint the plan `number`, 1 or more, in the place of the one that it has; `count` 0 takes it away. An id
 * that is gone is ignored. `text_limit` is the longest head of a string, in UTF-16 units. What cannot be read at a hit,
 * for whatever reason, is CDS_VALUE_MISSING in the event, and an event without values is as good: the caller reads it
 * by the functions below, which say why. CDS_E_ARGUMENT for more than CDS_MOST_READS and for a parent that comes later.
 */
int32_t cds_breakpoint_set_plan(cds_session* session, uint32_t breakpoint, uint32_t number, const cds_read* reads,
                                uint32_t count, uint32_t text_limit);

/*
 * A test of a plan's hits: a condition, or a part of one, that the callback's own thread decides. Its nodes are in an
 * order in which each comes after those that it needs; the last one is the result. A hit for which it is false is passed:
 * the program goes on, and no event is sent. Where it is true, or where a value that it needs is not known, as where one
 * is null that it looks into, the event is sent as ever, and whoever gets it decides.
 */
#define CDS_TEST_INTEGER 1   /* the number `integer` */
#define CDS_TEST_REAL 2      /* the number `real` */
#define CDS_TEST_READ 3      /* what read number `left` brings, a primitive of CorElementType `detail` */
#define CDS_TEST_NULL 4      /* whether the reference is null that read number `left` brings */
#define CDS_TEST_TEXT 5      /* whether the string of read number `left` is the `right` units of the text from `detail` */
#define CDS_TEST_COMPARE 6   /* whether the values of nodes `left` and `right` have the relation `detail` */
#define CDS_TEST_AND 7       /* node `right` counts only where node `left` is true */
#define CDS_TEST_OR 8        /* node `right` counts only where node `left` is false */
#define CDS_TEST_NOT 9       /* of node `left` */
#define CDS_TEST_REMAINDER 10 /* of the integers of nodes `left` and `right`; by 0 and by -1 not known */
#define CDS_TEST_BITS 11     /* the bits that the integers of nodes `left` and `right` share */
#define CDS_MOST_TESTS 64

#define CDS_RELATION_EQUAL 1
#define CDS_RELATION_NOT_EQUAL 2
#define CDS_RELATION_LESS 3
#define CDS_RELATION_LESS_EQUAL 4
#define CDS_RELATION_GREATER 5
#define CDS_RELATION_GREATER_EQUAL 6

typedef struct cds_test {
    uint32_t kind; /* CDS_TEST_... */
    uint32_t left;
    uint32_t right;
    uint32_t detail;
    int64_t integer;
    double real;
} cds_test;

/*
 * Give the plan `number` of a breakpoint a test in the place of the one that it has; `count` 0 takes it away, and so does
 * another plan. `text` are the units that the nodes of CDS_TEST_TEXT compare with. With `direct` 1 the values come from
 * registers and memory where that gives the same as the plan's reads. Ignored for a breakpoint that is gone, or has
 * another plan. CDS_E_ARGUMENT for more than CDS_MOST_TESTS nodes and for ones that come too early.
 */
int32_t cds_breakpoint_set_test(cds_session* session, uint32_t breakpoint, uint32_t number, const cds_test* tests,
                                uint32_t count, const uint16_t* text, uint32_t text_length, int32_t direct);

/* How many hits of a breakpoint were passed so far by all tests that it had; 0 for one that is gone. */
int32_t cds_breakpoint_passed(cds_session* session, uint32_t breakpoint, uint64_t* out_count);

/*
 * Breakpoints of one frame's code, each right behind a call, where what the call has returned can be read:
 * ICorDebugCode3::GetReturnValueLiveOffset. `call_offsets` are IL offsets of call instructions. They are hit by every
 * thread and activation that runs this code, and are taken away as others are. A call whose value the runtime cannot give
 * (void, larger than a register) has its `hresult`. `out_results` has room for `count`.
 *
 * CDS_AT_RETURN in the place of an offset is where the code has done its work and is about to return: the beginning of its
 * epilogue. Optimised code may have several; then this is CORDBG_E_UNSUPPORTED. CDS_AT_FRAME is the instruction with which
 * the frame goes on (ICorDebugNativeFrame::GetIP).
 */
#define CDS_AT_RETURN 0xffffffff
#define CDS_AT_FRAME 0xfffffffe

int32_t cds_return_breakpoint_create(cds_session* session, uint32_t thread, uint32_t frame_index,
                                     const uint32_t* call_offsets, uint32_t count, cds_breakpoint_result* out_results);

#define CDS_STEP_OVER 0
#define CDS_STEP_INTO 1
#define CDS_STEP_OUT 2

/* A half-open range of IL offsets. */
typedef struct cds_il_range {
    uint32_t start;
    uint32_t end;
} cds_il_range;

/*
 * Arm a stepper for a frame of a held thread. `ranges` are those of the statement to leave; without any, one
 * instruction is stepped. CDS_STEP_OUT ignores them. Class constructors and security checks are not stopped in, nor is
 * code without IL; with `just_my_code` neither are modules and methods that are not the user's.
 */
int32_t cds_stepper_create(cds_session* session, uint32_t thread, uint32_t frame_index, uint32_t kind,
                           int32_t just_my_code, const cds_il_range* ranges, uint32_t range_count,
                           uint32_t* out_stepper);

/* Deactivate and forget. An id that is gone is ignored. */
int32_t cds_stepper_destroy(cds_session* session, uint32_t stepper);

/* ---- Threads and frames -------------------------------------------------------------------------------------- */

typedef struct cds_thread {
    uint32_t thread;
    int32_t user_state; /* a set of CorDebugUserState bits, or -1 where the runtime does not report it */
} cds_thread;

/* All managed threads. CDS_E_BUFFER when `capacity` is too small. */
int32_t cds_thread_list(cds_session* session, cds_thread* threads, uint32_t capacity, uint32_t* out_count);

/*
 * Keep a thread from running when the process goes on, or let it run again: ICorDebugThread::SetDebugState. A thread
 * that stands in a breakpoint or an exception stays there. CDS_E_NOT_FOUND when the thread is gone.
 */
int32_t cds_thread_freeze(cds_session* session, uint32_t thread, int32_t frozen);

/*
 * The same of all threads but one (0: of all), in one message to the runtime whatever their number:
 * ICorDebugController::SetAllThreadsDebugState. Threads that begin later run. CDS_E_NOT_FOUND when that one is gone.
 */
int32_t cds_session_freeze_threads(cds_session* session, uint32_t but, int32_t frozen);

/*
 * Whether callbacks about a thread wait until the process goes on: ICorDebugController::HasQueuedCallbacks. `out_waiting`
 * 0 or 1. A step that ends at a breakpoint has one there when the breakpoint is reported. CDS_E_NOT_FOUND when the thread
 * is gone.
 */
int32_t cds_thread_has_queued_callbacks(cds_session* session, uint32_t thread, int32_t* out_waiting);

#define CDS_FRAME_IL 1
#define CDS_FRAME_NATIVE 2
#define CDS_FRAME_INTERNAL 3

/* Runs a catch, finally or fault: a piece of code of its own in the runtime, whose method has another frame. */
#define CDS_FRAME_HANDLER 1
/* Between a handler and its method's own frame, that one included: what an exception has left, and the method again. */
#define CDS_FRAME_LEFT 2

typedef struct cds_frame {
    uint64_t
        stack_address;  /* of the frame's caller side: the same for one activation, another for each other; 0 unknown */
    uint32_t kind;      /* CDS_FRAME_... */
    uint32_t module;    /* 0 without one */
    uint32_t token;     /* MethodDef, 0 without one */
    uint32_t il_offset; /* CDS_NO_OFFSET unless kind is CDS_FRAME_IL */
    uint32_t mapping;   /* CorDebugMappingResult, 0 unless kind is CDS_FRAME_IL */
    uint32_t internal_type; /* CorDebugInternalFrameType, 0 unless kind is CDS_FRAME_INTERNAL */
    uint32_t flags;         /* CDS_FRAME_HANDLER, CDS_FRAME_LEFT */
    uint32_t unused;        /* 0 */
} cds_frame;

/*
 * Frames `start` to `start + count` of a thread, leaf first, as far as there are. Frames are walked when first asked
 * for and kept while the process is held. `out_more` is 1 when more follow, else 0; with NULL no frame more is walked
 * to find that out.
 */
int32_t cds_frame_list(cds_session* session, uint32_t thread, uint32_t start, uint32_t count, cds_frame* frames,
                       uint32_t* out_count, int32_t* out_more);

/*
 * Number the frames of a thread without those of the function evaluation that it is in (the one nearest to the leaf), as
 * they were numbered before it began, in all functions that take or give such numbers. `frame_index` and
 * `stack_address` are of a frame at that time; with an address of 0 the topmost frame has number 0. It stays so, also
 * while the process runs, until cds_thread_show_call. A thread that is in none has all its frames.
 */
int32_t cds_thread_hide_call(cds_session* session, uint32_t thread, uint32_t frame_index, uint64_t stack_address);

/* Number all frames of a thread again. Without effect where no call is hidden. */
int32_t cds_thread_show_call(cds_session* session, uint32_t thread);

/*
 * Where an exception was thrown, and what it came through, leaf first, as the object of handle `exception` remembers
 * it: also what was on other threads, or is gone. `kind` is CDS_FRAME_IL; the stack address is 0. CDS_E_KIND for a
 * value that is no exception. `out_count` is how many there are, of which at most `capacity` are written.
 */
int32_t cds_exception_frames(cds_session* session, uint64_t exception, cds_frame* frames, uint32_t capacity,
                             uint32_t* out_count);

/*
 * The method that the delegate of handle `delegate` calls: its module and method token. CDS_E_KIND for a value that is
 * no delegate. The runtime's error for one that calls several methods, or what is no method.
 */
int32_t cds_delegate_method(cds_session* session, uint64_t delegate, uint32_t* out_module, uint32_t* out_token);

/*
 * Let an IL frame go on at another IL offset of its method: ICorDebugILFrame::SetIP, or CanSetIP with `only_ask` 1. The
 * frames of the stop are of no use afterwards, and read anew. CDS_E_RUNTIME where the runtime refuses.
 */
int32_t cds_frame_set_il_offset(cds_session* session, uint32_t thread, uint32_t frame_index, uint32_t il_offset,
                                int32_t only_ask);

/* Generic arguments of a frame: its type's, then its method's. CDS_E_BUFFER when `capacity` is too small. */
int32_t cds_frame_type_arguments(cds_session* session, uint32_t thread, uint32_t frame_index, uint32_t* types,
                                 uint32_t capacity, uint32_t* out_count);

/* A piece of native code; `unused` is 0. */
typedef struct cds_code_chunk {
    uint64_t address;
    uint32_t size;
    uint32_t unused;
} cds_code_chunk;

/* Instead of an IL offset: code that came from no IL, such as the method's entry and its exits. */
#define CDS_CODE_NO_IL 0xffffffff
#define CDS_CODE_PROLOG 0xfffffffe
#define CDS_CODE_EPILOG 0xfffffffd

/* Which IL some native code came from; native offsets count through all pieces, the end is behind it. */
typedef struct cds_code_mapping {
    uint32_t il_offset; /* or CDS_CODE_... */
    uint32_t native_start;
    uint32_t native_end;
} cds_code_mapping;

/*
 * The pieces of the native code that a frame executes (ICorDebugCode2::GetCodeChunks), of the instantiation and the
 * optimisation that it is of, and the native offset at which it is: for a caller that of the instruction behind the call.
 * CDS_E_KIND for a frame without code of its own, CDS_E_BUFFER when `chunk_capacity` is too small.
 */
int32_t cds_frame_native_code(cds_session* session, uint32_t thread, uint32_t frame_index, cds_code_chunk* chunks,
                              uint32_t chunk_capacity, uint32_t* out_chunk_count, uint32_t* out_native_offset);

/* What the native code of a frame came from (ICorDebugCode::GetILToNativeMapping). CDS_E_... as cds_frame_native_code. */
int32_t cds_frame_code_mappings(cds_session* session, uint32_t thread, uint32_t frame_index, cds_code_mapping* mappings,
                                uint32_t capacity, uint32_t* out_count);

/* ---- Values -------------------------------------------------------------------------------------------------- */

/* A null reference; `type` is then the declared type where the runtime knows it. */
#define CDS_VALUE_NULL 1
/* The value was in a box, which has been opened. */
#define CDS_VALUE_BOXED 2
/* A reference to an object, which has been followed. */
#define CDS_VALUE_REFERENCE 4
/* A byref, which has been followed. */
#define CDS_VALUE_BYREF 8
/* Of a read plan: not read; nothing else of the value is set. */
#define CDS_VALUE_MISSING 16

typedef struct cds_value {
    uint64_t handle;       /* 0 when the value could not be read */
    uint64_t address;      /* of the object or the storage; 0 in a register */
    int32_t hresult;       /* why it could not be read, else 0 */
    uint32_t type;         /* id of the exact type, 0 unknown */
    uint32_t element_type; /* CorElementType after following references and opening boxes */
    uint32_t flags;        /* CDS_VALUE_... */
    uint32_t length;       /* UTF-16 units of a string; elements of an array, all dimensions */
    uint32_t text_offset;  /* head of a string: where in the caller's text buffer */
    uint32_t text_length;  /* and how much; less than min(length, text_limit) when the buffer was full */
    uint32_t raw_size;     /* bytes in `raw`; 0 for objects and for value types above 16 bytes */
    uint8_t raw[16];       /* little-endian */
} cds_value;

/* Where the functions below put values: `values` has room for `capacity`, `text` for `text_capacity` units. */
typedef struct cds_value_buffer {
    uint32_t size; /* sizeof(cds_value_buffer) */
    uint32_t reserved;
    cds_value* values;
    uint16_t* text;
    uint32_t capacity;
    uint32_t text_capacity;
    uint32_t text_limit; /* longest head of a string to copy, in UTF-16 units */
    uint32_t count;      /* set by the call: values written, or needed with CDS_E_BUFFER */
} cds_value_buffer;

/* All arguments of an IL frame, `this` first. */
int32_t cds_frame_arguments(cds_session* session, uint32_t thread, uint32_t frame_index, cds_value_buffer* out_values);

/* All local slots of an IL frame, in slot order. */
int32_t cds_frame_locals(cds_session* session, uint32_t thread, uint32_t frame_index, cds_value_buffer* out_values);

/*
 * What a call has returned, while an IL frame stands right behind it: one value. `call_offset` is the IL offset of the call
 * instruction. ICorDebugILFrame3::GetReturnValueForILOffset; CDS_E_RUNTIME anywhere else.
 */
int32_t cds_frame_return_value(cds_session* session, uint32_t thread, uint32_t frame_index, uint32_t call_offset,
                               cds_value_buffer* out_values);

/* The System.Threading.Thread object of a thread: one value, or none. */
int32_t cds_thread_object(cds_session* session, uint32_t thread, cds_value_buffer* out_values);

/* The exception being raised on a thread: one value, or none. */
int32_t cds_thread_exception(cds_session* session, uint32_t thread, cds_value_buffer* out_values);

/* Why a thread waits for an object: to enter its monitor, or for Monitor.Pulse after Monitor.Wait. */
#define CDS_BLOCKED_ENTER 1
#define CDS_BLOCKED_WAIT 2

typedef struct cds_blocking {
    uint32_t reason;       /* CDS_BLOCKED_... */
    uint32_t timeout_ms;   /* how long it waits at most; 0xFFFFFFFF without an end */
    uint32_t owner;        /* the thread that has entered the monitor; 0 for none, and where it is not known */
    uint32_t acquisitions; /* how often that thread has entered it */
} cds_blocking;

/*
 * The monitors that a thread waits for: ICorDebugThread4::GetBlockingObjects. The objects come as values, in the same
 * order. At most `capacity` are written; `out_count` is how many there are.
 */
int32_t cds_thread_blocking(cds_session* session, uint32_t thread, cds_blocking* blocking, uint32_t capacity,
                            uint32_t* out_count, cds_value_buffer* out_values);

typedef struct cds_field {
    uint32_t type;  /* exact type that declares the field */
    uint32_t token; /* Field */
} cds_field;

/* Instance fields of an object or value type, in the order asked; an unreadable one has its `hresult`. */
int32_t cds_value_fields(cds_session* session, uint64_t handle, const cds_field* fields, uint32_t count,
                         cds_value_buffer* out_values);

/* Static fields. `thread` (0: none) and its frame choose thread-static and generic ones. Those that are pointers have
   CORDBG_E_STATIC_VAR_NOT_AVAILABLE in place of a value: the runtime gives another field for them. */
int32_t cds_static_fields(cds_session* session, uint32_t thread, uint32_t frame_index, const cds_field* fields,
                          uint32_t count, cds_value_buffer* out_values);

/* Lengths and lower bounds of an array's dimensions. CDS_E_BUFFER when `capacity` is below the rank. */
int32_t cds_array_shape(cds_session* session, uint64_t handle, uint32_t* lengths, int32_t* lower_bounds,
                        uint32_t capacity, uint32_t* out_rank);

/* Up to `count` elements from flat position `start`, row-major; fewer where the array ends. */
int32_t cds_array_elements(cds_session* session, uint64_t handle, uint32_t start, uint32_t count,
                           cds_value_buffer* out_values);

/* Up to `count` units of a string from unit `start`; fewer where it ends. */
int32_t cds_string_read(cds_session* session, uint64_t handle, uint32_t start, uint32_t count, uint16_t* text,
                        uint32_t* out_count);

/* What a pointer points to: one value. CDS_E_KIND for other values. */
int32_t cds_value_dereference(cds_session* session, uint64_t handle, cds_value_buffer* out_values);

/*
 * Store `size` bytes, those of the whole value, in the place that a primitive or another value type was read from; 0
 * bytes make it its default. A boxed value is changed in its box. CDS_E_KIND for references, and when the size is
 * another.
 */
int32_t cds_value_store_bytes(cds_session* session, uint64_t place, const uint8_t* raw, uint32_t size);

/*
 * Store a copy of the value type's value `source` in the place that another one was read from. The caller sees to it
 * that both have the same type; only their size is checked. CDS_E_KIND for references.
 */
int32_t cds_value_store_copy(cds_session* session, uint64_t place, uint64_t source);

/*
 * Store the reference `source`, or with 0 null, in the place that a reference was read from; a byref is followed. The
 * caller sees to it that the place's type allows the object: the runtime does not check it. CDS_E_KIND for value types.
 */
int32_t cds_value_store_reference(cds_session* session, uint64_t place, uint64_t source);

/*
 * Remember an object of the heap while the process runs. `weak` 0 keeps it alive, else it is followed until it is
 * collected. CDS_E_KIND for values that are not on the heap.
 */
int32_t cds_pin_create(cds_session* session, uint64_t handle, int32_t weak, uint32_t* out_pin);

/* The remembered object as one value of the present generation; null once a weakly remembered one was collected. */
int32_t cds_pin_read(cds_session* session, uint32_t pin, cds_value_buffer* out_values);

/* Forget; while the process runs without waiting for it. An id that is gone is ignored. */
int32_t cds_pin_destroy(cds_session* session, uint32_t pin);

/* ---- Types --------------------------------------------------------------------------------------------------- */

typedef struct cds_type {
    uint32_t size; /* sizeof(cds_type), before the call */
    uint32_t element_type;
    uint32_t module; /* 0 without a TypeDef of its own */
    uint32_t token;  /* TypeDef */
    uint32_t base;   /* type id, 0 for none */
    uint32_t rank;   /* of an array */
} cds_type;

/*
 * Describe an exact type. Its generic arguments, or the one element type of an array, pointer or byref, go to
 * `arguments`; CDS_E_BUFFER when `capacity` is too small.
 */
int32_t cds_type_describe(cds_session* session, uint32_t type, uint32_t* arguments, uint32_t capacity,
                          uint32_t* out_count, cds_type* out_type);

/* The exact type of a TypeDef with generic arguments. It must be loaded in the process. */
int32_t cds_type_create(cds_session* session, uint32_t module, uint32_t token, const uint32_t* arguments,
                        uint32_t count, uint32_t* out_type);

typedef struct cds_layout {
    uint32_t size;                 /* sizeof(cds_layout), before the call */
    uint32_t object_size;          /* bytes of an object on the heap, with header and method table; 0 for arrays */
    uint32_t first_element_offset; /* of an array, from its object's address */
    uint32_t element_size;         /* of an array, else 0 */
} cds_layout;

typedef struct cds_layout_field {
    uint32_t token;  /* FieldDef */
    uint32_t offset; /* from the object's address, where its method table is, or from the value type's first byte */
    uint32_t element_type;
    uint32_t type; /* type id of a field of a value type; 0 for others, and where the runtime does not tell */
} cds_layout_field;

/*
 * Where the runtime has put the instance fields that a type itself declares: those of its base are the base's. The
 * process must be held. CDS_E_BUFFER when `capacity` is too small.
 */
int32_t cds_type_layout(cds_session* session, uint32_t type, cds_layout_field* fields, uint32_t capacity,
                        uint32_t* out_count, cds_layout* out_layout);

/*
 * The metadata of a module as the runtime has it now, from its root on (ECMA-335 II.24.2.1): of a module of Reflection.Emit
 * there is no image to read it from, and it grows with each type that is made. The process must be held. CDS_E_BUFFER when
 * `capacity` is too small.
 */
int32_t cds_module_metadata(cds_session* session, uint32_t module, uint8_t* bytes, uint32_t capacity,
                            uint32_t* out_size);

/* ---- Heap ---------------------------------------------------------------------------------------------------- */

/*
 * By the runtime's own enumeration, anew with each call: some million objects in a second. Refused with CDS_E_RUNTIME
 * where the program stands in the middle of a garbage collection. Objects that are dead but not collected are among them.
 */

typedef struct cds_heap_type {
    uint32_t type; /* exact type */
    uint32_t reserved;
    uint64_t count; /* objects */
    uint64_t bytes; /* of the objects themselves */
} cds_heap_type;

/* Not 0: what goes through the heap now, and does later until it is 0 again, soon ends with CDS_E_TIMEOUT. Any thread. */
int32_t cds_heap_give_up(cds_session* session, int32_t given_up);

/* All exact types that have objects, in no order. CDS_E_BUFFER when `capacity` is too small. */
int32_t cds_heap_types(cds_session* session, cds_heap_type* types, uint32_t capacity, uint32_t* out_count);

/* Addresses of up to `count` objects of an exact type, in the order of the heap, from number `start`. */
int32_t cds_heap_instances(cds_session* session, uint32_t type, uint32_t start, uint32_t count, uint64_t* addresses,
                           uint32_t* out_count);

/* A class by its TypeDef: whatever its type arguments are. */
typedef struct cds_heap_class {
    uint32_t module;
    uint32_t token;
} cds_heap_class;

typedef struct cds_heap_found {
    uint64_t address;
    uint32_t type; /* exact type */
    uint32_t reserved;
} cds_heap_found;

/*
 * The objects of some classes, not of classes derived from them, in the order of the heap. `out_complete` is 0 where
 * the heap has more: `capacity` was reached, or `timeout_ms` has passed.
 */
int32_t cds_heap_find(cds_session* session, const cds_heap_class* classes, uint32_t class_count, uint32_t timeout_ms,
                      cds_heap_found* found, uint32_t capacity, uint32_t* out_count, int32_t* out_complete);

/* The object at an address that this stop's heap has: one value. The runtime does not check the address. */
int32_t cds_heap_object(cds_session* session, uint64_t address, cds_value_buffer* out_values);

/*
 * The exact type whose method table stands at an address, as in an object's first word, or in the handle that a
 * System.RuntimeType keeps. An error where the runtime takes it for none, or cannot say which type it is.
 */
int32_t cds_heap_type_at(cds_session* session, uint64_t address, uint32_t* out_type);

/* Where a reference is: in an object, or one of the roots that the collector starts from. */
#define CDS_HEAP_OBJECT 0
#define CDS_HEAP_STACK 1
#define CDS_HEAP_HANDLE 2
#define CDS_HEAP_PINNED_HANDLE 3
#define CDS_HEAP_FINALIZER 4
#define CDS_HEAP_DEPENDENT_HANDLE 5

typedef struct cds_heap_reference {
    uint64_t address; /* of the object that refers, or that a dependent handle hangs on; 0 for other roots */
    uint64_t offset;  /* of the reference in it */
    uint32_t type;    /* its exact type; 0 for roots */
    uint32_t kind;    /* CDS_HEAP_... */
} cds_heap_reference;

/*
 * Who refers to the object at an address: roots, then objects. `out_found` counts those too that `capacity` has no room
 * for.
 */
int32_t cds_heap_references(cds_session* session, uint64_t address, cds_heap_reference* references, uint32_t capacity,
                            uint32_t* out_count, uint64_t* out_found);

typedef struct cds_heap_retained_size {
    uint32_t size; /* sizeof(cds_heap_retained_size) */
    uint32_t reserved;
    uint64_t bytes;     /* of the object and of all that nothing else keeps alive */
    uint64_t objects;   /* how many these are */
    uint64_t own_bytes; /* of the object alone */
} cds_heap_retained_size;

/* How much an object keeps alive. Refused with CDS_E_RUNTIME above 10,000,000 objects. */
int32_t cds_heap_retained(cds_session* session, uint64_t handle, cds_heap_retained_size* out_size);

/* ---- Function evaluation ------------------------------------------------------------------------------------- */

/*
 * Set up a call on a held thread; it runs when all holds are released, and ends with CDS_EVENT_EVAL_COMPLETED.
 * `type_arguments` are the generic arguments of the method's type, then of the method.
 */
int32_t cds_eval_create_call(cds_session* session, uint32_t thread, uint32_t module, uint32_t token,
                             const uint32_t* type_arguments, uint32_t type_argument_count, const uint64_t* arguments,
                             uint32_t argument_count, uint32_t* out_eval);

/* Set up the making of a string; completes as a call does. */
int32_t cds_eval_create_string(cds_session* session, uint32_t thread, const uint16_t* text, uint32_t length,
                               uint32_t* out_eval);

/*
 * Set up the making of an object of an exact type: by the constructor `token` (MethodDef of the type's module) with the
 * arguments after `this`, or with 0 by none, all fields zero. A value type's comes in a box. Completes as a call does.
 */
int32_t cds_eval_create_object(cds_session* session, uint32_t thread, uint32_t type, uint32_t token,
                               const uint64_t* arguments, uint32_t argument_count, uint32_t* out_eval);

/* Set up the making of an array of one dimension from index 0; completes as a call does. */
int32_t cds_eval_create_array(cds_session* session, uint32_t thread, uint32_t element_type, uint32_t length,
                              uint32_t* out_eval);

/*
 * Make a value to be an argument of a call: of a primitive element type (`type` 0) or of an exact value type, with its
 * `size` bytes; without bytes it is zero, and CLASS or OBJECT give a null reference. One value.
 */
int32_t cds_value_create(cds_session* session, uint32_t thread, uint32_t element_type, uint32_t type,
                         const uint8_t* raw, uint32_t size, cds_value_buffer* out_values);

/* The result after CDS_EVENT_EVAL_COMPLETED: one value, or none for void. Of the present generation. */
int32_t cds_eval_result(cds_session* session, uint32_t eval, cds_value_buffer* out_values);

/*
 * ICorDebugEval::Abort on a thread of the shim. `out_returned` is 0 when the runtime did not answer in time. Completion
 * comes as an event still.
 */
int32_t cds_eval_abort(cds_session* session, uint32_t eval, uint32_t timeout_ms, int32_t* out_returned);

/*
 * Forget an evaluation; one that has completed is also forgotten when the hold of its CDS_EVENT_EVAL_COMPLETED is
 * released. An id that is gone is ignored.
 */
int32_t cds_eval_destroy(cds_session* session, uint32_t eval);

/* cffi: end */

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#ifdef __cplusplus
}
#endif

#endif
