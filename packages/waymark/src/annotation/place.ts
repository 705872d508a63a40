import { isAbsolute, posix, relative, sep } from 'node:path'
import { violation } from '../core/input/parse.ts'
import { hasOwnName } from '../support/text/own-name.ts'
import type { LineRange } from './record.ts'

const LONGEST_PATH = 4096

/**
 * A path as Git knows it: from the top of the working tree, with slashes. Agents often have absolute paths at hand, so
 * those are understood too. An empty result means the top itself.
 */
export function toRepositoryPath(root: string, given: string): string {
  if (given.trim() === '') throw violation('path', 'required', 'must not be empty')
  if (given.length > LONGEST_PATH || /[\n\r\0]/.test(given)) throw badPath('is no path', given)
  const slashed = isAbsolute(given) ? relative(root, given) : given
  const path = posix.normalize(sep === '\\' ? slashed.replaceAll('\\', '/') : slashed)
  if (path === '..' || path.startsWith('../') || posix.isAbsolute(path)) {
    throw badPath('leads out of the repository', given)
  }
  const plain = path === '.' ? '' : path.replace(/\/$/, '')
  if (hasOwnName(plain.split('/'))) throw badPath('is Git’s or Waymark’s own', given)
  return plain
}

/** Whether an annotation can name this path. */
export function isRepositoryPath(root: string, path: string): boolean {
  try {
    return toRepositoryPath(root, path) === path
  } catch {
    return false
  }
}

/** `42:67`, `42-67` or `42`. */
export function parseLineRange(text: string): LineRange {
  const [, first, last] = /^(\d{1,9})(?:[:-](\d{1,9}))?$/.exec(text.trim()) ?? []
  const start = Number(first)
  const end = Number(last ?? first)
  if (first === undefined || start < 1 || end < start) {
    throw violation('lines', 'bad_format', 'must be START:END, such as 42:67', {
      value: text.slice(0, 100),
    })
  }
  return { start, end }
}

export function overlap(one: LineRange, other: LineRange): boolean {
  return one.start <= other.end && one.end >= other.start
}

function badPath(problem: string, given: string) {
  return violation('path', 'bad_format', problem, { value: given.slice(0, 200) })
}
