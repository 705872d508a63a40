import { readdirSync, readFileSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { gitDirsAt } from './git-dirs.ts'

/** The working trees of one repository, as seen from one of them. All paths are real ones. */
export class Worktrees {
  readonly #top: string
  readonly #common: string | undefined
  readonly #around = new Map<string, string | undefined>()

  constructor(top: string) {
    this.#top = top
    this.#common = commonDirAt(top)
  }

  /** The top of the innermost working tree that a place is in; undefined outside of all of them. */
  around(place: string): string | undefined {
    if (!this.#around.has(place)) this.#around.set(place, this.#find(place))
    return this.#around.get(place)
  }

  /** The tops of the linked ones, as Git has written them down. */
  linked(): readonly string[] {
    const folder = join(this.#common ?? this.#top, 'worktrees')
    try {
      return readdirSync(folder).map((name) =>
        dirname(readFileSync(join(folder, name, 'gitdir'), 'utf8').trim()),
      )
    } catch {
      // There are none, or one is just being made or removed.
      return []
    }
  }

  #find(place: string): string | undefined {
    const isTop = place === this.#top
    if (isTop || (this.#common !== undefined && commonDirAt(place) === this.#common)) return place
    const folder = dirname(place)
    return folder === place ? undefined : this.around(folder)
  }
}

function commonDirAt(folder: string): string | undefined {
  try {
    const dirs = gitDirsAt(folder)
    return dirs && realpathSync.native(dirs.common)
  } catch {
    // The `.git` of another repository may be broken.
    return undefined
  }
}
