import type { DiskCache } from '../disk-cache.ts'
import type { ObjectReader } from '../object-reader.ts'
import { Recent } from '../recent.ts'
import type { GitCalls } from '../repository.ts'
import { isFields, isListOf, isOptional } from '../../support/json-shape.ts'
import { isObjectId } from '../objects/object-id.ts'
import { type Blame, blame, blameSince, isBlameHunk } from './blame.ts'
import { type CommitId, toCommitId } from './commit-id.ts'

/** The history of a file: its blame, and the commits that changed it, with its name in each. */
export interface FileHistory {
  /** The newest commit that changed it. */
  readonly last: CommitId
  readonly blame: Blame
  /** Newest first. */
  readonly changes: readonly FileChange[]
}

export interface FileChange {
  readonly commit: CommitId
  readonly path: string
  /** Commits that its message says it takes back. */
  readonly reverts?: readonly string[]
}

/** Increment when the format of a history changes, to invalidate cached ones. */
const VERSION = 2
const REMEMBERED = 100

interface Known {
  readonly head: CommitId
  readonly history: FileHistory
}

/**
 * Cached histories of files. The cache key is the newest commit that changed the file, not its content: the same text can
 * come back with other authors. When the file has changed, the cached history is extended incrementally.
 */
export class FileHistories {
  readonly #git: GitCalls
  readonly #objects: ObjectReader
  readonly #cache: DiskCache
  readonly #recent = new Recent<string, Known>(REMEMBERED)
  /** What reading each history took, in milliseconds. */
  readonly #costs = new Recent<string, number>(REMEMBERED)
  /** In-flight computations by commit and path, shared by concurrent callers. */
  readonly #underWay = new Map<string, Promise<FileHistory>>()

  constructor(git: GitCalls, objects: ObjectReader, cache: DiskCache) {
    this.#git = git
    this.#objects = objects
    this.#cache = cache
  }

  /** The history of a file that is in the commit `head`. */
  async of(head: CommitId, path: string): Promise<FileHistory> {
    const known = this.#recent.get(path)
    if (known?.head === head) return known.history
    const key = `${head} ${path}`
    const finding = this.#underWay.get(key) ?? this.#find(head, path, known?.history)
    this.#underWay.set(key, finding)
    try {
      const history = await finding
      this.#recent.set(path, { head, history })
      return history
    } finally {
      this.#underWay.delete(key)
    }
  }

