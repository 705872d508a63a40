import { isBoolean, splitKey } from './config-values.ts'
import type { Setting } from './parse-config.ts'

type Accepts = (value: string) => boolean

const oneOf =
  (...words: readonly string[]): Accepts =>
  (value) =>
    words.includes(value.toLowerCase()) || isBoolean(value)

/** One line that a person could read. */
const isPlainText: Accepts = (value) => value.length <= 8192 && !/\p{C}/u.test(value)

/**
 * What of a repository's own configuration is in force when we start git. None of it can name a program, a file or
 * another repository. Remotes are passed on separately, once their addresses have been checked.
 */
const ALLOWED: Readonly<Record<string, Accepts>> = {
  // How the files of this disk are compared with the index.
  'core.filemode': isBoolean,
  'core.symlinks': isBoolean,
  'core.trustctime': isBoolean,
  'core.checkstat': oneOf('default', 'minimal'),
  // Which names of files this system understands.
  'core.precomposeunicode': isBoolean,
  'core.longpaths': isBoolean,
  // Who else may read and write the objects and refs that we add, and whether moved refs are recorded.
  'core.sharedrepository': (value) =>
    oneOf('umask', 'group', 'all', 'world', 'everybody')(value) || /^0[0-7]{3}$/.test(value),
  'core.logallrefupdates': oneOf('always'),
}

/** The same for one address or all: which account of several is meant, and what CI systems log in with. */
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
