import { lstatSync, readlinkSync } from 'node:fs'
import { realpath } from 'node:fs/promises'
import { basename, dirname, isAbsolute, join, parse } from 'node:path'

/** More symlinks than this are a cycle. */
const MOST_LINKS = 40

/**
 * Resolves paths through symlinks, also where the target does not exist. Caches what it has read, so it is made for one
 * call.
 */
export class LinkWalker {
  readonly #targets = new Map<string, string | undefined>()

  /** Resolves an absolute path. */
  async follow(path: string): Promise<string> {
    const names: string[] = []
    for (let folder = path; ; folder = dirname(folder)) {
      // By the system as far as the path exists: it knows how names are spelled on it.
      const real = await realpath(folder).catch(() => undefined)
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
