import { randomUUID } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  type Content,
  ContentError,
  type ContentFacts,
  type ContentStore,
  createContentStore,
  detectMime,
  isContentHash,
  type Upload,
} from '@waymark/cas'
import type { ContentRefs } from '../../team/content-refs.ts'
import type { Bucket } from './bucket.ts'

/** How long a client may take to begin its request to the storage. */
const LINK_SECONDS = 300

/** A content store whose clients may send and fetch bytes without the server in between. */
export interface SharedContents extends ContentStore {
  /** An address that takes bytes of this hash; `adopt` makes a content of them. */
  signUpload(hash: string): SignedUpload
  /** A content that a client has sent to such an address: checked, and not yet in the store. */
  adopt(hash: string, options: { readonly limit?: number; readonly name?: string }): Promise<Upload>
  /** An address that answers with the bytes, as a download; undefined where the project has no such content. */
  signDownload(hash: string): Promise<string | undefined>
}

interface SignedUpload {
  readonly method: 'PUT'
  readonly url: string
  /** To be sent exactly so: the storage refuses bytes of another hash. */
  readonly headers: Readonly<Record<string, string>>
  readonly seconds: number
}

interface SharedOptions {
  readonly bucket: Bucket
  readonly refs: ContentRefs
  readonly projectId: string
  readonly limit: number
}

/**
 * Contents in a bucket, once for each organisation. A project reaches only those that it has added itself: to know a
 * hash is not enough.
 */
