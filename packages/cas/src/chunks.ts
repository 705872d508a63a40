/** What can be stored: bytes at hand, or a stream of them (Node's, the web's, a generator). */
export type ContentSource = Uint8Array | AsyncIterable<Uint8Array>

const CHUNK_BYTES = 1 << 20

/** The pieces of a source. A source that stalls is left as soon as `signal` says so. */
export async function* toChunks(
  source: ContentSource,
  signal?: AbortSignal,
): AsyncGenerator<Uint8Array> {
  signal?.throwIfAborted()
  if (source instanceof Uint8Array) {
    // Hashing a large array in one go would hold up everybody else in this process.
    for (let start = 0; start < source.length; start += CHUNK_BYTES) {
      yield source.subarray(start, start + CHUNK_BYTES)
    }
    return
  }
  const iterator = source[Symbol.asyncIterator]()
  const aborted = rejectOn(signal)
  try {
    for (;;) {
      const { done, value } = await Promise.race([iterator.next(), aborted.promise])
      if (done) return
      if (!(value instanceof Uint8Array)) throw new TypeError('a content is a stream of bytes')
      yield value
    }
  } finally {
    aborted.forget()
    // Not awaited: a source that stalls would never answer. One that was read to its end has nothing to say.
    void iterator.return?.().then(undefined, () => {})
  }
}

function rejectOn(signal: AbortSignal | undefined): {
  readonly promise: Promise<never>
  readonly forget: () => void
} {
  let forget = (): void => {}
  const promise = new Promise<never>((_, reject) => {
    const listener = (): void => reject(signal?.reason as Error)
    signal?.addEventListener('abort', listener)
    forget = () => signal?.removeEventListener('abort', listener)
  })
  // Whoever has stopped listening must not be ended by it.
  promise.catch(() => {})
  return { promise, forget }
}
