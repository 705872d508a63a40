/** Tool calls carry whole files; a larger input is not read. */
const MOST_BYTES = 16 * 1024 * 1024

/** Hosts write the input at once. One that leaves the pipe open must not keep us waiting. */
const PATIENCE_MS = 2000

/** The JSON on standard input; undefined if there is none, or if it is too large, late or not JSON. */
export async function readInput(stream: AsyncIterable<Uint8Array>): Promise<unknown> {
  const chunks: Uint8Array[] = []
  let size = 0
  const collect = async (): Promise<void> => {
    for await (const chunk of stream) {
      size += chunk.length
      if (size > MOST_BYTES) return
      chunks.push(chunk)
    }
  }
  let timer: NodeJS.Timeout | undefined
  const isLate = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, PATIENCE_MS)
  })
  await Promise.race([collect(), isLate])
  clearTimeout(timer)
  if (size > MOST_BYTES) return undefined
  try {
    return JSON.parse(
      Buffer.concat(chunks)
        .toString('utf8')
        .replace(/^\uFEFF/, ''),
    )
  } catch {
    return undefined
  }
}

/** The chunks of a stream by its events: the iterator that it has takes four times as long to set up. */
export async function* chunksOf(stream: NodeJS.ReadableStream): AsyncIterable<Uint8Array> {
  const chunks: Uint8Array[] = []
  let [isOver, wake] = [false, () => {}]
  const end = (): void => {
    isOver = true
    wake()
  }
  stream.on('data', (chunk: Uint8Array) => {
    chunks.push(chunk)
    wake()
  })
  stream.on('end', end).on('error', end)
  for (;;) {
    if (chunks.length > 0) yield* chunks.splice(0)
    else if (isOver) return
    else await new Promise<void>((resolve) => (wake = resolve))
  }
}
