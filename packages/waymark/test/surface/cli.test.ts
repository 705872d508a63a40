import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { runCli } from '../../src/surfaces/cli/cli.ts'
import { createRepository } from '../setup.ts'
import { type Options, shell } from './shell.ts'
import { createTestTerminal } from './test-terminal.ts'

describe('init', () => {
  it('says what to do next, and that it has nothing to do the second time', async () => {
    await using repository = createRepository()
    const first = createTestTerminal(repository.directory)
    expect(await runCli(['init'], first)).toBe(0)
    expect(first.output.out).toContain('waymark add decision')
    const second = createTestTerminal(repository.directory)
    expect(await runCli(['init', '--json'], second)).toBe(0)
    expect(JSON.parse(second.output.out)).toMatchObject({ created: false })
  })

  it('works outside Git too, and keeps its state in .waymark', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'waymark-test-'))
    const terminal = createTestTerminal(directory)
    expect(await runCli(['init', '--json'], terminal)).toBe(0)
    expect(JSON.parse(terminal.output.out)).toMatchObject({
      state: join(directory, '.waymark', 'state'),
    })
    expect(await runCli(['add', 'note', 'Here'], createTestTerminal(directory))).toBe(0)
    rmSync(directory, { recursive: true })
  })

  it('a command in a repository without Waymark names the way in and exits with 5', async () => {
    await using repository = createRepository()
    const terminal = createTestTerminal(repository.directory)
    expect(await runCli(['list'], terminal)).toBe(5)
    expect(terminal.output).toMatchObject({ out: '', err: expect.stringContaining('waymark init') })
  })
})

