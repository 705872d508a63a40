import { type FileHandle, lstat, opendir } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { ReadableStream } from 'node:stream/web'
import type { ContentSource } from './chunks.ts'
import { ContentError, hasCode, toContentError } from './content-error.ts'
import { detectMime, HEAD_BYTES } from './detect-mime.ts'
import {
  assertUnlinked,
  incomingFolder,
  objectPath,
  objectsFolder,
  openObject,
  removeFile,
} from './folder.ts'
import { isContentHash, parseContentHash } from './hash.ts'
import { type PutOptions, stageUpload, type StoredContent, type Upload } from './upload.ts'
import { type ByteRange, corrupt, hashOf, toVerifiedStream } from './verified.ts'

const DEFAULT_LIMIT = 1 << 30
const SWEEP_AGE_MS = 60 * 60 * 1000

/** Where a store is and how much it takes. */
export interface ContentStoreOptions {
  /** Made when the first content is stored. Several processes may use it at once. */
  readonly folder: string
  /** Most bytes of one content; default: 1 GiB. */
  readonly limit?: number
  /** Of the machine that dates the files, where that of this process may be off. */
  readonly now?: () => number
}

/** What is known of a content without reading it all. */
export interface ContentFacts {
  readonly hash: string
  readonly size: number
  /** By its first bytes, see `detectMime`. */
  readonly mime: string
}

/** A content whose hash has been checked, and its bytes: read them to the end or cancel them. */
export interface Content extends ContentFacts, ByteRange {
  readonly bytes: ReadableStream<Uint8Array>
}

/** An object as `list` finds it. */
export interface ContentEntry {
  readonly hash: string
  readonly size: number
  /** When it was stored, in milliseconds since 1970. */
  readonly storedAt: number
}

/** Contents by their hash. Everything that is wrong is a `ContentError`. */
export interface ContentStore {
  /** Stores a content, and is done when it is on disk. What fails leaves nothing behind. */
  readonly put: (source: ContentSource, options?: PutOptions) => Promise<StoredContent>
  /** The first half of `put`: the content is received and checked, and not yet in the store. */
  readonly stage: (source: ContentSource, options?: PutOptions) => Promise<Upload>
  /** The content, or a part of it, once all of it has been checked: `missing` or `corrupt` otherwise. */
  readonly get: (hash: string, range?: Partial<ByteRange>) => Promise<Content>
  /** The whole content in memory, checked. `too_large` above `limit` bytes. */
  readonly read: (hash: string, options?: { readonly limit?: number }) => Promise<Uint8Array>
  readonly stat: (
    hash: string,
    options?: { readonly name?: string },
  ) => Promise<ContentFacts | undefined>
  readonly has: (hash: string) => Promise<boolean>
  /** Reads all of it and compares the hash. */
  readonly verify: (hash: string) => Promise<'intact' | 'corrupt' | 'missing'>
  /** False if it was not there. */
  readonly delete: (hash: string) => Promise<boolean>
  /** Everything in the store, in no order. */
  readonly list: () => AsyncIterable<ContentEntry>
  /** Removes temp files of killed uploads, one hour after their last write. Returns how many. */
  readonly sweep: (options?: { readonly olderThanMs?: number }) => Promise<number>
}

/** A store in a folder. Nothing is opened or made before it is used. */
export function createContentStore({
  folder,
  limit = DEFAULT_LIMIT,
  now = Date.now,
}: ContentStoreOptions): ContentStore {
  const stage: ContentStore['stage'] = (source, options = {}) =>
    stageUpload(folder, source, { limit, ...options })
  return {
    stage,
    put: async (source, options) => {
      await using upload = await stage(source, options)
      return await upload.keep()
    },
    get: (hash, range) => inWords(() => get(folder, parseContentHash(hash), range)),
    read: (hash, options = {}) =>
      inWords(() => read(folder, parseContentHash(hash), { limit, ...options })),
    stat: (hash, options) => inWords(() => facts(folder, parseContentHash(hash), options?.name)),
    has: async (hash) => (await inWords(() => facts(folder, parseContentHash(hash)))) !== undefined,
    verify: (hash) => inWords(() => verify(folder, parseContentHash(hash))),
    delete: (hash) => inWords(() => remove(folder, parseContentHash(hash))),
    list: () => list(folder),
    sweep: ({ olderThanMs = SWEEP_AGE_MS } = {}) =>
      inWords(() => sweep(folder, now() - olderThanMs)),
  }
}

