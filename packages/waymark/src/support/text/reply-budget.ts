/** Size limit of an answer to a model; the rest comes with the next page. Surfaces for people and programs have none. */
export const REPLY_BYTES = 9_000

interface Reply {
  /** The size limit of an answer on the caller's surface. */
  readonly replyBytes: number
}

/** As many items from the start as fit into one answer, or this part of it, but at least one. */
export function takeWithinReply<T>({ replyBytes }: Reply, items: readonly T[], part = 1): T[] {
  if (replyBytes === Infinity) return [...items]
  let left = replyBytes * part
  const end = items.findIndex((item, index) => {
    left -= sizeOf(item)
    return left < 0 && index > 0
  })
  return items.slice(0, end === -1 ? undefined : end)
}

/** Whether a prompt has room in one answer. */
export function fitsReply(text: string): boolean {
  return Buffer.byteLength(JSON.stringify(text)) <= REPLY_BYTES
}

/** An answer carries its JSON as data and once more as text, in which everything quoted is quoted again. */
function sizeOf(value: unknown): number {
  const data = JSON.stringify(value)
  return Buffer.byteLength(data + JSON.stringify(data))
}

/** The same value with every text in it no longer than this; a text says how much is missing. */
export function cutTexts<T>(value: T, length: number): T {
  // Shorter texts are of the same types.
  return cut(value, length) as T
}

function cut(value: unknown, length: number): unknown {
  if (typeof value === 'string') return cutText(value, length)
  if (Array.isArray(value)) return value.map((item) => cut(item, length))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, cut(item, length)]))
}

/** The beginning of a text that is longer than this, and how much is missing. */
export function cutText(text: string, length: number): string {
  if (text.length <= length) return text
  const kept = text.slice(0, length).toWellFormed()
  return `${kept}… [${text.length - length} more characters]`
}
