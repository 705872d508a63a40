import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import type { Command } from 'commander'
import { describe, expect, it } from 'vitest'
import { NOUNS } from '../../src/nouns.generated.ts'
import { allOperations } from '../../src/registry.ts'
import { createProgram, runCli } from '../../src/surfaces/cli/cli.ts'
import { commandFlagsOf } from '../../src/surfaces/cli/input/flags.ts'
import { exampleOf } from '../../src/surfaces/cli/help/help.ts'
import { addOperation } from '../../src/surfaces/cli/operation-command.ts'
import { addProcessCommands } from '../../src/surfaces/cli/process-commands.ts'
import { PROCESS_COMMANDS } from '../../src/surfaces/process-words.ts'
import { shell } from './shell.ts'
import { createTestTerminal } from './test-terminal.ts'

const terminal = createTestTerminal('.')
const operations = await allOperations()
const program = createProgram(terminal)
addProcessCommands(program, terminal, { exitCode: 0 })
for (const operation of operations) addOperation(program, operation, terminal, { isNamed: true })

const commands = allCommands(program).filter((command) => command.name() !== 'complete')

function allCommands(command: Command): readonly Command[] {
  return command.commands.flatMap((each) => [each, ...allCommands(each)])
}

/** The words of a command as a shell passes them, without the program's name. */
function wordsOf(example: string): readonly string[] {
  const words = example.match(/'[^']*'|"[^"]*"|\S+/g) ?? []
  return words.slice(1).map((word) => word.replace(/^(['"])(.*)\1$/, '$2'))
}

function pathOf(command: Command): string {
  const above = command.parent
  return above === null || above === program ? command.name() : `${pathOf(above)} ${command.name()}`
}

describe('every --help', () => {
  it('ends with one example of the very command', async () => {
    for (const command of commands) {
      const path = pathOf(command)
      const help = createTestTerminal('.')
      expect(await runCli([...path.split(' '), '--help'], help), path).toBe(0)
      const [, example = ''] = /\nExample:\n {2}(.+)\n*$/.exec(help.output.out) ?? []
      expect(example, path).toBe(exampleOf(command))
      expect(`${example} `, path).toContain(`waymark ${path} `)
    }
  })

  it('has an example that runs without a usage error', async () => {
    const project = await shell()
    mkdirSync(`${project.directory}/build`)
    writeFileSync(`${project.directory}/build/report.html`, '<p>Report</p>')
    execFileSync('git', ['remote', 'add', 'origin', '../origin'], { cwd: project.directory })
    await project.run('add note first')
    const examples = new Set(commands.map((command) => exampleOf(command) ?? ''))
    const refused: string[] = []
    for (const example of examples) {
      const words = wordsOf(example)
      if (PROCESS_COMMANDS.has(words[0] ?? '')) continue
      const { err } = await project.run([...words, '--json'], { confirm: async () => true })
      if (/"code":"(?:invalid_input|internal)"/.test(err)) refused.push(`${example}: ${err}`)
    }
    expect(refused).toEqual([])
  })

  it('has an example that the parser accepts for each process command', async () => {
    for (const command of commands) {
      const words = wordsOf(exampleOf(command) ?? '')
      if (!PROCESS_COMMANDS.has(words[0] ?? '')) continue
      let called = ''
      const parsed = createProgram(terminal)
      addProcessCommands(parsed, terminal, { exitCode: 0 })
      for (const each of allCommands(parsed)) each.action(() => void (called = each.name()))
      await parsed.parseAsync([...words], { from: 'user' })
      expect(words, exampleOf(command)).toContain(called)
    }
  })
})

describe('the help of a noun', () => {
  it('shows the options of the command that runs without a verb, and names it [help-default-command]', async () => {
    for (const { name, defaultVerb } of NOUNS) {
      const operation = operations.find((each) => each.name === `${name}.${defaultVerb}`)
      if (operation === undefined) continue
      const { output, ...help } = createTestTerminal('.')
      expect(await runCli([name, '--help'], { ...help, columns: 300 }), name).toBe(0)
      expect(output.out, name).toContain(`Without a command it is \`${name} ${defaultVerb}\`: `)
      const shown = commandFlagsOf(operation).filter(({ name }) => name !== 'agent-id')
      const flags = shown.filter(({ path: [field = ''] }) => !operation.positional?.includes(field))
      for (const flag of flags) {
        expect(output.out, name).toContain(`--${flag.isOnByDefault ? 'no-' : ''}${flag.name}`)
      }
      for (const field of operation.positional ?? []) expect(output.out).toContain(`[${field}]`)
    }
  })

  it('lists verbs in the order of work, and fields in the order of the schema', async () => {
    const help = createTestTerminal('.')
    await runCli(['task', '--help'], help)
    const verbs = [...help.output.out.matchAll(/^ {2}([a-z-]+) {2,}/gm)].map(([, verb]) => verb)
    const some = ['list', 'ready', 'get', 'create', 'claim', 'complete', 'delete', 'import']
    expect(verbs.filter((verb) => some.includes(verb ?? ''))).toEqual(some)
    const options = createTestTerminal('.')
    await runCli(['task', 'create', '--help'], options)
    const { out } = options.output
    expect(out.indexOf('--content')).toBeLessThan(out.indexOf('--status'))
    expect(out).not.toContain('--agent-id')
  })
})

it('says what each --no- flag does', () => {
  for (const operation of operations) {
    for (const { name, isOnByDefault, hasOpposite, offText } of commandFlagsOf(operation)) {
      const canBeOff = isOnByDefault === true || hasOpposite === true
      expect(offText !== undefined, `${operation.name} --no-${name}`).toBe(canBeOff)
    }
  }
})
