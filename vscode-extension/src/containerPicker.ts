import * as vscode from "vscode";

import { showProblem } from "./adapter";
import { ATTACH } from "./configurations";
import { type Container, hasDebugger, listContainers } from "./containers";
import { pipeCommand } from "./pipeTransport";
import { pickProcess } from "./processPicker";
import { PS } from "./processes";

/** Where the images of .NET's own samples and tools build: what is there is the workspace's folder here. */
const BUILT_IN = ["/src", "/source", "/app"];

/** Attaches to a process in a container; the user picks both. */
export async function attachToContainer(): Promise<void> {
    try {
        const container = await pickContainer();
        const pipe = pipeCommand(container?.pipeTransport, PS, process.platform);
        if (container === undefined || pipe === undefined) {
            return;
        }
        if (!(await hasDebugger(pipe))) {
            const another = "Choose Another";
            const text =
                `The container ${container.name} has no dap-dotnet on its PATH. Put it into the image: it needs Python 3.10 ` +
                "or later and dap-dotnet's wheel.";
            if ((await vscode.window.showErrorMessage(text, another)) === another) {
                await attachToContainer();
            }
            return;
        }
        const folder = vscode.workspace.workspaceFolders?.[0];
        const processId = await pickProcess(folder, pipe);
        if (processId !== undefined) {
            await vscode.debug.startDebugging(folder, {
                ...ATTACH,
                name: `.NET: attach in ${container.name}`,
                processId,
                pipeTransport: container.pipeTransport,
                ...(folder === undefined
                    ? {}
                    : { sourceFileMap: Object.fromEntries(BUILT_IN.map((place) => [place, folder.uri.fsPath])) }),
            });
        }
    } catch (error) {
        showProblem(error);
    }
}

async function pickContainer(): Promise<Container | undefined> {
    const { containers, problems, hasEngine } = await vscode.window.withProgress(
        { location: vscode.ProgressLocation.Window, title: "Listing containers" },
        () => listContainers(),
    );
    if (containers.length === 0) {
        const text = hasEngine
            ? ["No container runs that you can reach.", ...problems].join(" ")
            : "Neither docker nor podman nor kubectl is on PATH.";
        void vscode.window.showErrorMessage(text);
        return undefined;
    }
    const items = containers.map((container) => ({
        label: container.name,
        description: `${container.engine} · ${container.image}`,
        container,
    }));
    const title = "Attach to a process in which container?";
    const placeHolder = problems.length === 0 ? "Type a part of its name or image" : problems.join(" ");
    const chosen = await vscode.window.showQuickPick(items, { title, placeHolder, matchOnDescription: true });
    return chosen?.container;
}
