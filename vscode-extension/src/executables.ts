import * as fs from "node:fs";

const LONGEST_FIRST_LINE = 1024;

/** Whether the file can be started: not a script whose interpreter has been removed, as when Python was updated. */
export function isExecutable(file: string): boolean {
    const interpreter = isProgram(file) ? /^#![ \t]*(\/[^ \t\r\n]+)/.exec(beginning(file))?.[1] : undefined;
    return isProgram(interpreter ?? file);
}

function isProgram(file: string): boolean {
    try {
        fs.accessSync(file, fs.constants.X_OK);
        return fs.statSync(file).isFile();
    } catch {
        return false;
    }
}

/** Empty where it may be executed, but not read. */
function beginning(file: string): string {
    try {
        const stream = fs.openSync(file, "r");
        try {
            const bytes = Buffer.alloc(LONGEST_FIRST_LINE);
            return bytes.toString("utf8", 0, fs.readSync(stream, bytes));
        } finally {
            fs.closeSync(stream);
        }
    } catch {
        return "";
    }
}
