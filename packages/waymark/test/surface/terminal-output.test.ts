import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import stringWidth from 'string-width'
import { describe, expect, it } from 'vitest'
import { execute } from '../../src/core/execute.ts'
import { createEntity } from '../../src/entity/operations.ts'
import { sendMessage } from '../../src/message/operations.ts'
import { runCli } from '../../src/surfaces/cli/cli.ts'
import { findPager, page } from '../../src/surfaces/terminal/pager.ts'
import { isPast, toStableTime, toTimeWords } from '../../src/support/text/time-words.ts'
import { claimTask } from '../../src/task/lease/operations.ts'
import { createTasks } from '../../src/task/operations.ts'
import { setup } from '../setup.ts'
import { type Options, shell } from './shell.ts'
import { createTestTerminal } from './test-terminal.ts'

describe('times', () => {
  // In the reader's time zone, whichever that is.
  const now = new Date(2026, 10, 15, 14, 30).getTime()
  const at = (...parts: [number, number, number, number, number]) =>
    new Date(...parts).toISOString()

  it('are words on a screen [screen-time-words]', () => {
    for (const [time, words] of [
      [at(2026, 10, 15, 14, 30), 'just now'],
      [at(2026, 10, 15, 14, 27), '3 min ago'],
      [at(2026, 10, 15, 14, 42), 'in 12 min'],
      [at(2026, 10, 15, 9, 5), 'today 09:05'],
      [at(2026, 10, 14, 14, 5), 'yesterday 14:05'],
      [at(2026, 10, 16, 8, 0), 'tomorrow 08:00'],
      [at(2026, 10, 12, 23, 59), '3 days ago'],
      [at(2026, 10, 17, 0, 1), 'in 2 days'],
      [at(2026, 9, 3, 12, 0), '2026-10-03'],
      ['2026-11-15', 'today'],
      ['2026-11-14', 'yesterday'],
      ['2026-11-18', 'in 3 days'],
      ['2027-01-01', '2027-01-01'],
      ['soon', 'soon'],
    ] as const) {
      expect(toTimeWords(time, now)).toBe(words)
    }
    expect(['2026-11-14', '2026-11-15', '2026-11-16'].map((date) => isPast(date, now))).toEqual([
      true,
      false,
      false,
    ])
  })

  it('are ISO 8601 without milliseconds in a pipe, and with them in JSON [pipe-time-iso]', async () => {
    expect(toStableTime('2026-11-15T12:00:00.123Z')).toBe('2026-11-15T12:00:00Z')
    await using sh = await shell()
    await sh.run('add note A')
    expect((await sh.run('get 1')).out).toMatch(/^created: \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ by /m)
    expect((await sh.run('get 1', { interactive: true })).out).toMatch(/^created: just now by /m)
    expect(JSON.parse((await sh.run('get 1 --json')).out).created_at).toMatch(/\.\d{3}Z$/)
  })
})

/** A held task, one that waits for it, one that is overdue, and a message; long, wide and accented titles. */
async function createShop() {
  const project = await setup({ clock: Date.now })
  await execute(project.as('planner'), createTasks, {
    tasks: [
      {
        title: 'Guest checkout for customers without an account, and with an address',
        key: 'CHECKOUT-1',
        priority: 'high',
        labels: ['shop', 'checkout', 'accounts'],
        due_date: '2026-01-05',
      },
      { title: 'Webhooks of the payment provider are retried three times', depends_on: ['1'] },
      { title: '価格と在庫の表示を直して、通貨を選べるようにする、それから注文を確認する' },
      { title: 'Cafe\u0301s with accents '.repeat(5).trim() },
    ],
  })
  await execute(project.as('claude-code-2'), claimTask, { id: '1' })
  const body = 'Which currency is the default? '.repeat(5)
  await execute(project.as('claude-code-2'), sendMessage, { body, task: '1' })
  const run = async (words: string, options: Options = {}) => {
    const terminal = createTestTerminal(project.directory, { interactive: true, ...options })
    const exit = await runCli(words.split(' '), terminal)
    return { exit, ...terminal.output }
  }
  return { ...project, run, [Symbol.asyncDispose]: () => project[Symbol.asyncDispose]() }
}

const SCREENS = [
  'tasks',
  'tasks blocked',
  'list',
  'agents',
  'events',
  'log 1',
  'messages list --no-unread-only',
  'inbox',
  'search checkout',
  'get 1',
  'task get 1',
  'status',
]

