import { Command, CommanderError } from 'commander'
import { Failure, FAILURES, toFailureReport } from '../error.ts'
import type { Operation } from '../operation.ts'
import { allOperations, findOperation, operationsOf } from '../operations/index.ts'
import { VERSION } from '../version.ts'
import type { Run } from './process-commands.ts'
import type { Terminal } from './terminal.ts'
import { nounsFor, SHORTCUTS } from './words.ts'

/** Runs one command and answers its exit code. */
export async function runCli(argv: readonly string[], terminal: Terminal): Promise<number> {
  const run = { exitCode: 0 }
  const program = createProgram(terminal)
  await addCommands(program, wordsOf(argv), { terminal, run })
  try {
    await program.parseAsync(argv, { from: 'user' })
    return run.exitCode
  } catch (error) {
    if (error instanceof CommanderError)
      return error.exitCode === 0 ? 0 : FAILURES.invalid_input.exit
    return report(error, terminal, argv.includes('--json'))
  }
}

function createProgram(terminal: Terminal): Command {
  const { columns, colors } = terminal
  return new Command('waymark')
    .description('Shared memory and coordination for coding agents, inside your Git repository')
    .option('-C, --directory <path>', 'work as if started in this folder')
    .option(
      '--actor <name>',
      'name to write beside changes (WAYMARK_ACTOR; default: git user.name)',
    )
    .option('--idempotency-key <text>', 'a change repeated with the same key is made once')
    .option('--allow-secret', 'store text that looks like a secret')
    .option('--json', 'print JSON')
    .version(VERSION)
    .exitOverride()
    .showSuggestionAfterError()
    .showHelpAfterError('(add --help for the options)')
    .configureOutput({
      writeOut: (text) => terminal.out(text),
      writeErr: (text) => terminal.err(text),
      getOutHelpWidth: () => columns,
      getErrHelpWidth: () => columns,
      getOutHasColors: () => colors,
      getErrHasColors: () => colors,
    })
}

interface Surroundings {
  readonly terminal: Terminal
  readonly run: Run
}

/** Only what the words name; all commands when help or a suggestion may be needed. */
async function addCommands(
  program: Command,
  words: readonly string[],
  { terminal, run }: Surroundings,
): Promise<void> {
  const [word = ''] = words
  const named = PROCESS_COMMANDS.has(word) ? [] : await operationsNamed(word)
  if (named.length === 0) {
    const { addProcessCommands } = await import('./process-commands.ts')
    addProcessCommands(program, terminal, run)
    if (PROCESS_COMMANDS.has(word)) return
  }
  const operations = named.length > 0 ? named : await allOperations()
  const { addOperation, commandsOf } = await import('./operation-command.ts')
  for (const operation of operations) {
    const isNamed = commandsOf(operation).some((command) =>
      command.every((part, at) => part === words[at]),
    )
    addOperation(program, operation, terminal, isNamed)
  }
}

/** The operation that a word is short for, or all of the noun that it is. */
async function operationsNamed(word: string): Promise<readonly Operation[]> {
  const shortcut = Object.hasOwn(SHORTCUTS, word) ? SHORTCUTS[word] : undefined
  const operation = shortcut === undefined ? undefined : await findOperation(shortcut)
  if (operation !== undefined) return [operation]
  for (const noun of nounsFor(word)) {
    const operations = await operationsOf(noun)
    if (operations.length > 0) return operations
  }
  return []
}

const OPTIONS_WITH_VALUE: ReadonlySet<string> = new Set([
  '-C',
  '--directory',
  '--actor',
  '--idempotency-key',
])

/** The command and its arguments, without options; `help add` is about `add`. */
function wordsOf(argv: readonly string[]): readonly string[] {
  const words = argv.filter(
    (word, at) => !word.startsWith('-') && !OPTIONS_WITH_VALUE.has(argv[at - 1] ?? ''),
  )
  return words[0] === 'help' ? words.slice(1) : words
}

/** Commands that need no operation, so that they start without loading one. */
const PROCESS_COMMANDS: ReadonlySet<string> = new Set([
  'init',
  'serve',
  'mcp',
  'install',
  'doctor',
  'watch',
  'prime',
])

function report(error: unknown, terminal: Terminal, json: boolean): number {
  if (!(error instanceof Failure)) throw error
  const text = json
    ? `${JSON.stringify({ error: toFailureReport(error) })}\n`
    : `error: ${error.message}\n${hint(error)}`
  terminal.err(text)
  return FAILURES[error.code].exit
}

const HINTS: Partial<Record<Failure['code'], string>> = {
  not_found: '`waymark list` shows what there is',
  busy: 'another process is writing; try again',
  storage_full: 'free some space and try again; nothing was lost',
}

function hint({ code, details }: Failure): string {
  const text = details['rule'] === 'secret' ? secretHint(details) : HINTS[code]
  return text === undefined ? '' : `hint: ${text}\n`
}

function secretHint({ fingerprint }: Failure['details']): string {
  return `if it is none, add --allow-secret, or "${String(fingerprint)}" to allowedSecrets in .waymark/config.json`
}
