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

/**
 * The name under which an editor shows the answer of `.asm`: that of the method in its first line,
 * `Shop.Cart.Add(Item item): 62 bytes`, without what no file's name may have.
 */
export function listingName(listing: string): string {
    const [first = ""] = listing.split("\n", 1);
    const name = first.replace(/\(.*/, "").replace(/[^\p{L}\p{N}_.<>`|,-]+/gu, "_");
    return `${name || "code"}.asm`;
}

/** The command that lets the adapter show instructions, where the listing has bytes only. */
export function decoderCommand(listing: string): string | undefined {
    return /^.*\nTo see instructions instead of bytes, run: (.+)\n/.exec(listing)?.[1];
}

/** The line, from 0, where the frame is; 0 when none is marked. */
export function currentLine(listing: string): number {
    return Math.max(
        0,
        listing.split("\n").findIndex((line) => line.startsWith("=>")),
    );
}
