/** One event as the HTML standard defines it. */
export interface ParsedEvent {
  readonly event: string
  readonly data: string
  readonly id: string | undefined
  readonly retry: number | undefined
}

/** Reads an event stream by the HTML standard's rules, written apart from the code under test. */
export async function* parseSse(body: AsyncIterable<Uint8Array>): AsyncGenerator<ParsedEvent> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of body) {
    text += decoder.decode(chunk, { stream: true })
    for (;;) {
      const end = /\r\n\r\n|\n\n|\r\r/.exec(text)
      if (end === null) break
      const block = text.slice(0, end.index)
      text = text.slice(end.index + end[0].length)
      const event = parseBlock(block)
      if (event !== undefined) yield event
    }
  }
}

function parseBlock(block: string): ParsedEvent | undefined {
  const data: string[] = []
  let event = 'message'
  let id: string | undefined
  let retry: number | undefined
  let hasField = false
  for (const line of block.split(/\r\n|\n|\r/)) {
    if (line.startsWith(':')) continue
    const [, name, value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? []
    hasField ||= name !== ''
    if (name === 'data') data.push(value)
    else if (name === 'event') event = value
    else if (name === 'id') id = value
    else if (name === 'retry') retry = Number(value)
  }
  return hasField ? { event, data: data.join('\n'), id, retry } : undefined
}