  /** The commits up to this one that changed a file, newest first, with its name in each. */
  async changesUntil(commit: string, path: string): Promise<readonly FileChange[]> {
    const key = `changes ${VERSION} ${commit} ${path}`
    const known = this.#cache.get(key, isChanges)
    if (known !== undefined) return known
    const changes = await changesOf(this.#git, path, [commit])
    if (!this.#git.layout().isShallow) this.#cache.put(key, changes)
    return changes
  }

  /** Whether this file was looked at before. */
  knows(path: string): boolean {
    return this.#recent.get(path) !== undefined || this.#cache.has(keyOf(path))
  }

  /** What the history of this file took to read, in milliseconds; 0 if it was cached. */
  costOf(path: string): number {
    return this.#costs.get(path) ?? 0
  }

  async #find(head: CommitId, path: string, known?: FileHistory): Promise<FileHistory> {
    // Deepening a shallow clone changes its history without changing a single name in it.
    if (this.#git.layout().isShallow) return await this.#read(head, path)
    const earlier = known ?? this.#cache.get(keyOf(path), isFileHistory)
    const followed = earlier && (await this.#follow(earlier, head, path))
    if (followed !== undefined && followed === earlier) return followed
    const history = followed ?? (await this.#read(head, path))
    this.#cache.put(keyOf(path), history)
    return history
  }

  /** Both at once: each of them walks the whole history. */
  async #read(head: CommitId, path: string): Promise<FileHistory> {
    // For a missing file, blame fails at once, while log walks the whole history.
    const failed = new AbortController()
    const started = performance.now()
    const [lines, changes] = await Promise.all([
      blame(this.#git, head, path).catch((error: unknown) => {
        failed.abort()
        throw error
      }),
      changesOf(this.#git, path, [head], failed.signal),
    ])
    this.#costs.set(path, performance.now() - started)
    return { last: await this.#newest(head, path, changes), blame: lines, changes }
  }

  /** The first listed commit is the newest change, unless a merge produced another version of the file. */
  async #newest(head: CommitId, path: string, [first]: readonly FileChange[]): Promise<CommitId> {
    if (first === undefined) return await lastChange(this.#git, head, path)
    const [then, now] = await this.#objects.infos([`${first.commit}:${path}`, `${head}:${path}`])
    return then?.id === now?.id ? first.commit : await lastChange(this.#git, head, path)
  }

  /** Extends a history to `head`; undefined if it has to be recomputed. */
  async #follow(
    earlier: FileHistory,
    head: CommitId,
    path: string,
  ): Promise<FileHistory | undefined> {
    const last = await lastChange(this.#git, head, path)
    if (last === earlier.last) return earlier
    const isOlder = await this.#git.run(['merge-base', '--is-ancestor', earlier.last, last])
    if (isOlder.exitCode !== 0) return undefined
    const [lines, changes] = await Promise.all([
      blameSince(this.#git, {
        commit: last,
        path,
        earlier: earlier.last,
        known: earlier.blame,
      }),
      changesOf(this.#git, path, [last, `^${earlier.last}`]),
    ])
    if (lines === undefined || changes.some((change) => change.path !== path)) return undefined
    return { last, blame: lines, changes: [...changes, ...earlier.changes] }
  }
}

function isFileHistory(value: unknown): value is FileHistory {
  return (
    isFields(value) &&
    isObjectId(value['last']) &&
    isListOf(value['blame'], isBlameHunk) &&
    isListOf(value['changes'], isFileChange)
  )
}

function isChanges(value: unknown): value is readonly FileChange[] {
  return isListOf(value, isFileChange)
}

function isFileChange(value: unknown): value is FileChange {
  return (
    isFields(value) &&
    isObjectId(value['commit']) &&
    typeof value['path'] === 'string' &&
    isOptional(value['reverts'], (each) => isListOf(each, isAbbreviatedId))
  )
}

function isAbbreviatedId(value: unknown): value is string {
  return typeof value === 'string' && /^[0-9a-f]{7,64}$/.test(value)
}

function keyOf(path: string): string {
  return `history ${VERSION} ${path}`
}

async function lastChange(git: GitCalls, head: CommitId, path: string): Promise<CommitId> {
  return toCommitId((await git.ask(['rev-list', '-1', head, '--', path])).trim())
}

/** The commits that changed a file, also before it got its present name. */
async function changesOf(
  git: GitCalls,
  path: string,
  range: readonly string[],
  signal?: AbortSignal,
): Promise<readonly FileChange[]> {
  const format = [
    '--follow',
    '--no-ext-diff',
    '--no-textconv',
    '-z',
    '--name-only',
    '--format=%x01%H%x02%b%x03',
  ]
  const output = await git.ask(['log', ...format, ...range, '--', path], signal && { signal })
  return output.split('\u0001').flatMap((entry) => {
    const [head = '', rest = ''] = entry.split('\u0003', 2)
    const [commit = '', body = ''] = head.split('\u0002', 2)
    const named = rest.split('\0').find((name) => name.trim() !== '') ?? ''
    const reverts = [...body.matchAll(REVERTS)].map(([, id = '']) => id)
    const change = {
      commit: toCommitId(commit),
      path: named.replace(/^\n/, ''),
      ...(reverts.length > 0 && { reverts }),
    }
    return commit === '' ? [] : [change]
  })
}

/** As `git revert` writes it. */
const REVERTS = /^This reverts commit ([0-9a-f]{7,64})/gm
