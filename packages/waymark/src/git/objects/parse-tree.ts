export interface TreeEntry {
  readonly mode: string
  readonly id: string
}

/** Entries by name: `<mode> <name>\0<id as bytes>`, one behind the other. Undefined if this is no tree. */
export function parseTree(content: Buffer, idBytes: number): Map<string, TreeEntry> | undefined {
  const entries = new Map<string, TreeEntry>()
  for (let at = 0; at < content.length;) {
    const blank = content.indexOf(0x20, at)
    const end = content.indexOf(0, blank)
    if (blank === -1 || end === -1) return undefined
    const name = content.toString('latin1', blank + 1, end)
    const id = content.toString('hex', end + 1, end + 1 + idBytes)
    // Some programs have written a zero before the mode of a folder.
    entries.set(name, { mode: content.toString('latin1', at, blank).replace(/^0/, ''), id })
    at = end + 1 + idBytes
  }
  return entries
}
