import * as vscode from "vscode";

import { DEBUG_TYPE } from "./configurations";
import type { Language } from "./identifiers";
import { VariableNames } from "./variableNames";

export const INLINE_LANGUAGES: readonly Language[] = ["csharp", "fsharp", "vb"];

/** The values of variables behind the lines that name them, up to where the program stands: what VS Code shows by default. */
export class InlineValues implements vscode.InlineValuesProvider {
    constructor(private readonly language: Language) {}

    async provideInlineValues(
        document: vscode.TextDocument,
        viewPort: vscode.Range,
        { frameId, stoppedLocation }: vscode.InlineValueContext,
    ): Promise<vscode.InlineValue[]> {
        const session = vscode.debug.activeDebugSession;
        if (session?.type !== DEBUG_TYPE) {
            return [];
        }
        let names: VariableNames;
        try {
            names = new VariableNames(
                await session.customRequest("dap-dotnet/variableRanges", { frameId }),
                this.language,
            );
        } catch {
            return []; // the program runs again, or the adapter is older
        }
        const lastLine = Math.min(viewPort.end.line, stoppedLocation.end.line);
        const text = document.getText(new vscode.Range(0, 0, lastLine + 1, 0)).replace(/\r\n?/g, "\n");
        return names.within(text, viewPort.start.line, lastLine).map(({ name, line, column }) => {
            const range = new vscode.Range(line, column, line, column + name.length);
            return new vscode.InlineValueVariableLookup(range, name, this.language !== "vb");
        });
    }
}
