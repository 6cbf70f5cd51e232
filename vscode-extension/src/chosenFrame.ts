import { asRecord } from "./failedStart";

/** A frame as the editor names it in the menu of the call stack: by its place, not by the adapter's id. */
export interface ChosenFrame {
    readonly sessionId: string;
    readonly threadId: number;
    /** 0 is the top frame of the thread. */
    readonly index: number;
}

// `stackframe:thread:SESSION:THREAD:INDEX:SOURCE`; a session's id has no colon.
const FRAME = /^stackframe:thread:([^:]+):(-?\d+):(\d+):/;

/** The frame that a menu of the call stack hands to its commands; undefined for anything else. */
export function chosenFrame(context: unknown): ChosenFrame | undefined {
    const [, sessionId, threadId, index] = FRAME.exec(String(asRecord(context)["frameId"])) ?? [];
    return sessionId === undefined ? undefined : { sessionId, threadId: Number(threadId), index: Number(index) };
}
