import type { Command } from 'commander'
import type { Context } from '../../core/context.ts'
import { Failure } from '../../core/error.ts'
import { deletes, isDestructive, type Operation } from '../../core/operation.ts'
import { notJson } from '../not-json.ts'
import { line } from '../../core/show.ts'
import { refuseUnknown, violation } from '../../core/input/parse.ts'
import { withoutKey } from '../../core/idempotency.ts'
import { commandFlagsOf, CONFIRMATION, type Flag, toInput } from './input/flags.ts'
import { describeFlag, otherSpelling, toOption, toOptions, useOwnName } from './options.ts'
import { toIsoTimes } from './input/typed-times.ts'
import { type GlobalOptions, runOperation } from '../run-operation.ts'
import { print } from '../terminal/print.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { addExample, addOtherWords, BY_NOUN, EVERYDAY, showDefault } from './help/help.ts'
import type { Noun } from '../../core/noun.ts'
import { nounOf } from '../../nouns.generated.ts'
import { SHORTCUTS, spellingsOf, VERB_ALIASES, verbOf } from '../words.ts'

/** How an operation is called on the command line: `entity create`, and `add` for short. */
export function commandsOf(operation: Operation): readonly (readonly string[])[] {
  const [noun, verb] = [nounOf(operation.name), verbOf(operation.name)]
  const verbs = [verb.replaceAll('_', '-'), ...(VERB_ALIASES[verb] ?? [])]
  const shortcuts = Object.keys(SHORTCUTS).filter(
    (shortcut) => SHORTCUTS[shortcut] === operation.name,
  )
  return [
    ...shortcuts.map((shortcut) => [shortcut]),
    ...spellingsOf(noun).flatMap((group) => verbs.map((name) => [group, name])),
    ...(noun.defaultVerb === verb ? spellingsOf(noun).map((group) => [group]) : []),
  ]
}

/** The part of the command line that selects the command. */
interface Typed {
  /** Options are only worked out for the one that is. */
  readonly isNamed: boolean
  /** The word after the noun. */
  readonly after?: string | undefined
}

/** Adds the operation's commands. */
export function addOperation(
  program: Command,
  operation: Operation,
  terminal: Terminal,
  { isNamed, after }: Typed,
): void {
  const verb = verbOf(operation.name)
  const group = groupOf(program, nounOf(operation.name))
  const command = group
    .command(verb.replaceAll('_', '-'), { isDefault: isDefault(operation, after) })
    .aliases(VERB_ALIASES[verb] ?? [])
  if (nounOf(operation.name).defaultVerb === verb) showDefault(group, command)
  const shortcuts = Object.keys(SHORTCUTS)
    .filter((shortcut) => SHORTCUTS[shortcut] === operation.name)
    .map((shortcut) => program.command(shortcut).helpGroup(EVERYDAY))
  for (const each of [command, ...shortcuts]) {
    each.description(operation.summary)
    if (!isNamed) continue
    describe(each, operation, terminal)
    addExample(each, operation.example)
  }
}

/** Behind most nouns a word that is no verb is one that was misspelled. */
function isDefault({ name }: Operation, after?: string): boolean {
  const { defaultVerb, takesWords } = nounOf(name)
  if (defaultVerb !== verbOf(name)) return false
  return takesWords === true || after === undefined || after.startsWith('-')
}

function groupOf(program: Command, noun: Noun): Command {
  const existing = program.commands.find((command) => command.name() === noun.name)
  if (existing !== undefined) return existing
  const group = program
    .command(noun.name)
    .aliases(spellingsOf(noun).slice(1))
    .helpGroup(noun.isEveryday === true ? EVERYDAY : BY_NOUN)
    .description(noun.about)
  return addExample(addOtherWords(group), noun.example)
}

