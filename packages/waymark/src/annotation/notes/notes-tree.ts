import { isObjectId } from '../../git/objects/object-id.ts'
import type { ObjectWriter } from '../../git/objects/object-writer.ts'
import { parseTree, type TreeEntry } from '../../git/objects/parse-tree.ts'
import { readObject } from '../../git/objects/read-object.ts'
import type { Repository } from '../../git/repository.ts'
import { type CommitId, toCommitId } from '../../git/history/commit-id.ts'

/** Part of a tree that is not in this repository, or cannot be read. */
export class BrokenTree extends Error {
  /** The object that cannot be read, if it is one. */
  readonly object: string | undefined

  constructor(message: string, object?: string) {
    super(message)
    this.object = object
  }
}

interface Entry extends TreeEntry {
  /** Of a folder, once it was read. */
  readonly folder?: Folder
}

interface Folder {
  readonly entries: Map<string, Entry>
  isChanged: boolean
}

const FILE = '100644'
const FOLDER = '40000'
const HEX_PAIR = /^[0-9a-f]{2}$/

/** Git nests notes two levels deep in the largest repositories. */
const DEEPEST_FAN_OUT = 4

/** With more notes than this in one folder, those that are added get a folder of their own below it. */
const MOST_IN_FOLDER = 256

/** No repository has so many commits that it would need a larger folder; reading one takes memory. */
const LARGEST_FOLDER = 64 * 1024 * 1024

/** More notes than this are not kept in memory. */
const MOST_NOTES = 1_000_000

/**
 * The tree of a notes ref. A note is named after its commit: `abcd…`, `ab/cd…`, `ab/cd/…`; git nests as it sees fit,
 * differently in different corners of one tree. Folders are read when they are needed, each once.
 */
export class NotesTree {
  readonly #objects: Repository['objects']
  readonly #tip: CommitId | undefined
  readonly #idBytes: number
  #folder: Folder | undefined

  /** `tip` is a commit of the notes ref; undefined for a tree without notes. */
  constructor({ objects }: Pick<Repository, 'objects'>, tip: CommitId | undefined) {
    this.#objects = objects
    this.#tip = tip
    this.#idBytes = (tip?.length ?? 0) / 2
  }

