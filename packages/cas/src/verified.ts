import type { FileHandle } from 'node:fs/promises'
import { ReadableStream } from 'node:stream/web'
import { ContentError } from './content-error.ts'
import { openObject } from './folder.ts'
import { createContentHash } from './hash.ts'

const CHUNK_BYTES = 1 << 18

/** Which bytes of a content: from `start` up to, not including, `end`. */
export interface ByteRange {
  readonly start: number
  readonly end: number
}

export async function isIntact(folder: string, hash: string, size: number): Promise<boolean> {
  const file = await openObject(folder, hash)
  if (file === undefined) return false
  try {
    return (await file.stat()).size === size && (await hashOf(file)) === hash
  } finally {
    await file.close()
  }
}

/** Empty for anything but a regular file. */
export async function hashOf(file: FileHandle): Promise<string> {
  if (!(await file.stat()).isFile()) return ''
  const hash = createContentHash()
  for await (const chunk of chunksOf(file)) hash.update(chunk)
  return hash.digest('hex')
}

export function corrupt(hash: string): ContentError {
  return new ContentError(
    'corrupt',
    `the stored content of ${hash} is damaged; store it again from its source to repair it`,
  )
}

/**
 * Streams a file whose hash was just verified. The bytes are hashed again while streaming, and the last chunk is withheld
 * until the hash matches, so that a stream of changed bytes never ends successfully.
 */
export function toVerifiedStream(
  file: FileHandle,
  hash: string,
  range: ByteRange,
): ReadableStream<Uint8Array> {
  const chunks = verifiedChunks(file, hash, range)
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await chunks.next()
          if (done) controller.close()
          else controller.enqueue(value)
        } catch (error) {
          controller.error(error)
        }
      },
      cancel: async () => {
        await chunks.return(undefined)
        // A generator that was never started does not run its `finally`.
        await file.close()
      },
    },
    { highWaterMark: 0 },
  )
}

async function* verifiedChunks(
  file: FileHandle,
  expected: string,
  { start, end }: ByteRange,
): AsyncGenerator<Uint8Array, undefined> {
  const hash = createContentHash()
  let held: Uint8Array | undefined
  let position = 0
  try {
    for await (const chunk of chunksOf(file, 'fresh')) {
      hash.update(chunk)
      const wanted = chunk.subarray(Math.max(0, start - position), Math.max(0, end - position))
      position += chunk.length
      if (wanted.length === 0) continue
      if (held !== undefined) yield held
      held = wanted
    }
    if (hash.digest('hex') !== expected) throw corrupt(expected)
    if (held !== undefined) yield held
    return undefined
  } finally {
    await file.close()
  }
}

/** A chunk is valid until the next one, because the buffer is reused; with `fresh`, each chunk has its own. */
async function* chunksOf(
  file: FileHandle,
  makes: 'fresh' | 'one' = 'one',
): AsyncGenerator<Uint8Array> {
  let buffer = Buffer.allocUnsafeSlow(CHUNK_BYTES)
  for (let position = 0; ;) {
    const { bytesRead } = await file.read({ buffer, position })
    if (bytesRead === 0) return
    position += bytesRead
    yield buffer.subarray(0, bytesRead)
    if (makes === 'fresh') buffer = Buffer.allocUnsafeSlow(CHUNK_BYTES)
  }
}
