import { Command, CommanderError } from 'commander'
import { Failure, FAILURES, toFailureReport } from '../error.ts'
import { nounOf, type Operation } from '../operation.ts'
import { allOperations, operationsOf } from '../operations/index.ts'
import { VERSION } from '../version.ts'
import { singular } from './flags.ts'
import { addOperation, SHORTCUTS } from './operation-command.ts'
import { addProcessCommands } from './process-commands.ts'
import type { Terminal } from './terminal.ts'

/** Runs one command and answers its exit code. */
export async function runCli(argv: readonly string[], terminal: Terminal): Promise<number> {
  const run = { exitCode: 0 }
  const program = createProgram(terminal)
  addProcessCommands(program, terminal, run)
  for (const operation of await operationsFor(argv)) addOperation(program, operation, terminal)
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

const OPTIONS_WITH_VALUE: ReadonlySet<string> = new Set(['-C', '--directory', '--actor'])

/** Only the operations of the noun that is named, or all of them when help or a suggestion may be needed. */
async function operationsFor(argv: readonly string[]): Promise<readonly Operation[]> {
  const isWord = (word: string, at: number) =>
    !word.startsWith('-') && !OPTIONS_WITH_VALUE.has(argv[at - 1] ?? '')
  const word = argv.find(isWord) ?? ''
  if (word === 'init' || word === 'serve') return []
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
