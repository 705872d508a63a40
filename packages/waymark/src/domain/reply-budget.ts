/** How large an answer may get when nobody asked for more: what does not fit comes with the next cursor. */
const REPLY_BYTES = 9_000

/** As many items from the start as fit into one answer, or this part of it, but at least one. */
export function takeWithinReply<T>(items: readonly T[], part = 1): T[] {
  let left = REPLY_BYTES * part
  const end = items.findIndex((item, index) => {
    left -= sizeInReply(item)
    return left < 0 && index > 0
  })
  return items.slice(0, end === -1 ? undefined : end)
}

/** An answer over MCP carries its JSON twice: as data, and once more as a JSON string for those who read text. */
function sizeInReply(item: unknown): number {
  const text = JSON.stringify(item)
  return Buffer.byteLength(text) + Buffer.byteLength(JSON.stringify(text))
}