it('no line is wider than the screen, and none has an id but for #12 [screen-width]', async () => {
  await using shop = await createShop()
  for (const columns of [80, 60, 40]) {
    for (const words of SCREENS) {
      const { out } = await shop.run(words, { columns })
      for (const line of out.split('\n')) {
        expect([words, columns, line, stringWidth(line) <= columns]).toContain(true)
      }
      expect([words, out]).not.toContainEqual(
        expect.stringMatching(/[0-9a-f]{8}-[0-9a-f]{4}|\([0-9a-f]{7}\)|\bp?(250|500)\b/),
      )
    }
  }
})

it('titles keep half of the screen, the other columns leave from the right [screen-title]', async () => {
  await using shop = await createShop()
  const heads = async (columns: number) =>
    (await shop.run('tasks', { columns })).out.split('\n')[0]?.split(/ {2,}/)
  expect(await heads(200)).toEqual(
    expect.arrayContaining([
      'ID',
      'TITLE',
      'STATUS',
      'HELD BY',
      'PRIORITY',
      'DUE',
      'LABELS',
      'KEY',
    ]),
  )
  expect(await heads(80)).toEqual(['ID', 'TITLE', 'STATUS', 'HELD BY'])
  expect(await heads(40)).toEqual(['ID', 'TITLE', 'STATUS'])
  for (const columns of [80, 60, 40]) {
    const { out } = await shop.run('tasks', { columns })
    const title = /#1 {2}(.*?)…/.exec(out)?.[1] ?? ''
    expect(title.length + 1).toBeGreaterThanOrEqual(columns / 2)
    // Wide and combining characters leave the columns behind them in line.
    const starts = out.split('\n').flatMap((line) => {
      const at = line.search(/ (todo|in_prog)/)
      return at === -1 ? [] : [stringWidth(line.slice(0, at))]
    })
    expect(starts).toHaveLength(4)
    expect(new Set(starts).size).toBe(1)
  }
})

it('who holds a task since when is told by get, priorities have names [screen-holder]', async () => {
  await using shop = await createShop()
  for (const words of ['get 1', 'task get 1']) {
    const { out } = await shop.run(words)
    expect(out).toMatch(
      /^held by: claude-code-2, claimed just now, lease ends in 15 min, fence 1$/m,
    )
    expect(out).toMatch(/^priority: high$/m)
  }
  expect((await shop.run('messages list --no-unread-only')).out).toContain('about #1')
})

it('status, priority and overdue dates have colors, unless they are unwanted [screen-colors]', async () => {
  await using shop = await createShop()
  const colored = await shop.run('tasks', { columns: 200, colors: true })
  expect(colored.out).toContain('\u001b[36min_progress\u001b[39m')
  expect(colored.out).toContain('\u001b[33mhigh\u001b[39m')
  expect(colored.out).toContain('\u001b[31m2026-01-05\u001b[39m')
  expect((await shop.run('tasks', { columns: 200 })).out).not.toContain('\u001b')
})

it('an excerpt and an entry show nothing but what was written [screen-excerpt]', async () => {
  await using shop = await createShop()
  const hash = 'f'.repeat(64)
  await execute(shop.context, createEntity, {
    type: 'task',
    title: 'Imported',
    content: 'survives a restart',
    properties: { external_ref: 'beads:shop-a1b.1', external_hash: hash },
  })
  const found = await shop.run('search survives')
  expect(found.out).toContain('survives a restart')
  for (const out of [found.out, (await shop.run('get 5')).out]) expect(out).not.toContain(hash)
  expect(found.out).not.toContain('beads:')
})

it('status is headed by the name of the project, also in a worktree [screen-project-name]', async () => {
  await using sh = await shell()
  const git = (...args: string[]) => execFileSync('git', ['-C', sh.directory, ...args])
  git('-c', 'user.email=a@b', '-c', 'user.name=a', 'commit', '-qm', 'one', '--allow-empty')
  git('worktree', 'add', '-q', join(sh.directory, 'wt1'))
  const { out } = await sh.run(['-C', join(sh.directory, 'wt1'), 'status'])
  expect(out).toMatch(new RegExp(`^${basename(sh.directory)}: no open tasks`))
})

