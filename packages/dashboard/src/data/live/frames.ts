/** One message of a `text/event-stream`. */
export interface Frame {
  readonly id: string
  readonly event: string
  readonly data: string
}

/** Parses server-sent events as they arrive, in pieces of any size. */
export async function* readFrames(body: ReadableStream<Uint8Array>): AsyncGenerator<Frame> {
  const reader = body
    .pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>)
    .getReader()
  let rest = ''
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      const blocks = (rest + value).replaceAll('\r\n', '\n').split('\n\n')
      rest = blocks.pop() ?? ''
      for (const block of blocks) {
        const frame = parseFrame(block)
        if (frame !== undefined) yield frame
      }
    }
  } finally {
    await reader.cancel().catch(() => {})
  }
}

/** Comments, which keep the connection open, are no frames. */
function parseFrame(block: string): Frame | undefined {
  let id = ''
  let event = 'message'
  const data: string[] = []
  for (const line of block.split('\n')) {
    const colon = line.indexOf(':')
    const field = colon < 0 ? line : line.slice(0, colon)
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '')
    if (field === 'id') id = value
    else if (field === 'event') event = value
    else if (field === 'data') data.push(value)
  }
  return data.length === 0 ? undefined : { id, event, data: data.join('\n') }
}