async function inWords<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw toContentError(error)
  }
}

async function get(folder: string, hash: string, wanted?: Partial<ByteRange>): Promise<Content> {
  const file = await openObject(folder, hash)
  if (file === undefined) throw missing(hash)
  try {
    const { size } = await file.stat()
    const range = toRange(size, wanted)
    if ((await hashOf(file)) !== hash) throw corrupt(hash)
    const mime = detectMime(await headOf(file))
    return { hash, size, mime, ...range, bytes: toVerifiedStream(file, hash, range) }
  } catch (error) {
    await file.close()
    throw error
  }
}

function toRange(size: number, { start = 0, end = size }: Partial<ByteRange> = {}): ByteRange {
  const isValid = [start, end].every(Number.isSafeInteger) && start >= 0 && start <= end
  if (isValid && end <= size) return { start, end }
  throw new ContentError('invalid_range', `the content has ${size} bytes, from 0 up to ${size}`)
}

async function read(
  folder: string,
  hash: string,
  { limit }: { readonly limit: number },
): Promise<Uint8Array> {
  const { size, bytes } = await get(folder, hash)
  if (size > limit) {
    await bytes.cancel()
    throw new ContentError('too_large', `the content has ${size} bytes, more than ${limit}`)
  }
  const chunks: Uint8Array[] = []
  for await (const chunk of bytes) chunks.push(chunk)
  return Buffer.concat(chunks)
}

async function facts(
  folder: string,
  hash: string,
  name?: string,
): Promise<ContentFacts | undefined> {
  const file = await openObject(folder, hash)
  if (file === undefined) return undefined
  try {
    const found = await file.stat()
    if (!found.isFile()) return undefined
    return { hash, size: found.size, mime: detectMime(await headOf(file), name) }
  } finally {
    await file.close()
  }
}

async function headOf(file: FileHandle): Promise<Uint8Array> {
  const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(HEAD_BYTES), position: 0 })
  return buffer.subarray(0, bytesRead)
}

async function verify(folder: string, hash: string): Promise<'intact' | 'corrupt' | 'missing'> {
  const file = await openObject(folder, hash)
  if (file === undefined) return 'missing'
  try {
    return (await hashOf(file)) === hash ? 'intact' : 'corrupt'
  } finally {
    await file.close()
  }
}

async function remove(folder: string, hash: string): Promise<boolean> {
  const path = objectPath(folder, hash)
  assertUnlinked(folder, path)
  return await removeFile(path)
}

async function* list(folder: string): AsyncGenerator<ContentEntry> {
  const root = objectsFolder(folder)
  assertUnlinked(folder, join(root, '*'))
  for await (const group of namesIn(root)) {
    assertUnlinked(folder, join(root, group, '*'))
    for await (const name of namesIn(join(root, group))) {
      const hash = group + name
      if (!isContentHash(hash)) continue
      const found = await statIfPresent(objectPath(folder, hash))
      if (found?.isFile()) yield { hash, size: found.size, storedAt: found.mtimeMs }
    }
  }
}

async function sweep(folder: string, before: number): Promise<number> {
  const incoming = incomingFolder(folder)
  assertUnlinked(folder, join(incoming, '*'))
  let removed = 0
  for await (const name of namesIn(incoming)) {
    if (!name.endsWith('.part')) continue
    const path = join(incoming, basename(name))
    const found = await statIfPresent(path)
    // An active upload writes regularly; a stalled one fails because its temp file is gone.
    if (found !== undefined && found.mtimeMs <= before) {
      if (await removeFile(path)) removed += 1
    }
  }
  return removed
}

async function* namesIn(path: string): AsyncGenerator<string> {
  try {
    for await (const { name } of await opendir(path)) yield name
  } catch (error) {
    if (!hasCode(error, ['ENOENT', 'ENOTDIR'])) throw toContentError(error)
  }
}

async function statIfPresent(path: string) {
  try {
    return await lstat(path)
  } catch (error) {
    if (hasCode(error, ['ENOENT', 'ENOTDIR'])) return undefined
    throw error
  }
}

function missing(hash: string): ContentError {
  return new ContentError('missing', `there is no content with the hash ${hash}`)
}