describe('everyday commands', () => {
  it('what is added can be listed, shown, changed and deleted', async () => {
    await using sh = await shell()
    const added = await sh.run([
      'add',
      'decision',
      'Use SQLite',
      '--status',
      'accepted',
      '-t',
      'db',
      '--tag',
      'core',
    ])
    expect(added).toMatchObject({ exit: 0, err: '' })
    expect(added.out).toMatch(/^#1 decision: Use SQLite\n/)
    expect(added.out).toContain('created: ')
    expect(added.out).toContain(' by Test Author')
    expect((await sh.run('list decisions')).out).toBe(
      '#1\tUse SQLite\tdecision\taccepted\tdb, core\n',
    )
    expect((await sh.run('get 1')).out).toContain('tags: db, core')
    await sh.run([
      'update',
      '1',
      '--title',
      'Use SQLite 3',
      '--remove-tag',
      'core',
      '--status',
      'deprecated',
    ])
    const shown = JSON.parse((await sh.run('get 1 --json')).out)
    expect(shown).toMatchObject({
      title: 'Use SQLite 3',
      tags: ['db'],
      properties: { status: 'deprecated' },
    })
    expect((await sh.run('delete 1 --force')).out).toMatch(/^deleted decision #1 /)
    expect((await sh.run('list')).out).toBe('nothing found\n')
  })

  it('every type and every property has its flag', async () => {
    await using sh = await shell()
    const json = async (words: readonly string[]) =>
      JSON.parse((await sh.run([...words, '--json'])).out)
    const decision = [
      'add',
      'decision',
      'D',
      '--context',
      'c',
      '--consequence',
      'a',
      '--consequence',
      'b',
    ]
    expect(await json(decision)).toMatchObject({
      properties: { context: 'c', consequences: ['a', 'b'] },
    })
    const task = [
      'add',
      'task',
      'T',
      '--priority',
      'urgent',
      '--due-date',
      '2026-12-01',
      '--assignee',
      'kim',
    ]
    expect(await json(task)).toMatchObject({
      properties: { priority: 0, due_date: '2026-12-01', assignee: 'kim' },
    })
    expect(await json(['add', 'task', 'T', '--priority', '33'])).toMatchObject({
      properties: { priority: 33 },
    })
    expect(await json(['add', 'note', 'N', '--note-type', 'idea'])).toMatchObject({
      properties: { note_type: 'idea' },
    })
    const prompt = [
      'add',
      'prompt',
      'P',
      '--template',
      'Hi {{name}}',
      '--variable',
      'name',
      '--output-schema',
      '{}',
    ]
    expect(await json(prompt)).toMatchObject({
      properties: { variables: ['name'], output_schema: '{}' },
    })
    const component = [
      'add',
      'component',
      'C',
      '--component-type',
      'library',
      '--owner',
      'kim',
      '--status',
      'planned',
    ]
    expect(await json(component)).toMatchObject({
      properties: { component_type: 'library', status: 'planned' },
    })
    const link = ['add', 'link', 'L', '--url', 'https://example.org/', '--link-type', 'docs']
    expect(await json(link)).toMatchObject({
      properties: { url: 'https://example.org/', link_type: 'docs' },
    })
  })

  it('content can come from standard input', async () => {
    await using sh = await shell()
    await sh.run('add note Long --stdin', { stdin: '# Heading\n\ttext\n' })
    expect(JSON.parse((await sh.run('get 1 --json')).out)).toMatchObject({
      content: '# Heading\n\ttext\n',
    })
  })

  it('lines of content may end as on Windows', async () => {
    await using sh = await shell()
    await sh.run('add note Long --stdin', { stdin: 'one\r\ntwo\r\n' })
    expect((await sh.run('get 1')).out).toMatch(/\n\n {2}one\n {2}two\n/)
  })

  it('content can be written in an editor, starting from what is there', async () => {
    await using sh = await shell()
    await sh.run('add note Draft --edit', { edit: async (text) => `${text}first line\n` })
    await sh.run('update 1 -e', { edit: async (text) => `${text}second line\n` })
    expect(JSON.parse((await sh.run('get 1 --json')).out)).toMatchObject({
      content: 'first line\nsecond line\n',
    })
    expect(await sh.run('update 1 -e', { edit: async (text) => text })).toMatchObject({ exit: 130 })
  })

  it('in an editor a task named by its key has its own text, not that of an id that looks alike', async () => {
    await using sh = await shell()
    const note = JSON.parse((await sh.run('add note Other --content other --json')).out) as {
      id: string
    }
    // As a key, the first characters of an id are not yet enough to be shown as one.
    const key = note.id.slice(0, 4).replace(/^\d+$/, 'store')
    await sh.run(['task', 'add', 'Write', '--key', key, '--content', 'mine'])
    const shown: string[] = []
    const edit = async (text: string) => {
      shown.push(text)
      return `${text}, changed`
    }
    expect(await sh.run(['task', 'update', key, '--edit'], { edit })).toMatchObject({ exit: 0 })
    expect(shown).toEqual(['mine'])
    expect((await sh.run(['task', 'get', key])).out).toContain('mine, changed')
    expect((await sh.run('get 1')).out).not.toContain('changed')
    expect(await sh.run('update 1 -e')).toMatchObject({
      exit: 2,
      err: expect.stringContaining('EDITOR'),
    })
  })

  it('all fields can come as one JSON object, and flags beside it win', async () => {
    await using sh = await shell()
    const input = JSON.stringify({
      type: 'task',
      title: 'From JSON',
      tags: ['a'],
      properties: { priority: 'low' },
    })
    const made = JSON.parse((await sh.run(['add', '--input', input, '--json'])).out)
    expect(made).toMatchObject({ title: 'From JSON', tags: ['a'], properties: { priority: 750 } })
    const piped = await sh.run(['add', '--input', '-', '--tag', 'b', '--json'], { stdin: input })
    expect(JSON.parse(piped.out)).toMatchObject({ title: 'From JSON', tags: ['b'] })
    expect(await sh.run(['add', '--input', '{'])).toMatchObject({
      exit: 2,
      err: expect.stringContaining('input: must be JSON'),
    })
    expect(await sh.run(['add', '--input', '[]'])).toMatchObject({
      exit: 2,
      err: expect.stringContaining('must be a JSON object'),
    })
  })

  it('relations are added, listed and removed', async () => {
    await using sh = await shell()
    await sh.run('add decision D')
    await sh.run('add task T -r implements:1')
    expect((await sh.run('relation list 1')).out).toBe('#2 T\timplements\t#1 D\n')
    expect((await sh.run('relation add 1 2 --type references')).out).toMatch(/^added: /)
    expect((await sh.run('relations create 1 2 --type references')).out).toMatch(/^already there: /)
    expect((await sh.run('relation delete 1 2 --type references -f')).out).toMatch(/^removed: /)
  })

  it('the name beside a change is --actor, else WAYMARK_ACTOR, else what git knows', async () => {
    await using sh = await shell()
    const author = async (words: string, options: Options = {}) =>
      JSON.parse((await sh.run(`${words} --json`, options)).out).created_by
    expect(await author('add note A')).toBe('Test Author')
    expect(await author('add note A', { env: { WAYMARK_ACTOR: 'robot' } })).toBe('robot')
    expect(await author('--actor kim add note A', { env: { WAYMARK_ACTOR: 'robot' } })).toBe('kim')
  })

  it('-C works in another folder', async () => {
    await using sh = await shell()
    await sh.run('add note Here')
    const elsewhere = createTestTerminal(tmpdir())
    expect(await runCli(['-C', sh.directory, 'list'], elsewhere)).toBe(0)
    expect(elsewhere.output.out).toContain('Here')
  })
})

describe('deleting', () => {
  it('asks, and does nothing without a yes', async () => {
    await using sh = await shell()
    await sh.run('add note Keep')
    expect(await sh.run('delete 1')).toMatchObject({
      exit: 2,
      err: expect.stringContaining('--force'),
    })
    expect(await sh.run('delete 1', { confirm: async () => false })).toMatchObject({ exit: 130 })
    expect((await sh.run('list')).out).toContain('Keep')
    expect(await sh.run('delete 1', { confirm: async () => true })).toMatchObject({ exit: 0 })
  })
})

describe('help', () => {
  it('the overview lists everyday commands and nouns', async () => {
    await using sh = await shell()
    const { exit, out } = await sh.run('--help')
    expect(exit).toBe(0)
    for (const word of [
      'init',
      'serve',
      'add',
      'list',
      'get',
      'update',
      'delete',
      'status',
      'entity',
      'relation',
    ]) {
      expect(out).toContain(word)
    }
    expect(out).toMatch(/Everyday:\n {2}status[^]*Set up and serve:\n {2}init[^]*by noun:/)
    expect((await sh.run('task --help')).out).toMatch(/\nCommands:\n {2}list/)
  })

  it.each(['add --help', 'help add', 'entity create --help'])(
    '`waymark %s` shows flags from the schema',
    async (words) => {
      await using sh = await shell()
      const { out } = await sh.run(words, { columns: 200 })
      expect(out).toContain('<type> <title>')
      expect(out).toContain('--due-date <date>')
      expect(out).toContain('-t, --tag <text>')
      expect(out).toContain('decision: proposed | accepted | deprecated | superseded')
    },
  )
})

describe('tables', () => {
  it('fit the screen of a person and are whole in a pipe', async () => {
    await using sh = await shell()
    await sh.run(['add', 'note', `A very long title ${'that goes on '.repeat(10)}`, '-t', 'wide'])
    await sh.run(['add', 'note', '日本語のタイトル'])
    const { out } = await sh.run('list', { interactive: true, columns: 60 })
    const lines = out.trimEnd().split('\n')
    expect(lines[0]).toMatch(/^ID\s+TITLE\s+TYPE\s+STATUS\s+TAGS$/)
    expect(lines[1]).toMatch(/…\s+note\s+wide$/)
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(60)
    expect((await sh.run('list')).out).toContain('that goes on that goes on '.repeat(4))
  })

  it('show control and bidirectional characters instead of obeying them', async () => {
    await using sh = await shell()
    await sh.run(['add', 'note', 'red \u001b[31m and \u202e backwards'])
    for (const words of ['list', 'get 1']) {
      const { out } = await sh.run(words, { interactive: true, columns: 200 })
      expect(out).toContain('red \\u{1b}[31m and \\u{202e} backwards')
    }
  })

  it('tell how many there are beyond the page', async () => {
    await using sh = await shell()
    for (const title of ['A', 'B', 'C']) await sh.run(['add', 'note', title])
    const page = await sh.run('list -n 2')
    expect(page).toMatchObject({ out: '#1\tA\tnote\t\t\n#2\tB\tnote\t\t\n', err: '2 of 3\n' })
    expect((await sh.run('list', { interactive: true })).err).toBe('')
    expect((await sh.run('list --offset 9')).out).toBe('nothing at this offset; 3 in all\n')
  })
})

describe('words', () => {
  it('the value of an option is not taken for a verb', async () => {
    await using test = await shell()
    await test.run('task add Ready --label ready')
    expect((await test.run('task --label ready')).out).toContain('Ready')
    expect((await test.run('search --type task ready')).out).toContain('Ready')
    expect((await test.run('task --status blocked')).out).toBe('no tasks\n')
  })

  it('help of a verb is its own, help of a noun lists all', async () => {
    await using test = await shell()
    expect((await test.run('help task claim')).out).toContain('Usage: waymark task claim')
    expect((await test.run('task --help')).out).toMatch(/ claim [^]* complete /)
  })

  it('a name with control characters in an error is shown, not obeyed', async () => {
    await using test = await shell()
    await test.run('task add Paint')
    await test.run(['task', 'claim', '1', '--actor', 'e\u001b]0;vil\u0007'])
    const { err } = await test.run('task claim 1 --actor bo')
    expect(err).toContain('held by "e\\u{1b}]0;vil')
    expect(err).not.toContain('\u001b')
  })

  it('msg is short for message, and events alone lists them', async () => {
    await using project = await shell()
    await project.run('agent join ann --actor ann')
    const { exit } = await project.run(['msg', 'send', 'Hello', '--actor', 'bob'])
    expect(exit).toBe(0)
    const { out } = await project.run('msg list --actor ann --json')
    expect(JSON.parse(out)).toMatchObject({ messages: [{ body: 'Hello' }] })
    expect((await project.run('msg --help')).out).toContain('thread')
    expect(JSON.parse((await project.run('events --json')).out)).toMatchObject({
      events: [{ type: 'agent.joined' }, { type: 'agent.joined' }, { type: 'message.sent' }],
    })
    expect(JSON.parse((await project.run('event 2 --json')).out).events).toHaveLength(1)
  })

  it.each(['constructor', 'toString', '__proto__'])('%s is no command', async (word) => {
    await using project = await shell()
    expect((await project.run(word)).exit).toBe(2)
  })
})

it('a finished task says whether it was verified, if it needs that', async () => {
  await using sh = await shell()
  await sh.run('task add A --needs-verification')
  await sh.run('task add B')
  for (const id of [1, 2]) await sh.run(`task complete ${id}`)
  const head = async (id: number) => (await sh.run(`task get ${id}`)).out.split('\n')[0]
  expect([await head(1), await head(2)]).toEqual(['#1 done, not verified: A', '#2 done: B'])
  await sh.run('task verify 1')
  expect(await head(1)).toBe('#1 done, verified: A')
})
