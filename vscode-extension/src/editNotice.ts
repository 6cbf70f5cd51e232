import { asRecord } from "./failedStart";

const NOTICE = "The program runs the code of before your change";

/** What the adapter says of a source that was edited while the program runs; undefined for other messages. */
export function editNotice(message: unknown): string | undefined {
    const { type, event, body } = asRecord(message);
    const { output, source } = asRecord(body);
    if (type !== "event" || event !== "output" || source === undefined || typeof output !== "string") {
        return undefined;
    }
    return output.startsWith(NOTICE) ? output.trimEnd() : undefined;
}
