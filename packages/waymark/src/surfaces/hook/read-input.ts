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
  const timeout = AbortSignal.timeout(PATIENCE_MS)
  const isLate = new Promise<void>((resolve) => {
    timeout.addEventListener('abort', () => resolve(), { once: true })
  })
  await Promise.race([collect(), isLate])
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
