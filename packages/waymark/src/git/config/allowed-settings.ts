import { isBoolean, splitKey } from './config-values.ts'
import type { Setting } from './parse-config.ts'

type Accepts = (value: string) => boolean

const oneOf =
  (...words: readonly string[]): Accepts =>
  (value) =>
    words.includes(value.toLowerCase()) || isBoolean(value)

/** One line of visible text. */
const isPlainText: Accepts = (value) => value.length <= 8192 && !/\p{C}/u.test(value)

/**
 * The allowlist: settings of a repository's own configuration that are passed on to git. None of them can name a program,
 * a file or another repository. Remotes are passed on separately, after their addresses have been checked.
 */
const ALLOWED: Readonly<Record<string, Accepts>> = {
  // How files on disk are compared with the index.
  'core.filemode': isBoolean,
  'core.symlinks': isBoolean,
  'core.trustctime': isBoolean,
  'core.checkstat': oneOf('default', 'minimal'),
  // How names of files are written on this system.
  'core.precomposeunicode': isBoolean,
  'core.longpaths': isBoolean,
  // Permissions of the objects and refs that we write, and whether reflogs are kept.
  'core.sharedrepository': (value) =>
    oneOf('umask', 'group', 'all', 'world', 'everybody')(value) || /^0[0-7]{3}$/.test(value),
  'core.logallrefupdates': oneOf('always'),
}

/** The same, for all addresses or `<section>.<url>`: the account to use, and the header that CI systems log in with. */
const ALLOWED_BY_ADDRESS: Readonly<Record<string, Accepts>> = {
  'credential.username': isPlainText,
  'credential.usehttppath': isBoolean,
  'http.extraheader': isPlainText,
}

export function isAllowed({ key, value }: Setting): boolean {
  const accepts = ALLOWED[key]
  if (accepts !== undefined) return accepts(value)
  const { section, subsection = '', name } = splitKey(key)
  return isPlainText(subsection) && ALLOWED_BY_ADDRESS[`${section}.${name}`]?.(value) === true
}