function describe(command: Command, operation: Operation, terminal: Terminal): void {
  const flags = commandFlagsOf(operation).map((flag) =>
    flag.name === 'path' && takesPaths(operation) ? asTyped(flag) : flag,
  )
  const positional = (operation.positional ?? [])
    .map((field) => flags.find(({ path }) => path.length === 1 && path[0] === field))
    .filter((flag) => flag !== undefined)
  const options = flags.filter((flag) => !positional.includes(flag))
  const byName = positional.filter(({ required }) => !required)
  for (const flag of positional) {
    command.argument(`[${flag.name}]`, describeFlag(flag))
  }
  command.usage(usageOf(positional))
  for (const flag of options)
    for (const option of toOptions(flag, otherSpelling(flag, flags)))
      command.addOption(option.hideHelp(flag.name === OF_PROGRAMS && !isAboutAgents(operation)))
  for (const option of byName.flatMap((flag) => toOptions(flag)))
    command.addOption(option.hideHelp())
  const spelledTwice = [...options, ...byName].filter(
    (flag) => otherSpelling(flag, flags) !== undefined,
  )
  for (const flag of spelledTwice)
    command.addOption(toOption({ ...flag, name: otherSpelling(flag, flags) ?? '' }).hideHelp())
  if (flags.some(({ name }) => name === 'content')) {
    command.option('--stdin', 'read the content from standard input')
    command.option('-e, --edit', 'write the content in VISUAL or EDITOR')
  }
  if (operation.pages !== undefined && !flags.some(({ name }) => name === 'all')) {
    command.option('--all', 'list everything, without a limit')
  }
  if (operation.name === FOLLOWED) {
    command.option('--follow', 'then follow new events until interrupted')
  }
  command.option('--input <json>', 'all fields as one JSON object; - reads it from standard input')
  const asksFirst = isDestructive(operation) && operation.mayDelete !== true
  if (asksFirst && !flags.some(({ name }) => name === 'force')) {
    command.option('-f, --force', 'do not ask')
  }
  const act = async (): Promise<void> => {
    const given = readGiven(command, positional)
    for (const flag of spelledTwice) useOwnName(command, given, flag)
    if (given['stdin'] === true) given['content'] = await terminal.readStdin()
    const whole = await readWholeInput(given['input'], terminal)
    // Before the confirmation, and before `events --follow` starts with a misspelled filter.
    refuseUnknown(operation.input, withoutKey(whole))
    const typed = toIsoTimes(operation, flags, given)
    const input: Record<string, unknown> = { ...whole, ...toInput(flags, typed) }
    refuseMissing(command, positional, input)
    const mustConfirm = deletes(operation, input) && given['force'] !== true
    if (CONFIRMATION in operation.input.shape) input[CONFIRMATION] = true
    if (given['follow'] === true) {
      await followEvents(command.optsWithGlobals(), input, terminal)
      return
    }
    const opensEditor =
      given['edit'] === true || (terminal.interactive && isBareUpdate(operation, input))
    const wantsAll = given['all'] === true && given['limit'] === undefined
    const options: GlobalOptions = { ...command.optsWithGlobals(), wantsAll }
    const makeInput = async (context: Context) => {
      if (mustConfirm) {
        const { questionFor } = await import('./confirmation.ts')
        const named = positional.map(({ path: [field = ''] }) => input[field])
        await confirm(await questionFor(context, operation, named), terminal)
      }
      const [path] = takesPaths(operation)
        ? (flags.find(({ name }) => name === 'path')?.path ?? [])
        : []
      if (path !== undefined && given['path'] !== undefined)
        input[path] = await fromHere(context, input[path])
      if (!opensEditor) return input
      const { editContent } = await import('./input/edit-content.ts')
      return { ...input, content: await editContent(context, { operation, input }, terminal) }
    }
    await runOperation(operation, options, terminal, makeInput)
  }
  command.action(async () => {
    await act().catch((error: unknown) => {
      throw namedByFlag(error, flags)
    })
  })
}

/** Whether its paths are those of files in the repository, as Git knows them. */
function takesPaths({ name }: Operation): boolean {
  return name.startsWith('code.') || name === 'task.check_edit' || name.startsWith('brief.')
}

/** Descriptions are those of all surfaces, and say where their paths start. */
function asTyped(flag: Flag): Flag {
  const start = /(?:,| path) (?:from the top|relative to) .*/
  return { ...flag, description: flag.description.replace(start, ', from the current folder') }
}

/** What is typed starts in the folder of the shell, as with git. */
async function fromHere(context: Context, given: unknown): Promise<unknown> {
  const { fromTypedPath } = await import('../../core/project/typed-path.ts')
  if (typeof given === 'string') return await fromTypedPath(context, given)
  return Array.isArray(given)
    ? await Promise.all(given.map((one) => fromHere(context, one)))
    : given
}