  /** The blob ids of the note of a commit, the deepest last, including missing ones. */
  async find(commit: CommitId): Promise<readonly string[]> {
    return (await this.#wayTo(commit)).flatMap(({ folder, name }) => {
      const entry = folder.entries.get(name)
      return isNote(entry) ? [entry.id] : []
    })
  }

  /** Every note: the blobs of each commit, as `find` names them. */
  async all(): Promise<Map<CommitId, readonly string[]>> {
    const notes = new Map<CommitId, string[]>()
    const visit = async (folder: Folder, path: string): Promise<void> => {
      for (const [name, entry] of folder.entries) {
        if (!isNote(entry) || !isObjectId(path + name)) continue
        const { id } = entry
        const commit = toCommitId(path + name)
        const others = notes.get(commit)
        if (others === undefined) notes.set(commit, [id])
        else others.push(id)
      }
      if (notes.size > MOST_NOTES) throw new BrokenTree(`it has more than ${MOST_NOTES} notes`)
      const names = [...folder.entries.keys()].filter((name) => isFanOut(name, path))
      // Asked for together, they are answered together.
      const below = await Promise.all(names.map((name) => this.#below(folder, name)))
      for (const [at, each] of below.entries()) {
        if (each !== undefined) await visit(each, `${path}${names[at]}`)
      }
    }
    await visit(await this.#top(), '')
    return notes
  }

  /** The commits whose notes are not the same in another tree. What is the same in both is not read. */
  async changes(other: NotesTree): Promise<Set<CommitId>> {
    const changed = new Set<CommitId>()
    const compare = async (ours: Folder, theirs: Folder, path: string): Promise<void> => {
      for (const name of new Set([...ours.entries.keys(), ...theirs.entries.keys()])) {
        const [a, b] = [ours.entries.get(name), theirs.entries.get(name)]
        if (a?.id === b?.id && a?.mode === b?.mode) continue
        if (isObjectId(path + name)) changed.add(toCommitId(path + name))
        if (!isFanOut(name, path) || (a?.mode !== FOLDER && b?.mode !== FOLDER)) continue
        const [left, right] = [await this.#below(ours, name), await other.#below(theirs, name)]
        await compare(left ?? emptyFolder(), right ?? emptyFolder(), path + name)
      }
    }
    await compare(await this.#top(), await other.#top(), '')
    return changed
  }

  /** Makes this blob the note of a commit, and the only one: where a note stands already, else where there is room. */
  async put(commit: CommitId, blob: string): Promise<void> {
    const way = await this.#wayTo(commit)
    const places = way.filter(({ folder, name }) => isNote(folder.entries.get(name)))
    const kept = places.pop() ?? makeRoom(way)
    for (const { folder, name } of places) folder.entries.delete(name)
    kept.folder.entries.set(kept.name, { mode: FILE, id: blob })
    kept.folder.isChanged = true
    // Those above it get another id with it; those below stay as they are.
    for (const { folder } of way.slice(0, way.indexOf(kept) + 1 || way.length))
      folder.isChanged = true
  }

  /** The folders where the note of a commit may stand, from the top down, and its name in each. */
  async #wayTo(commit: CommitId): Promise<readonly Place[]> {
    const way: Place[] = []
    let folder: Folder | undefined = await this.#top()
    for (let name: string = commit; folder !== undefined; name = name.slice(2)) {
      way.push({ folder, name })
      folder = await this.#below(folder, name.slice(0, 2))
    }
    return way
  }

  /** Takes away the note of a commit, wherever it stands. */
  async remove(commit: CommitId): Promise<void> {
    const way = await this.#wayTo(commit)
    for (const { folder, name } of way) {
      if (isNote(folder.entries.get(name))) folder.entries.delete(name)
      folder.isChanged = true
    }
  }

  /** Puts a blob somewhere that is no note, so that it stays reachable. Git keeps such files as they are. */
  async putAside(commit: CommitId, blob: string): Promise<void> {
    let folder = await this.#top()
    folder.isChanged = true
    for (const name of [ASIDE, commit]) {
      const below = (await this.#below(folder, name)) ?? emptyFolder()
      folder.entries.set(name, { mode: FOLDER, id: '', folder: below })
      below.isChanged = true
      folder = below
    }
    folder.entries.set(blob, { mode: FILE, id: blob })
  }

  /** What was put aside: blobs by commit. */
  async allAside(): Promise<readonly (readonly [commit: CommitId, blob: string])[]> {
    const folder = await this.#below(await this.#top(), ASIDE)
    const found: [CommitId, string][] = []
    for (const commit of folder?.entries.keys() ?? []) {
      const below = folder && (await this.#below(folder, commit))
      for (const blob of below?.entries.keys() ?? []) found.push([toCommitId(commit), blob])
    }
    return found
  }

  /** Leaves of what was put aside only what `isHere`. */
  async pruneAside(isHere: (blob: string) => Promise<boolean>): Promise<void> {
    const top = await this.#top()
    try {
      for (const [commit, blob] of await this.allAside()) {
        if (await isHere(blob)) continue
        const aside = await this.#below(top, ASIDE)
        const below = aside && (await this.#below(aside, commit))
        below?.entries.delete(blob)
        for (const folder of [top, aside, below]) if (folder !== undefined) folder.isChanged = true
      }
    } catch (error) {
      if (!(error instanceof BrokenTree)) throw error
      top.entries.delete(ASIDE)
      top.isChanged = true
    }
  }

  /** Writes the changed trees and returns the id of the root. */
  async write(writer: ObjectWriter): Promise<string> {
    return this.#writeFolder(await this.#top(), writer)
  }

  #writeFolder({ entries }: Folder, writer: ObjectWriter): string {
    const written = [...entries].map(([name, { mode, id, folder }]) => {
      const isNew = folder?.isChanged === true
      return { mode, name, id: isNew ? this.#writeFolder(folder, writer) : id }
    })
    const lines = written
      .toSorted((a, b) => compareNames(a, b))
      .flatMap(({ mode, name, id }) => [
        Buffer.from(`${mode} ${name}\0`, 'latin1'),
        Buffer.from(id, 'hex'),
      ])
    return writer.add('tree', Buffer.concat(lines))
  }

  async #top(): Promise<Folder> {
    return (this.#folder ??=
      this.#tip === undefined ? emptyFolder() : await this.#readTop(this.#tip))
  }

  /** The commit names its tree in its first line. */
  async #readTop(tip: CommitId): Promise<Folder> {
    const commit = await readObject(this.#objects, LARGEST_FOLDER, tip)
    const text = typeof commit === 'string' ? '' : commit.content.toString('latin1', 0, 100)
    const id = /^tree ([0-9a-f]{40,64})\n/.exec(text)?.[1]
    if (id === undefined) throw new BrokenTree(`commit ${tip.slice(0, 12)} cannot be read`, tip)
    return await this.#read(id)
  }

  async #below(folder: Folder, name: string): Promise<Folder | undefined> {
    const entry = folder.entries.get(name)
    if (entry?.mode !== FOLDER) return undefined
    if (entry.folder !== undefined) return entry.folder
    const below = await this.#read(entry.id)
    folder.entries.set(name, { ...entry, folder: below })
    return below
  }

  async #read(id: string): Promise<Folder> {
    const object = await readObject(this.#objects, LARGEST_FOLDER, id)
    if (object === 'missing')
      throw new BrokenTree(`tree ${id.slice(0, 12)} is not in this repository`, id)
    if (object === 'too_large') throw new BrokenTree(`tree ${id.slice(0, 12)} is too large`)
    const entries = parseTree(object.content, this.#idBytes)
    if (entries === undefined) throw new BrokenTree('its tree is no tree')
    return { entries, isChanged: false }
  }
}

interface Place {
  readonly folder: Folder
  readonly name: string
}

/** The deepest folder of its way, or one more below that if it is full. */
function makeRoom(way: readonly Place[]): Place {
  const last = way.at(-1) ?? { folder: emptyFolder(), name: '' }
  const { entries } = last.folder
  const pair = last.name.slice(0, 2)
  const isFull = [...entries.values()].filter(isNote).length >= MOST_IN_FOLDER
  if (!isFull || way.length > DEEPEST_FAN_OUT || entries.has(pair)) return last
  const below = emptyFolder()
  entries.set(pair, { mode: FOLDER, id: '', folder: below })
  return { folder: below, name: last.name.slice(2) }
}

/** A regular file, as for git: a submodule or a symbolic link of that name is kept and not read. */
function isNote(entry: Entry | undefined): entry is Entry {
  return entry?.mode.startsWith('100') === true
}

/** Where versions of notes stand that are kept and not read. */
const ASIDE = 'set-aside'

function emptyFolder(): Folder {
  return { entries: new Map(), isChanged: false }
}

function isFanOut(name: string, path: string): boolean {
  return HEX_PAIR.test(name) && path.length < 2 * DEEPEST_FAN_OUT
}

/** Git's order: by bytes, where a folder counts as if its name ended in a slash. */
function compareNames(a: Pick<Named, 'mode' | 'name'>, b: Pick<Named, 'mode' | 'name'>): number {
  const [one, other] = [sortName(a), sortName(b)]
  return one < other ? -1 : one > other ? 1 : 0
}

interface Named {
  readonly mode: string
  readonly name: string
}

function sortName({ mode, name }: Named): string {
  return mode === FOLDER ? `${name}/` : name
}
