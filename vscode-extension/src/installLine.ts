/** The shell's line that installs the adapter from a wheel or its sources into the folder's virtual environment. */
export function installLine(source: string, platform: NodeJS.Platform): string {
    if (platform === "win32") {
        return `py -m venv .venv; .venv\\Scripts\\pip install '${source.replaceAll("'", "''")}'`;
    }
    return `python3 -m venv .venv && .venv/bin/pip install '${source.replaceAll("'", "'\\''")}'`;
}