describe('long lists', () => {
  it('are listed whole with --all, and a limit beyond the page says so [list-all]', async () => {
    await using shop = await createShop()
    const tasks = Array.from({ length: 60 }, (_, at) => ({ title: `Part ${at}` }))
    await execute(shop.as('planner'), createTasks, { tasks })
    for (const [words, rest] of [
      ['list', '50 of 64\n'],
      ['tasks', '50 of 64\n'],
      ['list --all', ''],
      ['tasks --all', ''],
    ] as const) {
      const { out, err } = await shop.run(words, { interactive: false })
      expect([words, out.split('\n').length - 1, err]).toEqual([words, rest === '' ? 64 : 50, rest])
    }
    const json = await shop.run('tasks --all --json', { interactive: false })
    expect(JSON.parse(json.out).tasks).toHaveLength(64)
    const refused = await shop.run('list --limit 300')
    expect(refused).toMatchObject({ exit: 2, out: '' })
    expect(refused.err).toContain('waymark list --all')
  })

  it('are read in the pager, unless it is unwanted, fails, or there is no person [pager]', async () => {
    await using shop = await createShop()
    const paged: string[] = []
    const options = { rows: 3, page: async (text: string) => paged.push(text) > 0 }
    expect((await shop.run('list', options)).out).toBe('')
    expect(paged[0]).toMatch(/^ID {2}TITLE/)
    for (const [words, more] of [
      ['list --no-pager', {}],
      ['list', { rows: 24 }],
      ['list', { interactive: false }],
      ['list', { page: async () => false }],
    ] as const) {
      expect((await shop.run(words, { ...options, ...more })).out).toContain('Webhooks')
    }
    expect(paged).toHaveLength(1)
  })
})

describe('the pager', () => {
  it('is named by the environment alone, and not by a relative path [pager-choice]', async () => {
    await using sh = await shell()
    const bin = join(sh.directory, 'bin')
    mkdirSync(bin)
    for (const name of ['less', 'most']) {
      writeFileSync(join(bin, name), '')
      chmodSync(join(bin, name), 0o755)
    }
    const env = { PATH: bin }
    expect(findPager(env)).toEqual([join(bin, 'less'), '-FRX'])
    expect(findPager({ ...env, PAGER: 'most -c "a b"' })).toEqual([join(bin, 'most'), '-c', 'a b'])
    expect(findPager({ ...env, PAGER: 'most', WAYMARK_PAGER: 'less' })).toEqual([join(bin, 'less')])
    for (const more of [
      { PAGER: '' },
      { PAGER: 'cat' },
      { PAGER: 'absent' },
      { PAGER: './bin/less' },
      { PATH: 'bin' },
      { TERM: 'dumb' },
      { CLAUDECODE: '1' },
    ]) {
      expect([more, findPager({ ...env, ...more })]).toEqual([more, undefined])
    }
  })

  it('that fails shows nothing, one that quits early has shown enough [pager-failure]', async () => {
    const node = `"${process.execPath}"`
    const run = (script: string) => page('x\n'.repeat(100_000), { PAGER: `${node} -e ${script}` })
    expect(await run('process.exit(1)')).toBe(false)
    expect(await run('process.exit(0)')).toBe(true)
    expect(await page('x', { PAGER: '/absent/pager' })).toBe(false)
    expect(await page('x', { PAGER: 'an "open quote' })).toBe(false)
  })
})

it('a deletion is asked for by number and title, and may be refused [delete-question]', async () => {
  await using shop = await createShop()
  const asked: string[] = []
  const confirm = async (question: string) => asked.push(question) < 0
  const oneLine = (text = '') => text.replaceAll(/\s+/g, ' ')
  for (const words of ['delete 2', 'task delete #2', 'purge 2']) {
    expect(await shop.run(words, { confirm })).toMatchObject({ exit: 130, out: '' })
  }
  expect(asked.map(oneLine)).toEqual([
    expect.stringMatching(/^Delete an entity.*: #2 Webhooks of the payment .* times\?$/),
    expect.stringMatching(/: #2 Webhooks of the payment .* times\?$/),
    expect.stringMatching(/^Erase an entity for good.*: #2 Webhooks of the payment .* times\?$/),
  ])
  await shop.run('purge 2', { confirm, interactive: true, columns: 60 })
  const narrow = asked.pop() ?? ''
  expect(oneLine(narrow)).toBe(oneLine(asked[2]))
  const widths = narrow.split('\n').map((line) => line.length)
  expect(Math.max(...widths)).toBeLessThan(60 - ' [y/N] '.length)
  expect((await shop.run('get 2')).exit).toBe(0)
  expect((await shop.run('delete 99', { confirm })).exit).toBe(3)
  expect(asked).toHaveLength(3)
})
