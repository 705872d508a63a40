/** Default size limit of an answer; the rest comes with the next page. */
const REPLY_BYTES = 9_000

/** A tool's answer carries its JSON as data and once more as text, a resource its JSON as text; a prompt is itself text. */
export type ReplyForm = 'tool' | 'resource' | 'prompt'

/** As many items from the start as fit into one answer, or this part of it, but at least one. */
export function takeWithinReply<T>(items: readonly T[], part = 1, form: ReplyForm = 'tool'): T[] {
  let left = REPLY_BYTES * part
  const end = items.findIndex((item, index) => {
    left -= sizeInReply(item, form)
    return left < 0 && index > 0
  })
  return items.slice(0, end === -1 ? undefined : end)
}

/** Whether a value has room in one answer, or in this part of it. */
export function fitsReply(value: unknown, part = 1, form: ReplyForm = 'tool'): boolean {
  return sizeInReply(value, form) <= REPLY_BYTES * part
}

/** Text within JSON is a JSON string: what is quoted in it is quoted once more. */
function sizeInReply(value: unknown, form: ReplyForm): number {
  const data = JSON.stringify(value)
  const text = form === 'prompt' ? '' : JSON.stringify(data)
  return Buffer.byteLength(form === 'resource' ? text : data + text)
}

/** The same value with every text and every list in it no longer than this; a text says how much is missing. */
export function cutTexts<T>(value: T, length: number, items = Infinity): T {
  // Shorter texts and lists are of the same types.
  return cut(value, length, items) as T
}

function cut(value: unknown, length: number, items: number): unknown {
  if (typeof value === 'string') return cutText(value, length)
  if (Array.isArray(value)) return value.slice(0, items).map((item) => cut(item, length, items))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, cut(item, length, items)]),
  )
}

/** The beginning of a text that is longer than this, and how much is missing. */
export function cutText(text: string, length: number): string {
  if (text.length <= length) return text
  const kept = text.slice(0, length).toWellFormed()
  return `${kept}… [${text.length - length} more characters]`
}
