/**
 * The name under which an editor shows the answer of `.asm`: type and method of its first line, which is
 * `Shop.Cart.Add(Item item): 62 bytes`, without what no file's name may have.
 */
export function listingName(listing: string): string {
    const [first = ""] = listing.split("\n", 1);
    const name = short(first.replace(/\(.*/, "")).replace(/[^\p{L}\p{N}_.<>`|,-]+/gu, "_");
    return `${name || "code"}.asm`;
}

/** The last two parts of a name; the dots of type arguments and of `.ctor` part nothing. */
function short(name: string): string {
    let depth = 0;
    let dots = 0;
    for (let at = name.length - 1; at > 0; at--) {
        depth += name[at] === ">" ? 1 : name[at] === "<" ? -1 : 0;
        if (depth === 0 && name[at] === "." && name[at - 1] !== "." && ++dots === 2) {
            return name.slice(at + 1);
        }
    }
    return name;
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
