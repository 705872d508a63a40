import { type Command, CommanderError } from 'commander'
import { Failure, FAILURES, toFailureReport } from '../../core/error.ts'
import { own } from '../../core/show.ts'
import { PROJECT_SETTINGS } from '../../core/project/settings.ts'
import { NOUNS } from '../../nouns.generated.ts'
import { allOperations } from '../../registry.ts'
import { VERSION } from '../../support/version.ts'
import { multiline, plain } from '../terminal/escape.ts'
import {
  operationsNamed,
  readWords,
  refuseUnknownTool,
  wantsHelp,
  withBackup,
  withHelpLast,
} from '../command-words.ts'
import { aliasesOf, expandAlias, requireFields } from '../expand-alias.ts'
import type { Run } from './process-commands.ts'
import { addMeaning, addOtherWords, HELP_STYLE, SET_UP } from './help/help.ts'
import { SuggestingCommand } from './help/suggesting-command.ts'
import { PROCESS_COMMANDS } from '../process-words.ts'
import type { Terminal } from '../terminal/terminal.ts'

/** Runs one command and answers its exit code. */
export async function runCli(given: readonly string[], terminal: Terminal): Promise<number> {
  const expanded = expandAlias(withBackup(withHelpLast(given)))
  const argv = isBare(expanded.argv) ? [...given, 'status'] : expanded.argv
  const run = { exitCode: 0 }
  const isJson = argv.includes('--json')
  const program = createProgram(isJson ? { ...terminal, err: () => {} } : terminal)
  if (expanded.alias !== undefined) addMeaning(program, expanded.alias)
  await addCommands(program, argv, { terminal, run })
  try {
    requireFields(expanded)
    if (!wantsHelp(given)) refuseUnknownTool(given)
    refuseUnknownHelp(program, argv)
    await program.parseAsync(argv, { from: 'user' })
    return run.exitCode
  } catch (error) {
    if (!(error instanceof CommanderError)) {
      const isStart = error instanceof Failure && error.code === 'not_initialised'
      if (isStart && isBare(given) && !isJson) return await showStart(error, terminal)
      return await report(error, terminal, isJson)
    }
    if (error.exitCode === 0) return 0
    // Otherwise it has been printed already, with the usage or a suggestion.
    return isJson ? await report(misused(error), terminal, isJson) : FAILURES.invalid_input.exit
  }
}

/** What `waymark` alone says where there is no project yet. */
async function showStart({ message }: Failure, terminal: Terminal): Promise<number> {
  const exit = await runCli(['--help'], terminal)
  terminal.out(`\nStart here: ${multiline(message)}\n`)
  return exit
}

/** A usage error as a Failure, so that `--json` prints it as JSON. */
function misused({ code, message }: CommanderError): Failure {
  const isNoCommand = code === 'commander.help'
  // The parser's own word, which is none of our rules.
  const details: Readonly<Record<string, unknown>> = { rule: code.replace(/^commander\./, '') }
  return new Failure(
    'invalid_input',
    isNoCommand ? 'a command is missing; --help shows them' : message.replace(/^error: /, ''),
    { details },
  )
}

/** Commander would answer `help nope` with the help of what it does know. */
function refuseUnknownHelp(program: Command, argv: readonly string[]): void {
  const {
    words: [word, verb],
    after,
  } = readWords(argv)
  if (!wantsHelp(argv) || word === undefined || word === 'help') return
  const group = findCommand(program, word) ?? refuse(program, word)
  const isVerb = group.commands.length > 0 && verb !== undefined && verb === after
  if (isVerb && !takesWords(group.name()) && !findCommand(group, verb)) refuse(group, verb)
}

function findCommand({ commands }: Command, word: string): Command | undefined {
  return commands.find((each) => each.name() === word || each.aliases().includes(word))
}

function refuse(command: Command, word: string): never {
  return command.error(`error: unknown command '${word}'`, { code: 'commander.unknownCommand' })
}

function takesWords(name: string): boolean {
  return NOUNS.some((noun) => noun.name === name && noun.takesWords === true)
}

/** Only global options: then the command is `status`. */
function isBare(argv: readonly string[]): boolean {
  return readWords(argv).words.length === 0 && !argv.some((word) => HELP_WORDS.has(word))
}

const HELP_WORDS: ReadonlySet<string> = new Set(['-h', '--help', 'help', '-V', '--version', '--'])

