/** What came back for one request. */
export interface HttpAnswer {
  readonly status: number
  readonly sessionId: string | undefined
  readonly body: Buffer
}

const LINE_END = '\r\n'
const HEAD_END = '\r\n\r\n'

/** Reads the answer at the start of some bytes; undefined while it is incomplete. */
export function parseAnswer(
  bytes: Buffer,
): { readonly answer: HttpAnswer; readonly end: number } | undefined {
  const headEnd = bytes.indexOf(HEAD_END)
  if (headEnd === -1) return undefined
  const head = bytes.toString('latin1', 0, headEnd)
  const found = readBody(bytes, headEnd + HEAD_END.length, head)
  if (found === undefined) return undefined
  const sessionId = /\r\nmcp-session-id: *([^\r]+)/i.exec(head)?.[1]
  return {
    answer: { status: Number(head.slice(9, 12)), sessionId, body: found.body },
    end: found.end,
  }
}

interface FoundBody {
  readonly body: Buffer
  readonly end: number
}

function readBody(bytes: Buffer, start: number, head: string): FoundBody | undefined {
  const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1]
  if (length !== undefined) {
    const end = start + Number(length)
    return bytes.length < end ? undefined : { body: bytes.subarray(start, end), end }
  }
  if (/\r\ntransfer-encoding: *chunked/i.test(head)) return readChunks(bytes, start)
  return { body: Buffer.alloc(0), end: start }
}

function readChunks(bytes: Buffer, start: number): FoundBody | undefined {
  const chunks: Buffer[] = []
  let at = start
  for (;;) {
    const sizeEnd = bytes.indexOf(LINE_END, at)
    if (sizeEnd === -1) return undefined
    const size = Number.parseInt(bytes.toString('latin1', at, sizeEnd), 16)
    const chunkStart = sizeEnd + LINE_END.length
    const next = chunkStart + size + LINE_END.length
    if (Number.isNaN(size)) throw new Error('answer is not HTTP')
    if (bytes.length < next) return undefined
    if (size === 0) return { body: Buffer.concat(chunks), end: next }
    chunks.push(bytes.subarray(chunkStart, chunkStart + size))
    at = next
  }
}
