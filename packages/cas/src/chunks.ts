/** What can be stored: bytes at hand, or a stream of them (Node's, the web's, a generator). */
export type ContentSource = Uint8Array | AsyncIterable<Uint8Array>

const CHUNK_BYTES = 1 << 20

/** The chunks of a source. A stalled source is abandoned when `signal` aborts. */
export async function* toChunks(
  source: ContentSource,
  signal?: AbortSignal,
): AsyncGenerator<Uint8Array> {
  signal?.throwIfAborted()
  if (source instanceof Uint8Array) {
    // Hashing a large array in one go would block the event loop.
    for (let start = 0; start < source.length; start += CHUNK_BYTES) {
      yield source.subarray(start, start + CHUNK_BYTES)
    }
    return
  }
  const iterator = source[Symbol.asyncIterator]()
  let giveUp = (_reason: unknown): void => {}
  const onAbort = (): void => giveUp(signal?.reason)
  // Not `Promise.race` with one shared promise: that would retain every chunk until the end.
  const next = (): Promise<IteratorResult<unknown>> =>
    new Promise((resolve, reject) => {
      giveUp = reject
      iterator.next().then(resolve, reject)
    })
  signal?.addEventListener('abort', onAbort)
  try {
    for (;;) {
      const { done, value } = await next()
      if (done === true) return
      if (!(value instanceof Uint8Array)) throw new TypeError('a content is a stream of bytes')
      yield value
      signal?.throwIfAborted()
    }
  } finally {
    signal?.removeEventListener('abort', onAbort)
    // Not awaited: a stalled source would never resolve.
    void iterator.return?.().then(undefined, () => {})
  }
}
