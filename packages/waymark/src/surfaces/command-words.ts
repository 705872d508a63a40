import { violation } from '../core/input/parse.ts'
import type { Operation } from '../core/operation.ts'
import { EXPORT_FORMATS, isExchangeName } from '../exchange/names.ts'
import { findOperation, isOperationName, operationsOf } from '../registry.ts'
import { quote } from '../support/text/visible-text.ts'
import { OPTIONS_WITH_VALUE, PROCESS_COMMANDS } from './process-words.ts'
import { nounsFor, SHORTCUTS, verbFor } from './words.ts'

/** The words of a command line, read before its options are known. */
interface CommandWords {
  /** Without options, but with the values of those that only some commands have. */
  readonly words: readonly string[]
  /** What stands directly behind the first word: a verb, an option, or nothing. */
  readonly after: string | undefined
  /** Where the first word stands. */
  readonly at: number
}

export function readWords(argv: readonly string[]): CommandWords {
  const places = placesOf(argv)
  const [first] = places
  return {
    words: places.map((at) => argv[at] ?? ''),
    after: first === undefined ? undefined : argv[first + 1],
    at: first ?? 0,
  }
}

/** Where the words are that are neither options nor values of global ones. */
export function placesOf(argv: readonly string[]): readonly number[] {
  return [...argv.keys()].filter(
    (at) => !argv[at]?.startsWith('-') && !OPTIONS_WITH_VALUE.has(argv[at - 1] ?? ''),
  )
}

/** `help task claim` is `task claim --help`. */
export function withHelpLast(argv: readonly string[]): readonly string[] {
  const { words } = readWords(argv)
  return words[0] === 'help' ? [...argv.toSpliced(argv.indexOf('help'), 1), '--help'] : argv
}

export function wantsHelp(argv: readonly string[]): boolean {
  const end = argv.indexOf('--')
  const options = end === -1 ? argv : argv.slice(0, end)
  return options.some((word) => word === '--help' || word === '-h')
}

/** `import all.jsonl` is `backup import all.jsonl`: a word that names no other tool is the file of a backup. */
export function withBackup(argv: readonly string[]): readonly string[] {
  const { words, at } = readWords(argv)
  const [verb, name] = words
  if ((verb !== 'import' && verb !== 'export') || name === undefined) return argv
  return isExchangeName(verb, name) ? argv : argv.toSpliced(at, 0, 'backup')
}

/** `export becklog` is a misspelled tool: the file of a backup has a suffix, or a folder before its name. */
export function refuseUnknownTool(argv: readonly string[]): void {
  const [verb, name = ''] = readWords(argv).words
  if (verb !== 'export' || !/^\w+$/.test(name) || isExchangeName(verb, name)) return
  const tools = EXPORT_FORMATS.join(', ')
  const message = `no tool is called ${quote(name)}; export to ${tools}, or name a file such as ${name}.jsonl for a backup`
  throw violation('format', 'not_one_of', message, { value: name, valid: EXPORT_FORMATS })
}

/** The operation that a word is short for, the one that noun and verb name, or all of the noun. */
export async function operationsNamed(
  word: string,
  after: string | undefined,
): Promise<readonly Operation[]> {
  const shortcut = isShort(word) ? await findOperation(SHORTCUTS[word] ?? '') : undefined
  if (shortcut !== undefined) return [shortcut]
  for (const noun of nounsFor(word)) {
    const named = after === undefined ? undefined : await findOperation(`${noun}.${verbFor(after)}`)
    if (named !== undefined) return [named]
    const operations = await operationsOf(noun)
    if (operations.length > 0) return operations
  }
  return []
}

/** Whether these words name a command of their own, told without loading it. */
export function isCommand(word: string, after = ''): boolean {
  // What completion scripts call; without the dashes a person means a task.
  if (word === 'complete') return after === '--'
  if (isShort(word) || PROCESS_COMMANDS.has(word)) return true
  return nounsFor(word).some((noun) => isOperationName(`${noun}.${verbFor(after)}`))
}

export function isShort(word: string): boolean {
  return Object.hasOwn(SHORTCUTS, word)
}
