import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { execute } from '../../src/core/execute.ts'
import { joinAgent } from '../../src/agent/operations.ts'
import { createTask } from '../../src/task/operations.ts'
import { runCli } from '../../src/surfaces/cli/cli.ts'
import { SHELLS } from '../../src/surfaces/cli/completion/completion-scripts.ts'
import { WAYMARK } from '../e2e/binary.ts'
import { setupLarge } from '../operations/large-entities.ts'
import { setup } from '../setup.ts'
import { createTestTerminal } from './test-terminal.ts'

async function candidates(directory: string, ...words: string[]): Promise<string[]> {
  const terminal = createTestTerminal(directory)
  expect(await runCli(['complete', '--', ...words], terminal)).toBe(0)
  expect(terminal.output.err).toBe('')
  return terminal.output.out
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => line.split('\t')[0] ?? '')
}

describe('what may come next', () => {
  it('is a command, then a verb, an option, a choice or the number of something', async () => {
    await using project = await setup()
    await execute(project.context, createTask, { title: 'Write the store' })
    const next = (...words: string[]) => candidates(project.directory, ...words)
    expect(await next('')).toEqual(expect.arrayContaining(['add', 'task', 'install', 'status']))
    expect(await next('sto')).toEqual(['store'])
    expect(await next('--d')).toEqual(['--directory'])
    expect(await next('task', 'cl')).toEqual(['claim', 'close'])
    expect(await next('tasks', 'claim', '')).toEqual(['1'])
    expect(await next('task', 'claim', '1', '--sec')).toEqual(['--seconds'])
    expect(await next('add', 'dec')).toEqual(['decision'])
    expect(await next('message', 'send', '--severity', 'b')).toEqual(['blocker'])
    expect(await next('task', 'add', '--due')).toEqual(['--due-date'])
    expect(await next('task', 'complete', '--n')).toEqual([
      '--needs-verification',
      '--no-needs-verification',
      '--no-pager',
    ])
    expect(await next('events', '--si')).toEqual(['--since', '--since-time'])
    expect(await next('task', 'claim', '--i')).toEqual(['--idempotency-key'])
    expect(await next('task', '--stat')).toEqual(['--status'])
    expect(await next('-C', 'task', 'add', 'dec')).toEqual(['decision'])
    expect(await next('get', '""')).toEqual(['1'])
    expect(await next('--actor', '')).toEqual([])
  })

  it('is an alias, and what the command of an alias takes', async () => {
    await using project = await setup()
    await execute(project.context, createTask, { title: 'Write the store' })
    const next = (...words: string[]) => candidates(project.directory, ...words)
    expect(await next('bo')).toEqual(['board'])
    expect(await next('rem')).toEqual(['remember'])
    expect(await next('dep', '')).toEqual(['add', 'rm'])
    expect(await next('note', 'l')).toEqual(['list'])
    expect(await next('done', '')).toEqual(['1'])
    expect(await next('done', '1', '--rea')).toEqual(['--reason'])
    expect(await next('assign', '')).toEqual(['1'])
    expect(await next('assign', '1', '')).toEqual([])
    expect(await next('comment', '1', 'x', '--sev')).toEqual(['--severity'])
  })

  it('is a value that an option or argument may have', async () => {
    await using project = await setup()
    await execute(project.as('ada'), createTask, { title: 'Write the store' })
    await execute(project.as('ada'), joinAgent, {})
    const next = (...words: string[]) => candidates(project.directory, ...words)
    expect(await next('add', 'decision', 'X', '--status', 'acc')).toEqual(['accepted'])
    expect(await next('task', 'add', 'X', '--priority', 'u')).toEqual(['urgent'])
    expect(await next('relation', 'add', '1', '2', '--type', 'impl')).toEqual(['implements'])
    expect(await next('message', 'send', 'x', '--to', '')).toEqual(['owner', 'ada'])
    expect(await next('undo', '')).toEqual(['ada'])
    expect(await next('task', 'add', 'X', '--parent', '')).toEqual(['1'])
    expect(await next('search', '--type', 'dec')).toEqual(['decision'])
    expect(await next('install', 'curs')).toEqual(['cursor'])
    expect(await next('completion', 'f')).toEqual(['fish'])
  })

  it('never carries stored text that a shell would run or a terminal obey [completion-inert-words]', async () => {
    await using project = await setup()
    const title = 'a\u202eb\u001b[31mc\td\ne'
    await execute(project.context, createTask, { title })
    const hostile = [
      '$(id)',
      '`id`',
      'x;id',
      'two words',
      'x\n;id',
      '--force',
      '~root',
      '\u001b[2J',
    ]
    for (const name of ['claude-code', 'ada@example.org', ...hostile]) {
      await execute(project.as(name), joinAgent, {})
    }
    const names = ['ada@example.org', 'claude-code']
    for (const words of [['undo'], ['task', 'update', '1', '--assignee']]) {
      const offered = await candidates(project.directory, ...words, '')
      expect(offered.toSorted()).toEqual(names)
    }
    const terminal = createTestTerminal(project.directory)
    await runCli(['complete', '--', 'task', 'get', ''], terminal)
    expect(terminal.output.out).toBe('1\ttask: a\\u{202e}b\\u{1b}[31mc d e\n')
  })

  it('is the newest first, however large they are', async () => {
    await using project = await setupLarge(40)
    expect(await candidates(project.directory, 'get', '')).toEqual(
      Array.from({ length: 30 }, (_, at) => String(40 - at)),
    )
  })

  it('is nothing where there is nothing, and never an error', async () => {
    await using project = await setup()
    for (const words of [['nonsense', ''], ['task', 'nonsense', ''], [], ['get', 'x']]) {
      expect(Array.isArray(await candidates(project.directory, ...words))).toBe(true)
    }
    expect(await candidates(join(project.directory, '..'), 'task', 'claim', '')).toEqual([])
  })
})