/** The program with the options that every command takes, and no command yet. */
export function createProgram(terminal: Terminal): Command {
  const { columns, colors } = terminal
  return new SuggestingCommand('waymark')
    .description('Shared memory and coordination for coding agents, inside your Git repository')
    .option('-C, --directory <path>', 'work as if started in this folder')
    .option(PROJECT_SETTINGS.actor.flag, PROJECT_SETTINGS.actor.help)
    .option('--idempotency-key <text>', 'a retry with the same key gets the first response')
    .option('--allow-secret', 'store text that looks like a secret')
    .option('--json', 'print JSON')
    .option('--no-pager', 'print long output without a pager')
    .version(VERSION)
    .commandsGroup(SET_UP)
    .configureHelp(HELP_STYLE)
    .addHelpText('after', AFTER_HELP)
    .exitOverride()
    .showSuggestionAfterError(false)
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

const AFTER_HELP = `
Example:
  waymark add decision "Use SQLite for storage" --status accepted

waymark alone shows the project at a glance. waymark <command> --help shows its options.
Words of other tools work too: show, edit, rm, ready, next, claim, done, assign, comment, board, find, why.
A date may be today, friday, next week, in 3 days, 2h ago, 2026-11-20 or "2026-11-20 14:00", in local time.
Every id may be a number or the beginning of an id; commands of task also know a task by its key.`

interface Surroundings {
  readonly terminal: Terminal
  readonly run: Run
}

/** Adds only the command that the words name; all commands where help or a suggestion may be needed. */
async function addCommands(
  program: Command,
  argv: readonly string[],
  { terminal, run }: Surroundings,
): Promise<void> {
  const { words, after } = readWords(argv)
  const [word = ''] = words
  const named = PROCESS_COMMANDS.has(word) ? [] : await operationsNamed(word, after)
  if (named.length === 0) {
    const { addProcessCommands } = await import('./process-commands.ts')
    addProcessCommands(program, terminal, run)
    if (PROCESS_COMMANDS.has(word)) return
  }
  const operations = named.length > 0 ? named : await allOperations()
  const { addOperation, commandsOf } = await import('./operation-command.ts')
  for (const operation of operations) {
    const isNamed = commandsOf(operation).some((command) =>
      command.every((part, at) => part === [word, after][at]),
    )
    addOperation(program, operation, terminal, { isNamed, after })
  }
  // `note add` is understood, and `note` alone is only known for its help.
  const isBehind = wantsHelp(argv) && aliasesOf(word).length > 0 && after?.startsWith('-') === true
  if (isBehind && named.length === 0)
    addOtherWords(program.command(word).usage('<command>'), 'Commands:')
  const hooks = findCommand(program, 'hook')
  if (hooks !== undefined) {
    const { addHostHooks } = await import('../hook/hook-options.ts')
    addHostHooks(hooks, terminal)
  }
}

async function report(error: unknown, terminal: Terminal, json: boolean): Promise<number> {
  if (!(error instanceof Failure)) throw error
  const text = json
    ? `${JSON.stringify({ error: toFailureReport(error) })}\n`
    : await fit(`error: ${multiline(error.message)}\n${hint(error)}`, terminal)
  terminal.err(text)
  return FAILURES[error.code].exit
}

/** Breaks lines at words for a person; programs get each line as it is. */
async function fit(text: string, terminal: Terminal): Promise<string> {
  if (!terminal.interactive) return text
  const { print } = await import('../terminal/print.ts')
  const lines = text.trimEnd().split('\n')
  return await print(
    lines.map((line) => own(line)),
    terminal,
  )
}

const HINTS: Partial<Record<Failure['code'], string>> = {
  not_initialised: '`waymark --help` shows all commands',
  ambiguous_id: 'more characters of the id, or its number, name one of them',
  lease_lost: '`waymark status` shows what you hold, `waymark task next` what can be had',
  busy: 'another process is writing; try again',
  storage_full: 'free some space and try again; nothing was lost',
}

/** Where to look for what was not found. */
const LISTS: Readonly<Record<string, string>> = {
  entity: '`waymark list` shows what there is',
  task: '`waymark task list` shows what there is',
  prompt: '`waymark prompt list` shows what there is',
  agent: '`waymark agent list` shows who is here',
  message: '`waymark message list` shows what there is',
  artifact: '`waymark artifact list` shows what there is',
  relation: '`waymark relation list <id>` shows what there is',
}

function hint({ code, details }: Failure): string {
  const text =
    details.rule === 'secret'
      ? secretHint(details)
      : (meant(details) ??
        tooMany(details) ??
        (code === 'not_found' ? LISTS[String(details['kind'])] : HINTS[code]))
  return text === undefined ? '' : `hint: ${text}\n`
}

function tooMany({ field, rule }: Failure['details']): string | undefined {
  if (field !== 'limit' || rule !== 'too_large') return undefined
  return '`waymark list --all` and `waymark tasks --all` list everything'
}

/** Suggestions for an entity that was named by its title. */
function meant({ suggestions }: Failure['details']): string | undefined {
  if (suggestions === undefined) return undefined
  const names = suggestions.map(
    ({ number, type, title }) => `${number} (${plain(type)}: ${plain(title)})`,
  )
  return `did you mean ${names.join(' or ')}?`
}

function secretHint({ fingerprint }: Failure['details']): string {
  return `if it is none, add --allow-secret, or "${String(fingerprint)}" to allowedSecrets in .waymark/config.json`
}
