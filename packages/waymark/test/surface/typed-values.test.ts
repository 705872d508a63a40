import { describe, expect, it } from 'vitest'
import { runCli } from '../../src/surfaces/cli/cli.ts'
import { setup } from '../setup.ts'
import { createTestTerminal } from './test-terminal.ts'

/** A project with two tasks and a way to type commands there. */
async function shell() {
  const project = await setup()
  const run = async (...words: string[]) => {
    const terminal = createTestTerminal(project.directory)
    const exit = await runCli(words, terminal)
    return { exit, ...terminal.output }
  }
  const json = async (...words: string[]) => {
    const { exit, out, err } = await run(...words, '--json')
    expect([exit, err]).toEqual([0, ''])
    return JSON.parse(out) as Record<string, unknown>
  }
  await run('task', 'add', 'Build')
  await run('task', 'add', 'Paint')
  return { ...project, run, json }
}

describe('a value that may be missing', () => {
  it('is written as it is, whatever it looks like', async () => {
    await using sh = await shell()
    expect(await sh.json('task', 'defer', '2', '2099-01-01T00:00:00Z')).toMatchObject({
      task: { defer_until: '2099-01-01T00:00:00Z' },
    })
    const update = ['--content', 'As told', '--assignee', '12', '--parent', '1', '--key', '2026']
    expect(await sh.json('task', 'update', '2', ...update)).toMatchObject({
      task: { content: 'As told', assignee: '12', key: '2026', parents: [{ number: 1 }] },
    })
  })

  it('is taken away by the word null', async () => {
    await using sh = await shell()
    await sh.json('task', 'update', '2', '--assignee', 'ada', '--due-date', '2099-01-01')
    await sh.json('task', 'defer', '2', '2099-01-01')
    await sh.json('task', 'defer', '2', 'null')
    await sh.json('task', 'reschedule', '2', 'null')
    await sh.json('task', 'update', '2', '--assignee', 'null')
    const task = await sh.json('task', 'get', '2')
    for (const name of ['assignee', 'due_date', 'defer_until'])
      expect(task).not.toHaveProperty(name)
  })
})

it('a message may be named as it is printed [message-spelling]', async () => {
  await using sh = await shell()
  await sh.run('message', 'send', 'May I?', '--to', 'owner', '--actor', 'ada')
  expect((await sh.run('inbox')).out).toContain('m1\n')
  for (const words of ['get m1', 'get M1', 'ack --id m1', 'list --after-id m0', 'ack --id 1'])
    expect(await sh.run('message', ...words.split(' ')), words).toMatchObject({ exit: 0, err: '' })
  expect((await sh.json('message', 'get', 'm1'))['body']).toBe('May I?')
  expect(await sh.run('message', 'send', 'Yes', '--reply-to', 'm1')).toMatchObject({ exit: 0 })
  for (const word of ['n1', 'm', '#1', 'm1x'])
    expect(await sh.run('message', 'get', word), word).toMatchObject({
      exit: 2,
      err: 'error: id: must be the number of a message, such as m3\n',
    })
})

describe('a yes or no that may be missing', () => {
  it('can be denied as well as affirmed', async () => {
    await using sh = await shell()
    const update = async (flag: string) => await sh.json('task', 'update', '2', flag)
    expect(await update('--needs-verification')).toMatchObject({ task: { verified: false } })
    expect((await update('--no-needs-verification'))['task']).not.toHaveProperty('verified')
    await sh.json('task', 'complete', '1')
    const titles = async (...words: string[]) =>
      ((await sh.json('task', 'list', ...words))['tasks'] as { title: string }[]).map(
        ({ title }) => title,
      )
    expect(await titles('--resolved')).toEqual(['Build'])
    expect(await titles('--no-resolved')).toEqual(['Paint'])
    expect(await titles('--all')).toHaveLength(2)
    expect((await sh.run('search', 'Paint', '--no-semantic')).exit).toBe(0)
  })

  it('one that has an answer of its own has one flag only', async () => {
    await using sh = await shell()
    const { out } = await sh.run('sync', 'run', '--help')
    expect(out).toMatch(/--no-push .*--dry-run/s)
    expect(out).not.toMatch(/--push|--no-dry-run/)
  })
})

describe('values by name', () => {
  it('are written name=value, and the prompt may be named by its title', async () => {
    await using sh = await shell()
    await sh.run('add', 'prompt', 'Greet All', '--content', 'Say {{what}} to {{whom}}')
    const values = ['--argument', 'what=a=b', '--argument', 'whom=ada']
    expect(await sh.run('prompt', 'render', 'Greet All', ...values)).toMatchObject({
      out: 'Say a=b to ada\n',
    })
    const asJson = ['--argument', '{"what":"hi","whom":"bo"}']
    expect(await sh.run('prompt', 'render', 'greet-all', ...asJson)).toMatchObject({
      out: 'Say hi to bo\n',
    })
    expect(await sh.run('prompt', 'render', 'greet-all', '--argument', 'hi')).toMatchObject({
      exit: 2,
      err: expect.stringContaining('argument: must be written name=value'),
    })
  })
})

describe('a noun alone', () => {
  it.each([
    ['tasks', 'Paint'],
    ['agents', 'no agents'],
    ['messages', 'no messages'],
    ['prompts', 'daily_standup'],
    ['entities', 'Paint'],
    ['searches', 'Paint'],
    ['caches', 'different words'],
    ['project', 'ready: 2'],
  ])('`waymark %s` shows what there is', async (noun, text) => {
    await using sh = await shell()
    expect(await sh.run(noun)).toMatchObject({ exit: 0, out: expect.stringContaining(text) })
  })

  it.each([
    ['task clam 1', 'Did you mean claim?'],
    ['artifact lineag x', 'Did you mean lineage?'],
    ['agent jion ada', 'Did you mean join?'],
  ])('`waymark %s`: a verb that was misspelled is found', async (words, message) => {
    await using sh = await shell()
    expect(await sh.run(...words.split(' '))).toMatchObject({
      exit: 2,
      err: expect.stringContaining(message),
    })
  })
})

it('help speaks of several things as people do', async () => {
  for (const [noun, names] of [
    ['search', 'search|searches '],
    ['entity', 'entity|entities '],
    ['sync', 'sync [options]'],
    ['status', 'status [options]'],
  ] as const) {
    const terminal = createTestTerminal('.')
    await runCli([noun, '--help'], terminal)
    expect(terminal.output.out).toContain(`Usage: waymark ${names}`)
  }
})

it.each([
  ['prompt render none', '`waymark prompt list`'],
  ['artifact show abcd', '`waymark artifact list`'],
  ['message send hi --to nobody', '`waymark agent list`'],
  ['task import beads', 'path: .beads/issues.jsonl is not in the project; name the file'],
])('`waymark %s` says where to look', async (words, hint) => {
  await using sh = await shell()
  expect(await sh.run(...words.split(' '))).toMatchObject({
    exit: 3,
    err: expect.stringContaining(hint),
  })
})
