import { randomUUID } from 'node:crypto'
import { type FileHandle, open } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type ContentSource, toChunks } from './chunks.ts'
import { ContentError, hasCode, toContentError } from './content-error.ts'
import { detectMime, HEAD_BYTES } from './detect-mime.ts'
import {
  assertUnlinked,
  incomingFolder,
  makeFolder,
  moveInto,
  objectPath,
  objectsFolder,
  removeFile,
  syncFolder,
} from './folder.ts'
import { createContentHash, parseContentHash } from './hash.ts'
import { isIntact } from './verified.ts'

/** What a content has to be, and how long to wait for it. */
export interface PutOptions {
  /** Most bytes to accept; default: the limit of the store. */
  readonly limit?: number
  /** What the sender says the content is; anything else is refused. */
  readonly expectedHash?: string
  readonly expectedSize?: number
  /** A name of the content, which can make the type of a text more exact. */
  readonly name?: string
  readonly signal?: AbortSignal
}

/** A content that is in the store. */
export interface StoredContent {
  readonly hash: string
  readonly size: number
  /** By its first bytes, see `detectMime`. */
  readonly mime: string
  /** False if the store had it already. */
  readonly isNew: boolean
}

/**
 * A content that is on disk and verified, but not in the store yet. Between `stage` and `keep` an application can record a
 * reference to it, so that its garbage collection cannot delete it.
 */
export interface Upload extends Omit<StoredContent, 'isNew'>, AsyncDisposable {
  /** Moves it into the store atomically. Durable when this resolves. */
  keep(): Promise<StoredContent>
}

export async function stageUpload(
  folder: string,
  source: ContentSource,
  options: LimitedPut,
): Promise<Upload> {
  const wanted = expectationOf(options)
  const path = join(incomingFolder(folder), `${randomUUID()}.part`)
  try {
    assertUnlinked(folder, path)
    const content = await receive(path, source, options)
    check(content, wanted)
    return toUpload(folder, path, content)
  } catch (error) {
    await drop(path)
    throw toContentError(error)
  }
}

type Content = Omit<StoredContent, 'isNew'>
type LimitedPut = PutOptions & { readonly limit: number }

function expectationOf({ limit, expectedHash, expectedSize }: LimitedPut) {
  if (expectedSize !== undefined && expectedSize > limit) throw tooLarge(limit)
  return {
    size: expectedSize,
    hash: expectedHash === undefined ? undefined : parseContentHash(expectedHash),
  }
}

/** Created on first write, so that reading a store creates nothing. */
async function createFile(path: string): Promise<FileHandle> {
  try {
    return await open(path, 'wx', 0o600)
  } catch (error) {
    if (!hasCode(error, ['ENOENT'])) throw error
    await makeFolder(dirname(path))
    return open(path, 'wx', 0o600)
  }
}

async function receive(path: string, source: ContentSource, options: LimitedPut): Promise<Content> {
  const file = await createFile(path)
  try {
    const content = await writeAll(file, source, options)
    // Stored contents are read-only. Not on Windows, where a read-only file cannot be replaced if it is damaged.
    if (process.platform !== 'win32') await file.chmod(0o400)
    await file.sync()
    return content
  } finally {
    await file.close()
  }
}

async function writeAll(
  file: FileHandle,
  source: ContentSource,
  { limit, name, signal }: LimitedPut,
): Promise<Content> {
  const hash = createContentHash()
  const head = Buffer.alloc(HEAD_BYTES)
  let size = 0
  for await (const chunk of toChunks(source, signal)) {
    if (size + chunk.length > limit) throw tooLarge(limit)
    if (size < HEAD_BYTES) head.set(chunk.subarray(0, HEAD_BYTES - size), size)
    size += chunk.length
    hash.update(chunk)
    await file.writeFile(chunk)
  }
  const beginning = head.subarray(0, Math.min(size, HEAD_BYTES))
  return { hash: hash.digest('hex'), size, mime: detectMime(beginning, name) }
}

function check(content: Content, wanted: ReturnType<typeof expectationOf>): void {
  if (wanted.size !== undefined && wanted.size !== content.size) {
    throw new ContentError(
      'size_mismatch',
      `${content.size} bytes arrived and ${wanted.size} were announced; send the content again`,
    )
  }
  if (wanted.hash !== undefined && wanted.hash !== content.hash) {
    throw new ContentError(
      'hash_mismatch',
      `the content has the hash ${content.hash}, not ${wanted.hash}; send the content again`,
    )
  }
}

function toUpload(folder: string, path: string, content: Content): Upload {
  return {
    ...content,
    keep: async () => {
      try {
        return { ...content, isNew: await keep(folder, path, content) }
      } catch (error) {
        throw toContentError(error)
      }
    },
    [Symbol.asyncDispose]: () => drop(path),
  }
}

/** A temp file that cannot be deleted is swept later; the upload itself has succeeded. */
async function drop(path: string): Promise<void> {
  await removeFile(path).catch(() => false)
}

/** Keeps an intact existing file; replaces a damaged one with the verified upload. */
async function keep(folder: string, path: string, { hash, size }: Content): Promise<boolean> {
  const target = objectPath(folder, hash)
  const isNew = !(await isIntact(folder, hash, size))
  if (isNew) {
    await makeFolder(dirname(target))
    await moveInto(path, target)
  } else {
    await drop(path)
  }
  await syncNames(folder, dirname(target))
  return isNew
}

/**
 * Syncs every folder on the path to a content. All of them, every time: another process may have created the folder or
 * the content and not have synced it yet.
 */
async function syncNames(folder: string, group: string): Promise<void> {
  const above = syncFolder(dirname(folder)).catch((error: unknown) => {
    // The store's own folder may be in one that only its owner may look into.
    if (!hasCode(error, ['EACCES', 'EPERM'])) throw error
  })
  await Promise.all([above, ...[folder, objectsFolder(folder), group].map(syncFolder)])
}

function tooLarge(limit: number): ContentError {
  return new ContentError('too_large', `the content is larger than the limit of ${limit} bytes`)
}
