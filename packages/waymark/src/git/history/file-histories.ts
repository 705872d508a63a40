import type { DiskCache } from '../disk-cache.ts'
import { Recent } from '../recent.ts'
import type { GitCalls } from '../repository.ts'
import { type Blame, blame, blameSince } from './blame.ts'

/** What became of a file: who wrote its lines, and which commits changed it under which name. */
export interface FileHistory {
  /** The newest commit that changed it. */
  readonly last: string
  readonly blame: Blame
  /** Newest first. */
  readonly changes: readonly FileChange[]
}

interface FileChange {
  readonly commit: string
  readonly path: string
}

/** Raised when the same history is told differently: what was cached before no longer counts. */
const VERSION = 1
const REMEMBERED = 100

interface Known {
  readonly head: string
  readonly history: FileHistory
}

/**
 * Histories of files. They are kept by the newest commit that changed the file, never by its content: the same text
 * can come back with other authors. When the file has changed, only the part since the kept one is worked out.
 */
export class FileHistories {
  readonly #git: GitCalls
  readonly #cache: DiskCache
  readonly #recent = new Recent<string, Known>(REMEMBERED)

  constructor(git: GitCalls, cache: DiskCache) {
    this.#git = git
    this.#cache = cache
  }

  /** The history of a file that is in the commit `head`. */
  async of(head: string, path: string): Promise<FileHistory> {
    const known = this.#recent.get(path)
    if (known?.head === head) return known.history
    const history = await this.#find(head, path, known?.history)
    this.#recent.set(path, { head, history })
    return history
  }

  async #find(head: string, path: string, known?: FileHistory): Promise<FileHistory> {
    const [last, { isShallow }] = await Promise.all([
      lastChange(this.#git, head, path),
      this.#git.layout(),
    ])
    if (known?.last === last) return known
    // Deepening a shallow clone changes its history without changing a single name in it.
    if (isShallow) return await this.#read(last, path)
    const earlier = known ?? (await this.#cache.get<FileHistory>(keyOf(path)))
    if (earlier?.last === last) return earlier
    const history = (await this.#extend(earlier, last, path)) ?? (await this.#read(last, path))
    await this.#cache.put(keyOf(path), history)
    return history
  }

  async #read(last: string, path: string): Promise<FileHistory> {
    const [lines, changes] = await Promise.all([
      blame(this.#git, last, path),
      changesOf(this.#git, path, [last]),
    ])
    return { last, blame: lines, changes }
  }

  async #extend(
    earlier: FileHistory | undefined,
    last: string,
    path: string,
  ): Promise<FileHistory | undefined> {
    if (earlier === undefined) return undefined
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

function keyOf(path: string): string {
  return `history ${VERSION} ${path}`
}

async function lastChange(git: GitCalls, head: string, path: string): Promise<string> {
  return (await git.ask(['rev-list', '-1', head, '--', path])).trim()
}

/** The commits that changed a file, also before it got its present name. */
async function changesOf(
  git: GitCalls,
  path: string,
  range: readonly string[],
): Promise<readonly FileChange[]> {
  const format = [
    '--follow',
    '--no-ext-diff',
    '--no-textconv',
    '-z',
    '--name-only',
    '--format=%x01%H',
  ]
  const output = await git.ask(['log', ...format, ...range, '--', path])
  return output.split('\u0001').flatMap((entry) => {
    const [commit = '', named = ''] = entry.split('\0')
    return commit === '' ? [] : [{ commit, path: named.replace(/^\n/, '') }]
  })
}
