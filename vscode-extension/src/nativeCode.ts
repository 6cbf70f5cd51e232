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