export function createSharedContents(options: SharedOptions): SharedContents {
  const { bucket, refs, projectId, limit } = options
  const incoming = (hash: string): string => `incoming/${projectId}/${hash}`
  /** Of bytes that the server has sent itself: no client has an address for it. */
  const compared = (): string => `incoming/${projectId}/compared/${randomUUID()}`

  /** What lies at `key` becomes a content of the organisation, unless it has that already. */
  const toUpload = ({ hash, size, mime }: ContentFacts, key: string): Upload => ({
    hash,
    size,
    mime,
    async keep() {
      const { isNew } = await refs.add({ hash, size }, async (organisationId) => {
        const kept = objectKey(organisationId, hash)
        if ((await bucket.stat(kept)) === undefined) await bucket.copy(key, kept)
      })
      return { hash, size, mime, isNew }
    },
    [Symbol.asyncDispose]: async () => {
      await bucket.remove(key)
    },
  })
  /** Compares bytes with their hash on this machine, and sends them to where no client can replace them. */
  const sendCompared = async (
    source: Parameters<ContentStore['stage']>[0],
    given: Parameters<ContentStore['stage']>[1] = {},
  ): Promise<Upload> => {
    const folder = temporary()
    try {
      const local = createContentStore({ folder, limit: given.limit ?? limit })
      const { hash, size, mime } = await local.put(source, given)
      const key = compared()
      await bucket.put(key, (await local.get(hash)).bytes, { hash, size })
      return toUpload({ hash, size, mime }, key)
    } finally {
      await remove(folder)
    }
  }
  /** Reads and checks all of it before the first byte is passed on. */
  const fetched = async (hash: string, folder: string): Promise<ContentStore> => {
    const ref = await refs.find(parse(hash))
    const bytes = ref && (await bucket.get(objectKey(ref.organisationId, hash)))
    if (bytes === undefined) throw new ContentError('missing', `there is no content ${hash}`)
    const local = createContentStore({ folder, limit })
    await local.put(bytes, { expectedHash: hash }).catch((error: unknown) => {
      if (!(error instanceof ContentError) || error.code !== 'hash_mismatch') throw error
      throw new ContentError('corrupt', `the stored content of ${hash} is damaged`)
    })
    return local
  }

  const get: ContentStore['get'] = async (hash, range) => {
    const folder = temporary()
    try {
      const content = await (await fetched(hash, folder)).get(hash, range)
      return { ...content, bytes: thenRemove(content, folder) }
    } catch (error) {
      await remove(folder)
      throw error
    }
  }
  const stat: ContentStore['stat'] = async (hash) => {
    const ref = await refs.find(parse(hash))
    return ref && { hash, size: ref.size, mime: 'application/octet-stream' }
  }
  return {
    stage: sendCompared,
    get,
    stat,
    async put(source, given) {
      await using upload = await sendCompared(source, given)
      return await upload.keep()
    },
    async read(hash, { limit: most = limit } = {}) {
      const { size, bytes } = await get(hash)
      if (size > most) {
        await bytes.cancel()
        throw new ContentError('too_large', `the content has ${size} bytes, more than ${most}`)
      }
      const chunks: Uint8Array[] = []
      for await (const chunk of bytes) chunks.push(chunk)
      return Buffer.concat(chunks)
    },
    has: async (hash) => (await stat(hash)) !== undefined,
    async verify(hash) {
      const folder = temporary()
      try {
        await fetched(hash, folder)
        return 'intact'
      } catch (error) {
        if (!(error instanceof ContentError)) throw error
        if (error.code === 'corrupt' || error.code === 'missing') return error.code
        throw error
      } finally {
        await remove(folder)
      }
    },
    delete: (hash) =>
      refs.remove(parse(hash), (organisationId) => bucket.remove(objectKey(organisationId, hash))),
    async *list() {
      for (const { hash, size } of await refs.list()) yield { hash, size, storedAt: 0 }
    },
    // A rule of the bucket removes what is left in `incoming/`.
    sweep: async () => 0,
    signUpload(hash) {
      const { url, headers } = bucket.signUpload(incoming(parse(hash)), hash, LINK_SECONDS)
      return { method: 'PUT', url, headers, seconds: LINK_SECONDS }
    },
    async adopt(hash, { limit: most = limit, name }) {
      const found = await bucket.stat(incoming(parse(hash)))
      if (found === undefined)
        throw new ContentError('missing', `no bytes of ${hash} have been sent to the storage`)
      if (found.size > most)
        throw new ContentError('too_large', `the content has more than ${most} bytes`)
      const bytes = (await bucket.get(incoming(hash))) ?? new Blob([]).stream()
      if (found.hash === hash) {
        const mime = detectMime(await headOf(bytes), name)
        return toUpload({ hash, size: found.size, mime }, incoming(hash))
      }
      // A storage that does not tell the hash may not have compared it either, and the client can send again.
      const named = name === undefined ? {} : { name }
      const upload = await sendCompared(bytes, { expectedHash: hash, limit: most, ...named })
      await bucket.remove(incoming(hash))
      return upload
    },
    async signDownload(hash) {
      const ref = await refs.find(parse(hash))
      // A browser must not run stored content.
      const query = {
        'response-content-disposition': 'attachment',
        'response-content-type': 'application/octet-stream',
      }
      return (
        ref &&
        bucket.sign(objectKey(ref.organisationId, hash), { method: 'GET', query }, LINK_SECONDS)
      )
    },
  }
}

function objectKey(organisationId: string, hash: string): string {
  return `objects/${organisationId}/${hash.slice(0, 2)}/${hash}`
}

function parse(hash: string): string {
  if (isContentHash(hash)) return hash
  throw new ContentError('invalid_hash', 'must be the SHA-256 of a content, 64 hex digits')
}

/** A folder for one content on its way. */
function temporary(): string {
  return join(tmpdir(), `waymark-content-${randomUUID()}`)
}

async function remove(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true })
}

const HEAD_BYTES = 4096

async function headOf(bytes: ReadableStream<Uint8Array>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of bytes) {
    chunks.push(chunk)
    size += chunk.length
    if (size >= HEAD_BYTES) break
  }
  return Buffer.concat(chunks).subarray(0, HEAD_BYTES)
}

function thenRemove({ bytes }: Content, folder: string): Content['bytes'] {
  const reader = bytes.getReader()
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await reader.read()
        if (!done) return controller.enqueue(value)
        controller.close()
        await remove(folder)
      },
      async cancel() {
        await reader.cancel()
        await remove(folder)
      },
    },
    { highWaterMark: 0 },
  )
}
