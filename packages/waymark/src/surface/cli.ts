import { Command, CommanderError, Option } from 'commander'
import { loadConfig } from '../config.ts'
import { createContext } from '../context.ts'
import { Failure, FAILURES, toFailureReport } from '../error.ts'
import { execute } from '../execute.ts'
import { createLogger } from '../logger.ts'
import { nounOf, type Operation } from '../operation.ts'
import { allOperations, operationsOf } from '../operations/index.ts'
import { openProject } from '../project.ts'
import { type Flag, flagsOf, toInput } from './flags.ts'
import { VERSION } from '../version.ts'
import { addProcessCommands } from './process-commands.ts'
import { render } from './render.ts'
import type { Terminal } from './terminal.ts'

/** Operations that are used so often that they have a command of one word. */
const SHORTCUTS: Readonly<Record<string, string>> = {
  add: 'entity.create',
  list: 'entity.list',
  get: 'entity.get',
  update: 'entity.update',
  delete: 'entity.delete',
}

const VERB_ALIASES: Readonly<Record<string, string>> = { create: 'add' }
const LETTERS: Readonly<Record<string, string>> = { tag: 't', relation: 'r', limit: 'n', type: 't' }
const USAGE_ERROR = FAILURES.invalid_input.exit

export interface GlobalOptions {
  readonly directory?: string
  readonly actor?: string
  readonly json?: boolean
}

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
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : USAGE_ERROR
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
      writeOut: terminal.out,
      writeErr: terminal.err,
      getOutHelpWidth: () => columns,
      getErrHelpWidth: () => columns,
      getOutHasColors: () => colors,
      getErrHasColors: () => colors,
    })
}

/** Only the operations of the noun that is named, or all of them when help or a suggestion may be needed. */
async function operationsFor(argv: readonly string[]): Promise<readonly Operation[]> {
  const words = argv.filter(
    (word, at) =>
      !word.startsWith('-') && !['-C', '--directory', '--actor'].includes(argv[at - 1] ?? ''),
  )
  const word = words[0] ?? ''
  const named = await operationsOf(nounOf(SHORTCUTS[word] ?? `${word}.`))
  return named.length > 0 ? named : await allOperations()
}

function addOperation(program: Command, operation: Operation, terminal: Terminal): void {
  const [noun = '', verb = ''] = operation.name.split('.')
  const group =
    program.commands.find((command) => command.name() === noun) ??
    program.command(noun).description(`${noun} commands`)
  const command = group.command(verb)
  const alias = VERB_ALIASES[verb]
  if (alias !== undefined) command.alias(alias)
  describe(command, operation, terminal)
  for (const [shortcut, name] of Object.entries(SHORTCUTS)) {
    if (name === operation.name) describe(program.command(shortcut), operation, terminal)
  }
}

function describe(command: Command, operation: Operation, terminal: Terminal): void {
  const flags = flagsOf(operation)
  const positional = (operation.positional ?? []).map((field) =>
    flags.find(({ path }) => path.length === 1 && path[0] === field),
  )
  const arguments_ = positional.filter((flag) => flag !== undefined)
  const options = flags.filter((flag) => !arguments_.includes(flag))
  command.description(operation.summary)
  for (const flag of arguments_) {
    command.argument(flag.required ? `<${flag.name}>` : `[${flag.name}]`, describeFlag(flag))
  }
  for (const flag of options) command.addOption(toOption(flag, options))
  const takesContent = flags.some(({ name }) => name === 'content')
  if (takesContent) command.option('--stdin', 'read the content from standard input')
  if (operation.effect === 'delete') command.option('-f, --force', 'do not ask')
  command.action(async () => {
    const given = {
      ...command.opts(),
      ...Object.fromEntries(arguments_.map(({ name }, at) => [name, command.processedArgs[at]])),
    }
    if (given['stdin'] === true) given['content'] = await terminal.readStdin()
    if (operation.effect === 'delete') await confirm(operation, given, terminal)
    await runOperation(
      operation,
      toInput(flags, camelToKebab(given)),
      command.optsWithGlobals(),
      terminal,
    )
  })
}

async function runOperation(
  operation: Operation,
  input: unknown,
  options: GlobalOptions,
  terminal: Terminal,
): Promise<void> {
  await using project = await openProject(options.directory ?? terminal.cwd)
  const config = loadConfig(
    project.root,
    terminal.env,
    options.actor === undefined ? {} : { actor: options.actor },
  )
  const logger = createLogger({
    level: config.logLevel,
    target: 'waymark::cli',
    write: (line) => terminal.err(`${line}\n`),
  })
  // Asking git for a name starts a process, so a command that only reads does without.
  const name = config.actor ?? (operation.effect === 'read' ? null : await project.userName())
  const context = createContext({ store: project.store, agent: { name, surface: 'cli' }, logger })
  const output = await execute(context, operation, input)
  if (options.json === true)
    terminal.out(`${JSON.stringify(output, null, terminal.interactive ? 2 : undefined)}\n`)
  else terminal.out(render(output, terminal))
}

async function confirm(
  operation: Operation,
  given: Readonly<Record<string, unknown>>,
  terminal: Terminal,
): Promise<void> {
  if (given['force'] === true) return
  const answer = await terminal.confirm(`${operation.summary}?`)
  if (answer === true) return
  if (answer === false) throw new Failure('cancelled', 'nothing was deleted')
  throw new Failure('invalid_input', 'force: pass --force to delete where nobody can be asked', {
    details: { field: 'force' },
  })
}

function toOption(flag: Flag, all: readonly Flag[]): Option {
  const letter = LETTERS[flag.name]
  const taken = all.some((other) => other !== flag && LETTERS[other.name] === letter)
  const short = letter === undefined || taken ? '' : `-${letter}, `
  const value =
    flag.kind === 'boolean'
      ? ''
      : ` <${flag.kind === 'number' ? 'number' : flag.kind === 'json' ? 'json' : 'text'}>`
  const option = new Option(`${short}--${flag.name}${value}`, describeFlag(flag))
  if (flag.repeatable)
    option.argParser((next: string, before: readonly string[] = []) => [...before, next])
  return option
}

function describeFlag({ description, choices, repeatable, defaultValue }: Flag): string {
  const values = choices === undefined ? '' : ` (${choices.join(', ')})`
  const more = repeatable ? ' (repeatable)' : ''
  const start =
    defaultValue === undefined || typeof defaultValue === 'object'
      ? ''
      : ` (default: ${String(defaultValue)})`
  return `${description}${values}${start}${more}`
}

/** Commander names `--due-date` dueDate; flags are found by the name that was typed. */
function camelToKebab(given: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => [
      name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`),
      value,
    ]),
  )
}

function report(error: unknown, terminal: Terminal, json: boolean): number {
  if (!(error instanceof Failure)) throw error
  terminal.err(
    json
      ? `${JSON.stringify({ error: toFailureReport(error) })}\n`
      : `error: ${error.message}\n${hint(error)}`,
  )
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
