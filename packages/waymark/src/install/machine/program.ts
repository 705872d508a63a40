import { realpathSync, statSync } from 'node:fs'
import { Failure } from '../../core/error.ts'
import { type Machine, pathsOf } from './machine.ts'

/** How a host starts waymark. */
export interface Program {
  /** The first word is what to start, the others are its arguments. */
  readonly words: readonly string[]
  /** The same without the help of PATH, which applications on a desktop often do not have. */
  readonly absolute: readonly string[]
}

export interface RunningProcess {
  /** Absolute path of Node. */
  readonly node: string
  /** Absolute path of the script that is running. */
  readonly script: string
}

/** The command that starts this waymark from any folder: its name, if PATH resolves to this file; else Node and the script. */
export function findProgram(machine: Machine, { node, script }: RunningProcess): Program {
  const real = realpathSync(script)
  const absolute = [node, real]
  return { words: leadsTo(machine, real) ? ['waymark'] : absolute, absolute }
}

/**
 * The same for configuration files. Under `npx`, the script is in a cache that may be emptied, and an `npx` entry
 * is unsafe while the name on npm is unclaimed: another publisher could take it.
 */
export function findLastingProgram(
  machine: Machine,
  running: RunningProcess,
  { otherwise = '' } = {},
): Program {
  if (!/[\\/]_npx[\\/]/.test(realpathSync(running.script))) return findProgram(machine, running)
  throw new Failure(
    'invalid_input',
    `this waymark was started from the cache of npx, where it may be gone tomorrow: install it to stay, from the same file or address, and run this again with that one${otherwise}`,
  )
}

/** The command given with `--command`. */
export function givenProgram(command: string): Program {
  const words = splitWords(command)
  if (words.length === 0) throw new Failure('invalid_input', '--command: must not be empty')
  return { words, absolute: words }
}

/** On Windows npm installs a batch file, which hosts cannot start without a shell: better Node itself. */
function leadsTo(machine: Machine, script: string): boolean {
  if (machine.platform === 'win32') return false
  const found = findOnPath(machine, 'waymark')
  return found !== undefined && realpathSync(found) === script
}

/** Resolves a command on PATH, without the folders that npm adds for its child processes. */
export function findOnPath(machine: Machine, command: string): string | undefined {
  const paths = pathsOf(machine)
  const endings =
    machine.platform === 'win32' ? (machine.env['PATHEXT'] ?? '.EXE;.CMD;.BAT').split(';') : ['']
  const folders = (machine.env['PATH'] ?? machine.env['Path'] ?? '')
    .split(paths.delimiter)
    .filter((folder) => folder !== '' && !/[\\/]node_modules[\\/]\.bin[\\/]?$/.test(folder))
  return folders
    .flatMap((folder) => endings.map((ending) => paths.join(folder, command + ending)))
    .find((file) => isProgram(file, machine))
}

function isProgram(file: string, { platform }: Machine): boolean {
  try {
    const stats = statSync(file)
    return stats.isFile() && (platform === 'win32' || (stats.mode & 0o111) !== 0)
  } catch {
    return false
  }
}

const QUOTED = /"([^"]*)"|'([^']*)'/g

/** `"C:\Program Files\node.exe" script.js` is two words; a backslash is a part of a path. */
export function splitWords(text: string): readonly string[] {
  if (/["']/.test(text.replaceAll(QUOTED, ''))) {
    throw new Failure('invalid_input', `a quote is not closed in: ${text}`)
  }
  const words = [...text.matchAll(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g)].map(([word]) => word)
  return words.map((word) => word.replaceAll(QUOTED, '$1$2'))
}

/** One line for a shell, whichever it is: double quotes mean the same to all, as long as nothing in them is special. */
export function joinWords(words: readonly string[], { platform }: Machine): string {
  const portable = words.map((word) => (platform === 'win32' ? word.replaceAll('\\', '/') : word))
  return portable.map(quote).join(' ')
}

function quote(word: string): string {
  if (/^[\w@%+=:,./~-]+$/.test(word)) return word
  if (!/["$`!\\\r\n]/.test(word)) return `"${word}"`
  throw new Failure('invalid_input', `a shell would misread a character in this path: ${word}`)
}
