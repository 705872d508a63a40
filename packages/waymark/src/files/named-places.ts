import { readdirSync, readFileSync } from 'node:fs'
import { readlink, realpath } from 'node:fs/promises'
import { basename, dirname, isAbsolute, join, parse, posix, relative, sep } from 'node:path'
import { hasEnding } from '../domain/glob.ts'
import { once } from '../once.ts'
import { violation } from '../parse.ts'
import { gitDirsAt, kindOf } from './git-dirs.ts'

/** A file or folder of the repository, by every name that it has there. */
export interface NamedPlace {
  /** From the top of the working tree, with slashes; empty for the top itself. */
  readonly path: string
  /** That one, and the one that was asked for if a link leads from there. */
  readonly names: readonly string[]
  readonly isFolder: boolean
}

export interface NamedPlaces {
  /** Finds what a path leads to. Refuses what is outside of the repository. */
  locate(path: string): Promise<NamedPlace>
  /** The patterns that one stands for here: as it is written, and with the links in its fixed beginning followed. */
  expand(pattern: string): Promise<readonly string[]>
}

const MOST_LINKS = 40
const GLOB = /[*?[\]{}]/

/**
 * What agents mean by paths and patterns: from the top of the working tree or absolute, through links, with dots, or into
 * another worktree of the repository. Nothing need be there yet.
 */
export function createNamedPlaces(root: string): NamedPlaces {
  const top = once(() => realpath(root).catch(() => root))
  const common = once(() => commonDirAt(root))

  /** The name in the repository of what is really at a path; undefined outside of it. */
  const realName = async (path: string): Promise<string | undefined> => {
    // Looking for a share would make Windows call a foreign machine.
    const isForeign =
      isRooted(path) && (!isAbsolute(path) || (sep === '\\' && path.startsWith('//')))
    if (isForeign) return undefined
    const real = await follow(isRooted(path) ? path : `${await top()}/${path}`)
    const worktree = await worktreeAround(real, { top: await top(), common: await common() })
    return worktree === undefined ? undefined : toSlashes(relative(worktree, real))
  }

  const isFolder = async (name: string): Promise<boolean> => {
    const kind = kindOf(join(await top(), name))
    return kind === undefined ? !hasEnding(basename(name)) : kind === 'folder'
  }

  const expand = async (pattern: string): Promise<readonly string[]> => {
    const written = toSlashes(pattern.trim())
    const { fixed, rest } = splitPattern(written)
    if (isRooted(written)) {
      // Whoever wrote it may be elsewhere: such a place is never looked for outside of the working trees.
      const known = [root, await top(), ...worktreesOf(await common())]
      const name = known.map((each) => writtenName(each, fixed)).find((each) => each !== undefined)
      if (name !== undefined) return await expand(joinNames(name, rest))
      if (isInside(fixed, await top())) return ['**']
      // As in .gitignore, a leading slash may stand for the top of the repository.
      return await expand(written.replace(/^(?:[a-z]:)?\/+/i, ''))
    }
    const real = await realName(fixed)
    const names = new Set([real, writtenName(root, fixed)].filter((name) => name !== undefined))
    const isWhole = rest === '' && (written.endsWith('/') || (await isFolder(real ?? fixed)))
    return [...names].map((name) => joinNames(name, isWhole ? '**' : rest))
  }

  return {
    async locate(given) {
      const path = toSlashes(given)
      // Programs differ in whether dots are taken out before links are followed, or after.
      const names = [
        await realName(path),
        await realName(posix.normalize(path)),
        writtenName(root, path),
      ]
      const [first, ...others] = new Set(names.filter((name) => name !== undefined))
      if (first === undefined) {
        throw violation('path', 'bad_format', 'is outside of the repository', {
          value: given.slice(0, 200),
        })
      }
      const named = [first, ...others]
      return { path: first, names: named, isFolder: path.endsWith('/') || (await isFolder(first)) }
    },
    expand,
  }
}

/** A path or pattern from the top of a working tree, if it is written as one below it. */
export function writtenName(root: string, path: string): string | undefined {
  const from = isRooted(path) ? toSlashes(relative(root, path)) : path
  const name = posix.normalize(from).replace(/\/+$/, '')
  if (isRooted(from) || name === '..' || name.startsWith('../')) return undefined
  return name === '.' ? '' : name
}

/** The real place of a path, as far as there is anything, also behind links that lead to nothing yet. */
async function follow(path: string): Promise<string> {
  const real = await realpath(path).catch(() => undefined)
  if (real !== undefined) return real
  let { place, names } = splitRoot(path)
  for (let links = 0; names.length > 0;) {
    const [name = '', ...rest] = names
    const next = join(place, name)
    const found = await realpath(next).catch(() => undefined)
    const isLost = found === undefined && links < MOST_LINKS
    const target = isLost ? await readlink(next).catch(() => undefined) : undefined
    if (target === undefined) {
      place = found ?? next
      names = rest
    } else {
      links += 1
      const led = splitRoot(isAbsolute(target) ? target : `${place}/${target}`)
      place = led.place
      names = [...led.names, ...rest]
    }
  }
  return place
}

function splitRoot(path: string): { place: string; names: readonly string[] } {
  const { root } = parse(path)
  return { place: root, names: toSlashes(path.slice(root.length)).split('/') }
}

/** The nearest working tree of the same repository; the top where there is no Git. */
async function worktreeAround(
  real: string,
  { top, common }: { readonly top: string; readonly common: string | undefined },
): Promise<string | undefined> {
  for (let folder = real; common !== undefined; folder = dirname(folder)) {
    if (folder === top || (await commonDirAt(folder)) === common) return folder
    if (folder === dirname(folder)) break
  }
  return isInside(top, real) ? top : undefined
}

/** The tops of the linked worktrees, as Git has written them down. */
function worktreesOf(common: string | undefined): readonly string[] {
  if (common === undefined) return []
  const folder = join(common, 'worktrees')
  try {
    return readdirSync(folder).map((name) =>
      dirname(readFileSync(join(folder, name, 'gitdir'), 'utf8').trim()),
    )
  } catch {
    // There are none, or one is just being made or removed.
    return []
  }
}

async function commonDirAt(folder: string): Promise<string | undefined> {
  try {
    const dirs = gitDirsAt(folder)
    return dirs && (await realpath(dirs.common))
  } catch {
    // The `.git` of another repository may be broken.
    return undefined
  }
}

/** What a pattern begins with before its first wildcard, and the rest of it. */
function splitPattern(pattern: string): { readonly fixed: string; readonly rest: string } {
  const names = pattern.split('/')
  const at = names.findIndex((name) => GLOB.test(name))
  if (at === -1) return { fixed: pattern, rest: '' }
  const fixed = names.slice(0, at).join('/')
  return {
    fixed: fixed === '' && pattern.startsWith('/') ? '/' : fixed,
    rest: names.slice(at).join('/'),
  }
}

function joinNames(...names: readonly string[]): string {
  return names.filter((name) => name !== '').join('/')
}

/** Also by the rules of another system: a pattern may come from there. */
function isRooted(path: string): boolean {
  return isAbsolute(path) || /^(?:[a-z]:)?[/\\]/i.test(path)
}

function isInside(folder: string, path: string): boolean {
  const inside = toSlashes(relative(folder, path))
  return inside !== '..' && !inside.startsWith('../') && !isRooted(inside)
}

function toSlashes(path: string): string {
  return path.replaceAll('\\', '/')
}
