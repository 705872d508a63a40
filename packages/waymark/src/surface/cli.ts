import { Command, CommanderError } from 'commander'
import { Failure, FAILURES, toFailureReport } from '../error.ts'
import { nounOf, type Operation } from '../operation.ts'
import { allOperations, operationsOf } from '../operations/index.ts'
import { VERSION } from '../version.ts'
import { addProcessCommands } from './process-commands.ts'
import { addPrime } from './prime-options.ts'
import type { Terminal } from './terminal.ts'
import { SHORTCUTS, singular } from './words.ts'

/** Runs one command and answers its exit code. */
export async function runCli(argv: readonly string[], terminal: Terminal): Promise<number> {
  const run = { exitCode: 0 }
  const program = createProgram(terminal)
  addProcessCommands(program, terminal, run)
  addPrime(program, terminal, run)
  await addOperations(program, wordsOf(argv), terminal)
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

async function addOperations(
  program: Command,
  words: readonly string[],
  terminal: Terminal,
): Promise<void> {
  const operations = await operationsFor(words)
  if (operations.length === 0) return
  const { addOperation, commandsOf } = await import('./operation-command.ts')
  for (const operation of operations) {
    const named = commandsOf(operation).some((command) =>
      command.every((word, at) => word === words[at]),
    )
    addOperation(program, operation, terminal, named)
  }
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

/** Only the operations of the noun that is named, or all of them when help or a suggestion may be needed. */
async function operationsFor([word = '']: readonly string[]): Promise<readonly Operation[]> {
  if (PROCESS_COMMANDS.has(word)) return []
  for (const noun of [nounOf(SHORTCUTS[word] ?? ''), word, singular(word)]) {
    const named = await operationsOf(noun)
    if (named.length > 0) return named
  }
  return await allOperations()
}

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

function hint({ code }: Failure): string {
  const text = HINTS[code]
  return text === undefined ? '' : `hint: ${text}\n`
}
