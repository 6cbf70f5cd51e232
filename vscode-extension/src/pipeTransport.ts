import { asRecord } from "./failedStart";

/** Where a configuration keeps its `pipeTransport` on its way to the adapter, which does not start itself through it. */
export const APPLIED_PIPE = "_pipeTransport";

/** A command that runs the debugger elsewhere. */
export interface PipeCommand {
    readonly command: string;
    readonly args: readonly string[];
    readonly cwd: string | undefined;
    readonly env: Readonly<Record<string, string>>;
}

const PLATFORMS: Partial<Record<NodeJS.Platform, string>> = { win32: "windows", darwin: "osx", linux: "linux" };
const PLACEHOLDER = "${debuggerCommand}";
const FOREIGN_DEBUGGER = /(^|[\\/])(vsdbg|netcoredbg)(\.exe)?$/;

/**
 * The command that a `pipeTransport` stands for, with these arguments of the adapter; undefined where it names no program.
 * The path of another debugger stands for `dap-dotnet`, to be found by PATH there.
 */
export function pipeCommand(
    transport: unknown,
    adapterArgs: readonly string[],
    platform: NodeJS.Platform,
): PipeCommand | undefined {
    const common = asRecord(transport);
    const { pipeProgram, pipeArgs, pipeCwd, pipeEnv, debuggerPath, quoteArgs } = {
        ...common,
        ...asRecord(common[PLATFORMS[platform] ?? ""]),
    };
    if (typeof pipeProgram !== "string" || pipeProgram.trim() === "") {
        return undefined;
    }
    const named = typeof debuggerPath === "string" ? debuggerPath.trim() : "";
    const debuggerCommand = [named === "" || FOREIGN_DEBUGGER.test(named) ? "dap-dotnet" : named, ...adapterArgs];
    const quoted = debuggerCommand.map((word) => (quoteArgs === false ? word : quote(word))).join(" ");
    const given = Array.isArray(pipeArgs) ? pipeArgs.map(String) : words(pipeArgs);
    const args = given.some((word) => word.includes(PLACEHOLDER))
        ? given.map((word) => word.replaceAll(PLACEHOLDER, () => quoted))
        : [...given, ...debuggerCommand];
    return {
        command: pipeProgram,
        args,
        cwd: typeof pipeCwd === "string" && pipeCwd !== "" ? pipeCwd : undefined,
        env: Object.fromEntries(Object.entries(asRecord(pipeEnv)).map(([name, value]) => [name, String(value)])),
    };
}

/** A `pipeTransport` whose variables the editor has not replaced yet, with the workspace's folder for those that name it. */
export function withFolder(transport: unknown, folder: string): unknown {
    if (typeof transport === "string") {
        return transport.replace(/\$\{workspace(?:Folder|Root)\}/g, () => folder);
    }
    if (Array.isArray(transport)) {
        return transport.map((one) => withFolder(one, folder));
    }
    return typeof transport === "object" && transport !== null
        ? Object.fromEntries(Object.entries(transport).map(([name, value]) => [name, withFolder(value, folder)]))
        : transport;
}

/** For the shell that the pipe's program may hand it to. */
function quote(word: string): string {
    return /^[\w./:=@+-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/** A string's words, where quotes of either kind keep spaces. */
function words(text: unknown): string[] {
    const found = typeof text === "string" ? text.match(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g) : null;
    return (found ?? []).map((word) => word.replace(/"([^"]*)"|'([^']*)'/g, (_all, one, two) => String(one ?? two)));
}
