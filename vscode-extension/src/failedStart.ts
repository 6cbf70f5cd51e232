/** A failed response to `launch` or `attach`, as the adapter sends it. */
export interface FailedStart {
    readonly command: "launch" | "attach";
    readonly text: string;
    /** The adapter's identifier for the kind of error; empty when there is none. */
    readonly code: string;
}

/** The failure in a message of the adapter; undefined when the message is anything else. */
export function failedStart(message: unknown): FailedStart | undefined {
    const { type, success, command, message: short, body } = asRecord(message);
    if (type !== "response" || success !== false || (command !== "launch" && command !== "attach")) {
        return undefined;
    }
    const error = asRecord(asRecord(body)["error"]);
    const text = error["format"] ?? short;
    const code = asRecord(error["variables"])["code"];
    return {
        command,
        text: String(text ?? "The program cannot be debugged."),
        code: typeof code === "string" ? code : "",
    };
}

/** Whether a message of the adapter says that a program was started, which was built first if need be. */
export function isStarted(message: unknown): boolean {
    const { type, command, success } = asRecord(message);
    return type === "response" && command === "launch" && success === true;
}

export type Remedy =
    | "showProblems"
    | "showConsole"
    | "openProject"
    | "getDotnet"
    | "pickProcess"
    | "openConfiguration"
    | "doctor";

/** What may help, the best first. */
export function remediesOf(failure: FailedStart): Remedy[] {
    if (failure.code === "BUILD_FAILED") {
        return ["showProblems", "openProject", "showConsole"];
    }
    if (failure.code === "NO_SDK") {
        return ["getDotnet", "doctor"];
    }
    if (failure.code === "NO_PROCESS") {
        return ["pickProcess", "openConfiguration"];
    }
    return failure.command === "attach" ? ["doctor", "openConfiguration"] : ["openConfiguration", "doctor"];
}

export function asRecord(value: unknown): Record<string, unknown> {
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}
