const TEXTUAL = /^(text\/|image\/svg\+xml$|application\/(json|xml|yaml|x-ndjson)$)/

export function isTextual(mime: string): boolean {
  return TEXTUAL.test(mime)
}

/** The bytes as text, without a character that is cut off at the end; undefined if they are not UTF-8. */
export function takeText(
  content: Buffer,
  isEnd: boolean,
): { readonly text: string; readonly bytes: number } | undefined {
  const bytes = isEnd ? content.length : content.length - cutOff(content)
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(
      content.subarray(0, bytes),
    )
    return { text, bytes }
  } catch {
    return undefined
  }
}

/** How many bytes at the end belong to a character that goes on after it. */
function cutOff(content: Buffer): number {
  for (let back = 1; back <= Math.min(3, content.length); back += 1) {
    const byte = content[content.length - back] ?? 0
    if (byte >= 0xc0) return lengthOf(byte) > back ? back : 0
    if (byte < 0x80) return 0
  }
  return 0
}

function lengthOf(first: number): number {
  if (first >= 0xf0) return 4
  return first >= 0xe0 ? 3 : 2
}
