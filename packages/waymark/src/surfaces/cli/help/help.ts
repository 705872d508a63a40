import { type Argument, Command, Help, type Option } from 'commander'
import { type Alias, aliasesOf } from '../../expand-alias.ts'

export const EVERYDAY = 'Everyday:'
export const SET_UP = 'Set up and serve:'
export const BY_NOUN = 'Everything, by noun:'

/** Order of the groups and of the commands in them, independent of the load order; others follow by name. */
const GROUPS: readonly string[] = ['Options:', EVERYDAY, SET_UP, BY_NOUN]
const COMMANDS: readonly string[] =
  `status brief task search add list get update delete restore log undo purge
  inbox answer message sync export import
  init install serve ui watch doctor config prime mcp completion openapi`.split(/\s+/)
/** What is looked at, then what is made, worked on and taken away. */
const VERBS: readonly string[] =
  `run status inbox query list ready next blocked board tree why read show
  get get-many explain thread search text semantic history summary deps context tags
  create create-many add annotate note send answer ack update edit correct
  claim take renew release complete verify cancel reopen defer reschedule check-edit
  supersede delete remove restore purge undo batch`.split(/\s+/)

const EXAMPLES = new WeakMap<Command, string>()

/** Ends the help of a command with one call of it, from the words that follow its name. */
export function addExample(command: Command, words = ''): Command {
  const path = [command.name()]
  for (let above = command.parent; above !== null; above = above.parent) path.unshift(above.name())
  const example = [...path, words].join(' ').trimEnd()
  EXAMPLES.set(command, example)
  return command.addHelpText('after', `\nExample:\n  ${example}`)
}

/** The call that `addExample` has added. */
export function exampleOf(command: Command): string | undefined {
  return EXAMPLES.get(command)
}

const DEFAULTS = new WeakMap<Command, Command>()

/** Lets the help of a group show the arguments and options of the command that runs without a verb. */
export function showDefault(group: Command, command: Command): void {
  DEFAULTS.set(group, command)
}

/** Begins the help with the command that an alias stands for. */
export function addMeaning(program: Command, { usage, meaning, isOwn }: Alias): void {
  program.addHelpText(
    'beforeAll',
    `waymark ${usage}${isOwn ? ' alone' : ''} is waymark ${meaning}\n`,
  )
}

/** Adds what else may stand behind a noun, with its meaning. */
export function addOtherWords(group: Command, heading = 'Also:'): Command {
  const rows = aliasesOf(group.name()).filter(({ usage }) => usage.includes(' '))
  if (rows.length === 0) return group
  const width = Math.max(...rows.map(({ usage }) => usage.length))
  const lines = rows.map(({ usage, meaning }) => `  ${usage.padEnd(width)}  waymark ${meaning}`)
  return group.addHelpText('after', [`\n${heading}`, ...lines].join('\n'))
}

/** One name for each command, although others are understood too. */
export const HELP_STYLE: Partial<Help> = {
  subcommandTerm: (command: Command) => {
    const words = command.registeredArguments.map((argument) =>
      argument.required ? `<${argument.name()}>` : `[${argument.name()}]`,
    )
    return [command.name(), ...words].join(' ')
  },
  commandUsage(this: Help, command: Command): string {
    const usage = Help.prototype.commandUsage.call(this, command)
    const first = DEFAULTS.get(command)
    if (first === undefined) return usage
    const words = usage.slice(0, -command.usage().length)
    return `${words}${first.usage()}\n       ${words}<command>`
  },
  commandDescription(command: Command): string {
    const first = DEFAULTS.get(command)
    const about = command.description()
    if (first === undefined) return about
    return `${about}\n\nWithout a command it is \`${command.name()} ${first.name()}\`: ${first.description()}`
  },
  visibleArguments(this: Help, command: Command): Argument[] {
    return Help.prototype.visibleArguments.call(this, DEFAULTS.get(command) ?? command)
  },
  visibleOptions(this: Help, command: Command): Option[] {
    return Help.prototype.visibleOptions.call(this, DEFAULTS.get(command) ?? command)
  },
  groupItems<T extends Command | Option>(
    _unsorted: T[],
    visible: T[],
    getGroup: (item: T) => string,
  ): Map<string, T[]> {
    const groups = new Map<string, T[]>()
    const isOverview = visible.some((item) => getGroup(item) === EVERYDAY)
    const order = isOverview ? COMMANDS : VERBS
    const sorted = visible.toSorted((a, b) => rankOf(order, a) - rankOf(order, b))
    for (const item of sorted) {
      // Commander puts its own command into a group of its own.
      const group = isOverview ? getGroup(item).replace('Commands:', SET_UP) : getGroup(item)
      groups.set(group, [...(groups.get(group) ?? []), item])
    }
    return new Map([...groups].toSorted(([a], [b]) => rank(GROUPS, a) - rank(GROUPS, b)))
  },
}

/** Options stay in the order of the schema. */
function rankOf(order: readonly string[], item: Command | Option): number {
  return item instanceof Command ? rank(order, item.name()) : 0
}

/** What is not in the list comes last. */
function rank(list: readonly string[], word: string): number {
  const at = list.indexOf(word)
  return at === -1 ? list.length : at
}