it.each(SHELLS)('%s gets a script that says where it belongs', async (shell) => {
  const terminal = createTestTerminal('.')
  expect(await runCli(['completion', shell], terminal)).toBe(0)
  expect(terminal.output.out).toMatch(/^# .*waymark completion.*\n/)
  expect(terminal.output.out).toContain('waymark complete')
})

/** What somebody types into each shell, and how the answer is had without a person at the keys. */
const TYPED: readonly (readonly [shell: string, script: string])[] = [
  [
    'bash',
    `eval "$(waymark completion bash)"
COMP_WORDS=(waymark task cla); COMP_CWORD=2; _waymark; echo "\${COMPREPLY[*]}"`,
  ],
  [
    'zsh',
    `compdef() {}; _files() { echo files }
_describe() { print -rl -- "\${(@)\${(P)2}%%:*}" }
source <(waymark completion zsh)
words=(waymark task cla); CURRENT=3; _waymark`,
  ],
  ['fish', 'waymark completion fish | source; complete -C "waymark task cla" | cut -f1'],
]

/** Windows has none of them where this would find it. */
function isHere(shell: string): boolean {
  return process.platform !== 'win32' && spawnSync(shell, ['-c', 'exit 0']).status === 0
}

describe.each(TYPED)('%s', (shell, script) => {
  it.skipIf(!isHere(shell))('offers the words that the script asks for', async () => {
    await using project = await setup()
    const bin = join(project.directory, 'bin')
    mkdirSync(bin)
    const command = `#!/bin/sh\nexec "${process.execPath}" "${WAYMARK}" "$@"\n`
    writeFileSync(join(bin, 'waymark'), command, { mode: 0o755 })
    const out = execFileSync(shell, ['-c', script], {
      cwd: project.directory,
      env: {
        ...process.env,
        HOME: project.directory,
        PATH: `${bin}:${process.env['PATH'] ?? ''}`,
      },
      encoding: 'utf8',
    })
    expect(out.trim()).toBe('claim')
  })
})
