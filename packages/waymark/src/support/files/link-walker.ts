import { lstatSync, readlinkSync, realpath, realpathSync } from 'node:fs'
import { basename, dirname, isAbsolute, join, parse } from 'node:path'

/** More symlinks than this are a cycle. */
const MOST_LINKS = 40

/** Undefined for a path that does not exist, or that may not be looked up. */
export type RealPath = (path: string) => string | undefined | Promise<string | undefined>

/**
 * Resolves paths through symlinks, also where the target does not exist. Caches what it has read, so it is made for one
 * call.
 */
export class LinkWalker {
  readonly #targets = new Map<string, string | undefined>()
  readonly #realPath: RealPath

  constructor(realPath: RealPath = realPathLater) {
    this.#realPath = realPath
  }

  /** Resolves an absolute path. */
  async follow(path: string): Promise<string> {
    const names: string[] = []
    for (let folder = path; ; folder = dirname(folder)) {
      // By the system as far as the path exists: it knows how names are spelled on it.
      const real = await this.#realPath(folder)
      if (real !== undefined) return this.walk(real, names)
      if (folder === dirname(folder)) return path
      names.unshift(basename(folder))
    }
  }

  /** Resolves names from a real folder. */
  walk(from: string, names: readonly string[]): string {
    let place = from
    let rest = names
    for (let links = 0; rest.length > 0;) {
      const [name = '', ...others] = rest
      const next = join(place, name)
      const target = links < MOST_LINKS ? this.#targetOf(next) : undefined
      links += target === undefined ? 0 : 1
      if (target === undefined) place = next
      else if (isAbsolute(target)) place = parse(target).root
      rest = target === undefined ? others : [...namesIn(target), ...others]
    }
    return place
  }

  #targetOf(path: string): string | undefined {
    if (!this.#targets.has(path)) this.#targets.set(path, readTarget(path))
    return this.#targets.get(path)
  }
}

/** In the background: a folder of another machine may take long to answer, and a server has other callers. */
function realPathLater(path: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    realpath.native(path, (error, real) => resolve(error === null ? real : undefined))
  })
}

/** At once, for a process with one caller: starting Node's threads takes longer. */
export function realPathNow(path: string): string | undefined {
  try {
    return realpathSync.native(path)
  } catch {
    return undefined
  }
}

/** The names that a path consists of, without its root. */
export function namesIn(path: string): readonly string[] {
  return path.slice(parse(path).root.length).split(/[\\/]/)
}

/** The target of a symlink; undefined for everything else. */
function readTarget(path: string): string | undefined {
  try {
    const isLink = lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true
    return isLink ? readlinkSync(path) : undefined
  } catch {
    // Below a file, or not permitted: no symlink that could be followed.
    return undefined
  }
}
