import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Failure } from '../../core/error.ts'
import { MACHINE_CLOCK } from '../../core/clock/machine-clock.ts'
import { isRunning } from '../../support/process-identity.ts'
import type { GitCalls } from '../repository.ts'
import { toGitFailure } from '../run.ts'
import { FLUSHED } from './flushed.ts'
import {
  type NewObject,
  type ObjectFormat,
  type PackStream,
  toObject,
  toPack,
} from './pack-stream.ts'

type Git = Pick<GitCalls, 'run' | 'layout'>

/** Different levels leave different bits in the header of the compressed data. */
const LEVELS = [6, 9, 2, 0]

const MOST_TRIES = 20
const PACK_SIDECARS = ['idx', 'pack', 'rev'] as const
const KEEP_MARK = 'waymark'

/** A writer on another machine that has not finished after this time was killed. */
const LONGEST_WRITE_MS = 24 * 60 * 60 * 1000

/**
 * Writes objects that no ref leads to yet, so that `git gc --prune=now` in another process cannot take them away before
 * one does. They go into a pack of their own that has a `.keep` file from before it appears until `release`: repacking
 * leaves kept packs alone, and lists packs before it reads refs, so a pack it finds without the file is reachable.
 *
 * Every object is written, also one that the repository has already: a copy that nothing leads to may be collected at
 * any moment. And a `.keep` file is never put beside a pack that is there: a repack that listed the pack without it would
 * then leave its objects out of the new pack, and delete it all the same.
 */
export class ObjectWriter implements Disposable {
  readonly #git: Git
  readonly #format: ObjectFormat
  readonly #written = new Set<string>()
  readonly #packs: string[] = []
  #added: NewObject[] = []
  #addedBytes = 0

  constructor(git: Git, format: ObjectFormat) {
    this.#git = git
    this.#format = format
  }

  /** Queues an object for the next `flush` and returns its id. */
  add(type: NewObject['type'], content: Buffer | string): string {
    const object = toObject(this.#format, type, content)
    if (!this.#written.has(object.id)) {
      this.#written.add(object.id)
      this.#added.push(object)
      this.#addedBytes += object.content.length
    }
    return object.id
  }

  /** How much waits to be written. */
  get addedBytes(): number {
    return this.#addedBytes
  }

  async flush(): Promise<void> {
    if (this.#added.length === 0) return
    const folder = packFolder(this.#git)
    mkdirSync(folder, { recursive: true })
    const pack = this.#newPack(folder)
    // Known before it is there: from here on `release` removes the file, also after an error.
    this.#packs.push(pack.checksum)
    writeFileSync(fileOf(folder, pack.checksum, 'keep'), keepText(), { flag: 'wx', mode: 0o600 })
    await this.#index(pack)
    this.#added = []
    this.#addedBytes = 0
  }

  /** Whether all that was written is still there. Nothing but a deletion by hand takes a kept pack away. */
  isIntact(): boolean {
    const folder = packFolder(this.#git)
    return this.#packs.every((pack) =>
      ['pack', 'idx'].every((kind) => existsSync(fileOf(folder, pack, kind))),
    )
  }

  /** Removes the `.keep` files: call it once the objects are reachable, or abandoned. Returns the names of the packs. */
  release(): readonly string[] {
    const released = this.#packs.splice(0)
    this.#written.clear()
    for (const pack of released) removeFile(fileOf(packFolder(this.#git), pack, 'keep'))
    return released
  }

  [Symbol.dispose](): void {
    this.release()
  }

  /** A pack whose name no other has: the same objects may have been written before, and left behind. */
  #newPack(folder: string): PackStream {
    for (const level of LEVELS) {
      const pack = toPack(this.#format, this.#added, level)
      const isTaken = ['pack', 'keep'].some((kind) =>
        existsSync(fileOf(folder, pack.checksum, kind)),
      )
      if (!isTaken) return pack
    }
    throw new Failure('busy', 'the same objects are being written by another process; try again')
  }

  /** `git prune --expire=now` deletes the temporary files of an `index-pack` that is at work: then it is done again. */
  async #index({ bytes, checksum }: PackStream): Promise<void> {
    const folder = packFolder(this.#git)
    for (let tries = 1; ; tries += 1) {
      const args = [...FLUSHED, 'index-pack', '--stdin', '--threads=1']
      const result = await this.#git.run(args, { input: bytes })
      const isThere = ['pack', 'idx'].every((kind) => existsSync(fileOf(folder, checksum, kind)))
      if (result.exitCode === 0 && isThere) return
      if (result.exitCode !== 0 && !VANISHED.test(result.stderr)) throw toGitFailure(result)
      if (tries >= MOST_TRIES) throw toGitFailure(result)
      await sleep(5 * tries * Math.random())
    }
  }
}

/** What `index-pack` says when one of its temporary files is gone. */
const VANISHED = /unable to (?:rename|open|create) temporary|No such file or directory|cannot store/

/**
 * Removes the `.keep` files of writers that were killed. The objects of such a pack are either reachable from a ref or
 * garbage, so Git may repack or prune it.
 */
export function removeAbandonedKeeps(git: Pick<Git, 'layout'>): number {
  const folder = packFolder(git)
  let removed = 0
  for (const name of listFolder(folder).filter((each) => each.endsWith('.keep'))) {
    const path = join(folder, name)
    if (!isAbandoned(path)) continue
    removeFile(path)
    removed += 1
  }
  return removed
}

function isAbandoned(path: string): boolean {
  try {
    const [mark, pid, host] = readFileSync(path, 'utf8').trim().split(' ')
    if (mark !== KEEP_MARK) return false
    if (host === hostname()) return !isRunning(Number(pid))
    return MACHINE_CLOCK.now() - statSync(path).mtimeMs > LONGEST_WRITE_MS
  } catch {
    return false
  }
}

function keepText(): string {
  return `${KEEP_MARK} ${process.pid} ${hostname()}\n`
}

export function packFolder({ layout }: Pick<Git, 'layout'>): string {
  return join(layout().commonDir, 'objects', 'pack')
}

export function fileOf(folder: string, checksum: string, kind: string): string {
  return join(folder, `pack-${checksum}.${kind}`)
}

/** The index first: without it no process looks for the rest. */
export function removePack(folder: string, checksum: string): void {
  for (const kind of PACK_SIDECARS) removeFile(fileOf(folder, checksum, kind))
}

export function listFolder(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

function removeFile(path: string): void {
  try {
    rmSync(path, { force: true })
  } catch {
    // Windows does not delete what another process has open; Git deletes it with the next repack.
  }
}
