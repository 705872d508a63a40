import { sep } from 'node:path'

/** Characters that no shell interprets: the path of a folder may be chosen by another user or by an archive. */
const PLAIN_PATH = /^[\p{L}\p{N} _.,@+:/~-]+$/u

/** A folder as an argument of a command that is shown to the user. Git takes slashes everywhere. */
export function quoteFolder(folder: string): string {
  const path = folder.replaceAll(sep, '/')
  return PLAIN_PATH.test(path) ? `"${path}"` : '<its folder>'
}
