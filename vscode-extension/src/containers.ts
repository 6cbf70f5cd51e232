import { execFile } from "node:child_process";

import { asRecord } from "./failedStart";
import type { PipeCommand } from "./pipeTransport";

/** A container that runs, as a picker shows it, and how commands are run in it. */
export interface Container {
    readonly name: string;
    readonly image: string;
    /** The program that knows of it, such as docker. */
    readonly engine: string;
    readonly pipeTransport: { pipeProgram: string; pipeArgs: string[]; debuggerPath: string; quoteArgs: boolean };
}

/** A program that lists containers: what it is called with, and what its answer means. */
interface Engine {
    readonly program: string;
    readonly args: readonly string[];
    readonly read: (output: string, program: string) => Container[];
}

export const ENGINES: readonly Engine[] = [
    ...["docker", "podman"].map((program) => ({
        program,
        args: ["ps", "--format", "{{.ID}}\t{{.Names}}\t{{.Image}}"],
        read: readLines,
    })),
    {
        program: "kubectl",
        args: ["get", "pods", "--field-selector=status.phase=Running", "-o", "json"],
        read: readPods,
    },
];

function readLines(output: string, engine: string): Container[] {
    return output
        .split("\n")
        .map((line) => line.trim().split("\t"))
        .filter(([id]) => id !== undefined && id !== "")
        .map(([id = "", name, image]) => ({
            name: name || id,
            image: image ?? "",
            engine,
            pipeTransport: transport(engine, ["exec", "-i", id]),
        }));
}

/** Throws a SyntaxError for what is no JSON. */
function readPods(output: string, engine: string): Container[] {
    return listOf(asRecord(JSON.parse(output))["items"]).flatMap((pod) => {
        const { name, namespace } = asRecord(asRecord(pod)["metadata"]);
        return listOf(asRecord(asRecord(pod)["spec"])["containers"]).map((each) => {
            const { name: container, image } = asRecord(each);
            const args = ["exec", "-i", String(name), "-n", String(namespace ?? "default"), "-c", String(container), "--"];
            return {
                name: `${String(name)}/${String(container)}`,
                image: String(image ?? ""),
                engine,
                pipeTransport: transport(engine, args),
            };
        });
    });
}

function listOf(value: unknown): unknown[] {
    return Array.isArray(value) ? (value as unknown[]) : [];
}

function transport(pipeProgram: string, pipeArgs: string[]): Container["pipeTransport"] {
    return { pipeProgram, pipeArgs, debuggerPath: "dap-dotnet", quoteArgs: false };
}

export interface Listing {
    readonly containers: readonly Container[];
    /** Why an engine that is installed told nothing, in its own words. */
    readonly problems: readonly string[];
    /** Whether an engine is installed at all. */
    readonly hasEngine: boolean;
}

/** Asks every engine that is on PATH for the containers that run. */
export async function listContainers(env: NodeJS.ProcessEnv = process.env): Promise<Listing> {
    const answers = await Promise.all(
        ENGINES.map(async (engine) => {
            try {
                return engine.read(await outputOf(engine.program, engine.args, env), engine.program);
            } catch (error) {
                const isMissing = asRecord(error)["code"] === "ENOENT";
                return isMissing ? undefined : `${engine.program}: ${error instanceof Error ? error.message : String(error)}`;
            }
        }),
    );
    return {
        containers: answers.flatMap((answer) => (Array.isArray(answer) ? answer : [])),
        problems: answers.filter((answer): answer is string => typeof answer === "string"),
        hasEngine: answers.some((answer) => answer !== undefined),
    };
}

function outputOf(program: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<string> {
    return new Promise((resolve, reject) => {
        execFile(program, [...args], { timeout: 15_000, maxBuffer: 64 << 20, env }, (error, stdout, stderr) => {
            if (error === null) {
                resolve(stdout);
            } else {
                const words = stderr.trim().split("\n").at(-1) || error.message;
                reject(Object.assign(new Error(words), { code: error.code }));
            }
        });
    });
}

/** Whether a container has the debugger: an engine ends with 126 or 127 where the program is not on PATH there. */
export function hasDebugger(pipe: PipeCommand): Promise<boolean> {
    const options = { timeout: 30_000, env: { ...process.env, ...pipe.env } };
    return new Promise((resolve) => {
        execFile(pipe.command, [...pipe.args], options, (error) => resolve(error?.code !== 126 && error?.code !== 127));
    });
}
