import type { Command, Help, Option } from 'commander'

export const EVERYDAY = 'Everyday:'
export const SET_UP = 'Set up and serve:'
export const BY_NOUN = 'Everything, by noun:'

/** Order of the groups and of the first commands, independent of the load order. */
const GROUPS: readonly string[] = ['Options:', EVERYDAY, SET_UP, BY_NOUN]
const FIRST: readonly string[] = ['status', 'brief', 'task', 'search', 'add', 'list', 'get', 'init']

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

/** Begins the help with the command that an alias stands for. */
export function addMeaning(
  program: Command,
  { usage, meaning }: { readonly usage: string; readonly meaning: string },
): void {
  program.addHelpText('beforeAll', `waymark ${usage} is waymark ${meaning}\n`)
}

/** One name for each command, although others are understood too. */
export const HELP_STYLE: Partial<Help> = {
  subcommandTerm: (command: Command) => {
    const words = command.registeredArguments.map((argument) =>
      argument.required ? `<${argument.name()}>` : `[${argument.name()}]`,
    )
    return [command.name(), ...words].join(' ')
  },
  groupItems<T extends Command | Option>(
    _unsorted: T[],
    visible: T[],
    getGroup: (item: T) => string,
  ): Map<string, T[]> {
    const groups = new Map<string, T[]>()
    const isOverview = visible.some((item) => getGroup(item) === EVERYDAY)
    for (const item of visible.toSorted((a, b) => rank(FIRST, a.name()) - rank(FIRST, b.name()))) {
      // Commander puts its own command into a group of its own.
      const group = isOverview ? getGroup(item).replace('Commands:', SET_UP) : getGroup(item)
      groups.set(group, [...(groups.get(group) ?? []), item])
    }
    return new Map([...groups].toSorted(([a], [b]) => rank(GROUPS, a) - rank(GROUPS, b)))
  },
}

/** What is not in the list comes last. */
function rank(list: readonly string[], word: string): number {
  const at = list.indexOf(word)
  return at === -1 ? list.length : at
}