/** Spells fields as the command line does: `status` rather than `statuses.0`, and `pass --force` for `pass force`. */
function namedByFlag(error: unknown, flags: readonly Flag[]): unknown {
  if (!(error instanceof Failure)) return error
  const { code, message, details } = error
  const field = typeof details['field'] === 'string' ? details['field'] : ''
  const flag = flags.find(({ path }) => path.join('.') === field.replace(/\.\d+$/, ''))
  const start = flag !== undefined && message.startsWith(`${field}: `) ? field : ''
  const rest = message
    .slice(start.length)
    .replaceAll(/\b(pass(?: its| that)?|use|where|or your) ([a-z_]+)\b/g, (all, before, name) => {
      const named = flags.find(({ path }) => path.at(-1) === name)
      const option = name === 'actor' ? name : named?.name
      return option === undefined ? all : `${before} --${option}`
    })
  const spelled = start === '' ? rest : `${flag?.name ?? ''}${rest}`
  return spelled === message ? error : new Failure(code, spelled, { details, cause: error })
}

/** `edit 12` without anything to change: then its text is what a person wants to change. */
function isBareUpdate({ name }: Operation, input: object): boolean {
  return name.endsWith('.update') && Object.keys(input).join() === 'id'
}

/** The operation that has `--follow`. */
const FOLLOWED = 'event.list'

async function followEvents(
  options: GlobalOptions,
  { since = 0, since_time, types: type }: Readonly<Record<string, unknown>>,
  terminal: Terminal,
): Promise<void> {
  const { watch } = await import('../watch/watch-command.ts')
  const { stopSignal } = await import('../watch/watch-options.ts')
  await watch(
    { ...options, events: true, since: since_time ?? since, type },
    terminal,
    stopSignal(),
  )
}

function usageOf(positional: readonly Flag[]): string {
  const words = positional.map(({ name, required }) => (required ? `<${name}>` : `[${name}]`))
  return ['[options]', ...words].join(' ')
}

/** `--input`: the whole input as JSON. Flags override its fields. */
async function readWholeInput(given: unknown, terminal: Terminal): Promise<object> {
  if (typeof given !== 'string') return {}
  const text = given === '-' ? await terminal.readStdin() : given
  try {
    const input: unknown = JSON.parse(text)
    if (typeof input === 'object' && input !== null && !Array.isArray(input)) return input
  } catch (cause) {
    throw notJson('input', cause)
  }
  throw violation('input', 'wrong_type', 'must be a JSON object')
}

/** Said in the words of the command line rather than of the schema, with the usage below it. */
function refuseMissing(command: Command, positional: readonly Flag[], input: object): void {
  const missing = positional.find(({ required, path }) => required && !((path[0] ?? '') in input))
  if (missing !== undefined) command.error(`error: missing required argument '${missing.name}'`)
}

/** For programs that act for several agents; in the help of every command it would only be in the way. */
const OF_PROGRAMS = 'agent-id'

function isAboutAgents({ name }: Operation): boolean {
  return name.startsWith('agent.')
}

/** The given options by flag name. Commander calls `--due-date` dueDate. */
function readGiven(command: Command, positional: readonly Flag[]): Record<string, unknown> {
  const options = Object.entries<unknown>(command.opts())
    .filter(([name]) => command.getOptionValueSource(name) !== 'default')
    .map(([name, value]) => [name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`), value])
  const given: Record<string, unknown> = Object.fromEntries(options)
  for (const [at, { name }] of positional.entries()) {
    const word: unknown = command.processedArgs[at]
    if (word !== undefined && given[name] !== undefined)
      command.error(`error: '${name}' is given twice, as an argument and as an option`)
    given[name] ??= word
  }
  return given
}

/** `[y/N]` and what is typed behind it. */
const ROOM_FOR_ANSWER = 8

async function confirm(question: string, terminal: Terminal): Promise<void> {
  const style = { ...terminal, columns: terminal.columns - ROOM_FOR_ANSWER }
  const answer = await terminal.confirm((await print([line`${question}`], style)).trimEnd())
  if (answer === true) return
  if (answer === false) throw new Failure('cancelled', 'nothing was deleted')
  throw new Failure(
    'invalid_input',
    'force: pass --force to delete without a terminal to confirm at',
    {
      details: { field: 'force' },
    },
  )
}
