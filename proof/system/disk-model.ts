import { dirname } from 'node:path'
import type { DiskCall } from './disk-shim.ts'
import type { Random } from '../../packages/baton/test/support/random.ts'

const SECTOR = 512

type Change = Extract<DiskCall, { kind: 'write' | 'truncate' }>

interface Names {
  readonly files: Map<string, File>
  /** Only those that were made, not those that were there from the beginning. */
  readonly folders: Set<string>
}

interface File {
  /** What is safely on the disk. */
  content: Buffer
  /** What may or may not have arrived. */
  waiting: Change[]
}

interface NameChange {
  readonly folder: string
  readonly apply: (names: Names) => void
}

/**
 * A disk as bad as the standard allows: what was flushed is there; of the rest, each write may have arrived whole, in
 * part or not at all. A new name, of a file or of a folder, is there for certain only once its folder was flushed.
 */
export class DiskModel {
  readonly #live: Names
  readonly #safe: Names
  #waiting: NameChange[] = []

  constructor(files: ReadonlyMap<string, Buffer>) {
    this.#live = { files: new Map(), folders: new Set() }
    for (const [path, content] of files) this.#live.files.set(path, { content, waiting: [] })
    this.#safe = copyOf(this.#live)
  }

  apply(call: DiskCall): void {
    switch (call.kind) {
      case 'write':
      case 'truncate':
        this.#live.files.get(call.path)?.waiting.push(call)
        break
      case 'create': {
        const { path } = call
        const file: File = { content: Buffer.alloc(0), waiting: [] }
        this.#name(path, (names) => names.files.set(path, file))
        break
      }
      case 'folder': {
        const { path } = call
        this.#name(path, (names) => names.folders.add(path))
        break
      }
      case 'remove': {
        const { path } = call
        this.#name(path, (names) => names.files.delete(path))
        break
      }
      case 'rename': {
        const { path, to } = call
        const file = this.#live.files.get(path)
        if (file === undefined) break
        this.#name(to, (names) => {
          names.files.delete(path)
          names.files.set(to, file)
        })
        break
      }
      case 'flush':
        this.#flush(call.path)
        break
      case 'answer':
      case 'counted':
        break
    }
  }

  /** What is found after the power failed at this moment. */
  cut(random: Random): Map<string, Buffer> {
    const names = copyOf(this.#safe)
    const arrived = random.below(this.#waiting.length + 1)
    for (const { apply } of this.#waiting.slice(0, arrived)) apply(names)
    const lost = [...this.#live.folders].filter((folder) => !names.folders.has(folder))
    const reachable = [...names.files].filter(
      ([path]) => !lost.some((folder) => path.startsWith(`${folder}/`)),
    )
    return new Map(reachable.map(([path, file]) => [path, contentAfterCut(file, random)]))
  }

  #name(path: string, apply: (names: Names) => void): void {
    apply(this.#live)
    this.#waiting.push({ folder: dirname(path), apply })
  }

  #flush(path: string): void {
    const file = this.#live.files.get(path)
    if (file !== undefined) {
      file.content = writeAll(file.content, file.waiting)
      file.waiting = []
    }
    for (const { folder, apply } of this.#waiting) if (folder === path) apply(this.#safe)
    this.#waiting = this.#waiting.filter(({ folder }) => folder !== path)
  }
}

function copyOf({ files, folders }: Names): Names {
  return { files: new Map(files), folders: new Set(folders) }
}

function contentAfterCut({ content, waiting }: File, random: Random): Buffer {
  const arrived = waiting.flatMap((change) => {
    const fate = random.below(3)
    if (fate === 0) return []
    return [fate === 1 ? change : tear(change, random)]
  })
  return writeAll(content, arrived)
}

/** Only the first sectors of a write arrive. */
function tear(change: Change, random: Random): Change {
  if (change.kind === 'truncate') return change
  const sectors = random.below(Math.ceil(change.data.length / SECTOR) + 1)
  return { ...change, data: change.data.subarray(0, sectors * SECTOR) }
}

/** A copy with these changes. One for all of them: a file of megabytes gets thousands. */
function writeAll(content: Buffer, changes: readonly Change[]): Buffer {
  if (changes.length === 0) return content
  const largest = (size: number, change: Change): number => Math.max(size, sizeAfter(change))
  const result = Buffer.alloc(changes.reduce(largest, content.length))
  content.copy(result)
  let { length } = content
  for (const change of changes) {
    if (change.kind === 'truncate') {
      if (change.length < length) result.fill(0, change.length, length)
      length = change.length
    } else {
      change.data.copy(result, change.offset)
      length = Math.max(length, sizeAfter(change))
    }
  }
  return result.subarray(0, length)
}

/** How large a file is at least after this change. */
function sizeAfter(change: Change): number {
  return change.kind === 'truncate' ? change.length : change.offset + change.data.length
}
