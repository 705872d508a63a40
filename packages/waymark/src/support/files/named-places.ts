import { realpathSync } from 'node:fs'
import { basename, isAbsolute, join, posix, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Failure } from '../../core/error.ts'
import { hasEnding } from '../text/glob.ts'
import { withoutEnd } from '../text/without-end.ts'
import { violation } from '../../core/input/parse.ts'
import { kindOf } from './worktree/git-dirs.ts'
import { LinkWalker, namesIn, type RealPath } from './link-walker.ts'
import { isWithin } from './worktree/work-tree.ts'
import { Worktrees } from './worktree/worktrees.ts'

/** A file or folder of the repository, by every name that it has there. */
export interface NamedPlace {
  /** From the top of the working tree, with slashes; empty for the top itself. */
  readonly path: string
  /** That one, and the names that it has by way of symlinks. */
  readonly names: readonly string[]
  readonly isFolder: boolean
}

export interface NamedPlaces {
  /** Resolves a path. Refuses one that leads out of the repository. */
  locate(path: string): Promise<NamedPlace>
  /** A pattern as it is written, and with symlinks in its fixed prefix resolved. */
  expand(pattern: string): readonly string[]
}

const GLOB = /[*?[\]{}]/

/**
 * Resolves the paths and patterns that agents use: absolute or from the top of the working tree, with dots, through
 * symlinks, or into another worktree of the repository. The files need not exist.
 */
export function openNamedPlaces(root: string, realPath?: RealPath): NamedPlaces {
  const top = realOr(root)
  const walker = new LinkWalker(realPath)
  const worktrees = new Worktrees(top)

  /** What a real place is called in the repository; undefined outside of it. */
  const nameOf = (place: string): string | undefined => {
    const worktree = worktrees.around(place)
    if (worktree === undefined) return undefined
    return toSlashes(place.slice(worktree.length)).replace(/^\//, '')
  }

  const realName = async (path: string): Promise<string | undefined> => {
    if (!isRooted(path)) return nameOf(walker.walk(top, namesIn(path)))
    // Looking up a share would make Windows contact another machine.
    const isForeign = !isAbsolute(path) || (sep === '\\' && path.startsWith('//'))
    return isForeign ? undefined : nameOf(await walker.follow(path))
  }

  const isFolder = (name: string): boolean => {
    const kind = kindOf(join(top, name))
    return kind === undefined ? !hasEnding(basename(name)) : kind === 'folder'
  }

  const expand = (pattern: string): readonly string[] => {
    const written = toSlashes(pattern.trim())
    const { fixed, rest } = splitPattern(written)
    if (isRooted(written)) {
      // It may come from another clone, so only known working trees are looked at.
      const known = [root, top, ...worktrees.linked()]
      const name = known.map((each) => writtenName(each, fixed)).find((each) => each !== undefined)
      if (name !== undefined) return expand(joinNames(name, rest))
      if (isWithin(fixed, top)) return ['**']
      // As in .gitignore, a leading slash may stand for the top of the repository.
      return expand(written.replace(/^(?:[a-z]:)?\/+/i, ''))
    }
    const real = nameOf(walker.walk(top, namesIn(fixed)))
    const names = new Set([real, writtenName(root, fixed)].filter((name) => name !== undefined))
    const isWhole = rest === '' && (written.endsWith('/') || isFolder(real ?? fixed))
    return [...names].map((name) => joinNames(name, isWhole ? '**' : rest))
  }

  return {
    async locate(given) {
      const path = toSlashes(fromFileUrl(given))
      // Programs differ in whether dots are taken out before links are followed, or after.
      const real = [await realName(path), await realName(posix.normalize(path))]
      const found = [...real, writtenName(root, path)].filter((name) => name !== undefined)
      const [first, ...others] = new Set(found)
      if (first === undefined) {
        throw outside(given)
      }
      const names = [first, ...others]
      return { path: first, names, isFolder: path.endsWith('/') || isFolder(first) }
    },
    expand,
  }
}

function outside(path: string): Failure {
  const problem = 'is outside of the repository; name a file of it, from its top or absolute'
  return violation('path', 'bad_format', problem, { value: path.slice(0, 200) })
}

/** Editors name files by their URL. */
function fromFileUrl(path: string): string {
  if (!/^file:\/\//i.test(path)) return path
  try {
    return fileURLToPath(path)
  } catch {
    throw outside(path)
  }
}

function realOr(root: string): string {
  try {
    return realpathSync.native(root)
  } catch {
    // The folder is gone: then only names are compared.
    return root
  }
}

/** A path or pattern from the top of a working tree, if it is written as one below it. */
export function writtenName(root: string, path: string): string | undefined {
  const from = isRooted(path) ? toSlashes(relative(root, path)) : path
  const name = withoutEnd(posix.normalize(from), '/')
  if (isRooted(from) || name === '..' || name.startsWith('../')) return undefined
  return name === '.' ? '' : name
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

/** By the rules of any system: a pattern may come from another one. */
function isRooted(path: string): boolean {
  return isAbsolute(path) || /^(?:[a-z]:)?[/\\]/i.test(path)
}

function toSlashes(path: string): string {
  return path.replaceAll('\\', '/')
}
