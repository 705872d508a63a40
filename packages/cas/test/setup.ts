import { createHash } from 'node:crypto'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ContentStore, type ContentStoreOptions, createContentStore } from '@waymark/cas'
import { onTestFinished } from 'vitest'

interface Setup {
  readonly folder: string
  readonly store: ContentStore
  /** Every file below the folder, as `objects/ab/…`. */
  readonly files: () => Promise<string[]>
}

export async function setup(options: Omit<ContentStoreOptions, 'folder'> = {}): Promise<Setup> {
  const parent = await mkdtemp(join(tmpdir(), 'cas-'))
  onTestFinished(() => rm(parent, { recursive: true, force: true, maxRetries: 10 }))
  const folder = join(parent, 'store')
  return { folder, store: createContentStore({ folder, ...options }), files: () => filesIn(folder) }
}

async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) =>
      join(entry.parentPath, entry.name)
        .slice(folder.length + 1)
        .replaceAll('\\', '/'),
    )
    .toSorted()
}

export function sha256(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex')
}

export function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text)
}

/** Where the store keeps a content. */
export function pathOf(folder: string, hash: string): string {
  return join(folder, 'objects', hash.slice(0, 2), hash.slice(2))
}

export async function readAll(stream: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  for await (const chunk of stream) chunks.push(chunk)
  return Buffer.concat(chunks)
}
