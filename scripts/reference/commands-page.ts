import { allOperations } from '../../packages/waymark/src/registry.ts'
import { createProgram } from '../../packages/waymark/src/surfaces/cli/cli.ts'
import { exampleOf } from '../../packages/waymark/src/surfaces/cli/help/help.ts'
import { addOperation } from '../../packages/waymark/src/surfaces/cli/operation-command.ts'
import { addProcessCommands } from '../../packages/waymark/src/surfaces/cli/process-commands.ts'
import { addHostHooks } from '../../packages/waymark/src/surfaces/hook/hook-options.ts'
import { processTerminal } from '../../packages/waymark/src/surfaces/terminal/terminal.ts'
import { NOUNS } from '../../packages/waymark/src/nouns.generated.ts'
import { DATE_FORMS, TIME_FORMS } from '../../packages/waymark/src/support/text/relative-time.ts'
import { ALIASES } from '../../packages/waymark/src/surfaces/aliases.ts'
import { SHORTCUTS } from '../../packages/waymark/src/surfaces/words.ts'
import { plainCell } from './plain-cell.ts'

type Command = ReturnType<typeof createProgram>

/** Offered by every operation, so said once. */
const COMMON_OPTION = '--input'

/** The page about commands, from the very objects that parse the command line. */
export async function commandsPage(): Promise<string> {
  const terminal = processTerminal()
  const program = createProgram(terminal)
  addProcessCommands(program, terminal, { exitCode: 0 })
  const ofProcess = program.commands.map((command) => command.name())
  for (const operation of await allOperations())
    addOperation(program, operation, terminal, { isNamed: true })
  for (const group of program.commands.filter((command) => command.name() === 'hook'))
    addHostHooks(group, terminal)
  const groups = program
    .createHelp()
    .visibleCommands(program)
    .filter((command) => command.name() !== 'help' && !Object.hasOwn(SHORTCUTS, command.name()))
  const about = groups.filter((command) => ofProcess.includes(command.name()))
  const byNoun = groups.filter((command) => !ofProcess.includes(command.name()))
  return `${[
    '# Commands',
    'Made by `npm run generate` from the definitions that parse the command line; do not edit it by hand.',
    '## Options of every command',
    optionTable(program),
    `Commands for what is stored, those below a noun, also take \`${COMMON_OPTION} <json>\`: all fields as one JSON object, \`-\` reads it from standard input. A noun may be written in the plural: \`waymark tasks claim 2\`. An argument that may be left out may be given by its name as well: \`waymark events --since 5\` is \`waymark events 5\`. Programs that act for several agents pass \`--agent-id <id>\` to commands of tasks and messages.`,
    `A \`<date>\` is ${DATE_FORMS}. A \`<time>\` is ${TIME_FORMS}. Days and times of day are local; what is stored, \`--input\`, MCP and HTTP have ISO 8601. \`--due\` is \`--due-date\`, \`--defer\` is \`--defer-until\`, and \`--tag\` and \`--label\` are one.`,
    '## What is printed',
    'On a terminal, times are words in your time zone (`3 min ago`, `yesterday 14:05`, `in 2 days`), tables and lines fit the width, titles are cut last, and output that is longer than the screen opens in the pager. In a pipe, rows are whole and separated by tabs, and times are in UTC as `2026-11-15T12:00:00Z`. Either way an entry is named `#12`, which every command takes as well as `12`; counts such as `50 of 200` go to standard error. `--json` has ids in full and times with milliseconds.',
    '## Short forms',
    shortForms(),
    '## Words of other tools',
    'A `<word>` is put in its place; other arguments follow the command as they were given.',
    otherWords(),
    '## The process and its project',
    ...about.flatMap(describeGroup),
    ...byNoun.flatMap((group) => [
      `## ${group.name()}`,
      `${group.description()}.`,
      ...describeGroup(group),
    ]),
  ].join('\n\n')}\n`
}

function shortForms(): string {
  const words = [
    ...Object.entries(SHORTCUTS),
    ...NOUNS.flatMap(({ name, defaultVerb }) =>
      defaultVerb === undefined ? [] : [[name, `${name}.${defaultVerb}`] as const],
    ),
  ]
  const rows = words.map(
    ([word, name]) =>
      `| \`waymark ${word}\` | \`waymark ${name.replace('.', ' ').replaceAll('_', '-')}\` |`,
  )
  return ['| command | short for |', '|---|---|', ...rows].join('\n')
}

function otherWords(): string {
  const rows = Object.entries(ALIASES).map(
    ([usage, meaning]) => `| \`waymark ${usage}\` | \`waymark ${meaning}\` |`,
  )
  return ['| command | same as |', '|---|---|', ...rows].join('\n')
}

function describeGroup(group: Command): readonly string[] {
  return group.commands.length === 0 ? [describe(group, '')] : group.commands.map(describeIn(group))
}

function describeIn(group: Command): (command: Command) => string {
  return (command) => describe(command, `${group.name()} `)
}

function describe(command: Command, group: string): string {
  const words = command.usage().replace(/^\[options\] ?/, '')
  const aliases = command.aliases().map((alias) => `\`${group}${alias}\``)
  return [
    `### \`waymark ${group}${command.name()}${words === '' ? '' : ` ${words}`}\``,
    `${command.description()}.${aliases.length === 0 ? '' : ` Also ${aliases.join(', ')}.`}`,
    optionTable(command),
    `Example: \`${exampleOf(command) ?? ''}\``,
  ]
    .filter((part) => part !== '')
    .join('\n\n')
}

function optionTable(command: Command): string {
  const { registeredArguments, options } = command
  const rows = [
    ...registeredArguments.map(
      (argument) => `| ${argument.name()} | ${plainCell(argument.description)} |`,
    ),
    ...options
      .filter(({ long, hidden }) => long !== COMMON_OPTION && !hidden)
      .map((option) => `| \`${option.flags}\` | ${plainCell(textOf(option))} |`),
  ]
  return rows.length === 0 ? '' : ['| argument | |', '|---|---|', ...rows].join('\n')
}

function textOf({ description, argChoices, defaultValue }: Command['options'][number]): string {
  const choices = argChoices === undefined ? '' : ` (${argChoices.join(', ')})`
  const start = typeof defaultValue === 'string' ? ` (default: ${defaultValue})` : ''
  return `${description}${choices}${start}`
}
