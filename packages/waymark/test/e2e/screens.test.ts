import { spawn, spawnSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { execute } from '../../src/core/execute.ts'
import { sendMessage } from '../../src/message/operations.ts'
import { createContext } from '../../src/core/context.ts'
import { openProject } from '../../src/core/project/project.ts'
import { SILENT } from '../../src/support/logger.ts'
import { claimTask } from '../../src/task/lease/operations.ts'
import { createTasks } from '../../src/task/operations.ts'
import { createProject, type Workspace } from '../setup.ts'
import { WAYMARK } from './binary.ts'

/** `script` of util-linux runs a command in a pseudo-terminal; that of other systems has other options. */
const HAS_TERMINAL = process.platform === 'linux' && spawnSync('script', ['--version']).status === 0

const SIZES = [
  [80, 24],
  [60, 24],
] as const

/** Twelve tasks, one of them held, with a message about it. */
async function createBusyProject(): Promise<Workspace> {
  const repository = await createProject()
  await using project = await openProject(repository.directory)
  const as = (name: string) =>
    createContext({ store: project.store, agent: { name, surface: 'api' }, logger: SILENT })
  await execute(as('planner'), createTasks, {
    tasks: [
      { title: 'Guest checkout for customers without an account', key: 'epic', labels: ['shop'] },
      ...Array.from({ length: 11 }, (_, n) => ({
        title: `Part ${n + 1} of the guest checkout, with a title of some length`,
        parent: 'epic',
        ...(n > 7 && { depends_on: ['2'] }),
      })),
    ],
  })
  await execute(as('ada'), claimTask, { id: '2' })
  await execute(as('ada'), sendMessage, { body: 'Which currency is the default?' })
  return repository
}

interface Typing {
  /** What is typed, once `until` is seen. */
  readonly keys?: string
  readonly until?: string
  readonly env?: Readonly<Record<string, string>>
}

/** Runs a command in a terminal of this size and answers what it printed. */
async function inTerminal(
  words: string,
  cwd: string,
  [columns, rows]: readonly [number, number],
  { until, keys, env = { PAGER: '' } }: Typing = {},
): Promise<{ readonly text: string; readonly exit: number | null }> {
  const command = `stty rows ${rows} cols ${columns}; exec "${process.execPath}" "${WAYMARK}" ${words}`
  const child = spawn('script', ['-qfec', command, '/dev/null'], {
    cwd,
    env: { ...process.env, WAYMARK_PAGER: undefined, NO_COLOR: '1', TERM: 'xterm', ...env },
  })
  let text = ''
  child.stdout.on('data', (data: Buffer) => {
    text += data.toString()
    if (until !== undefined && text.includes(until)) child.stdin.end(keys)
  })
  const exit = await new Promise<number | null>((resolve) => child.on('close', resolve))
  return { text: text.replaceAll('\r\n', '\n'), exit }
}

function widest(text: string): number {
  return Math.max(...text.split('\n').map((row) => row.length))
}

it.skipIf(!HAS_TERMINAL).each(SIZES)(
  'in a terminal of %i × %i, status fits its width, and titles get the most of it',
  async (columns, rows) => {
    await using project = await createBusyProject()
    const status = await inTerminal('status', project.directory, [columns, rows])
    expect(status.exit).toBe(0)
    expect(widest(status.text)).toBeLessThanOrEqual(columns)
    expect(status.text).toMatch(/1 in progress, 7 ready, 3 blocked/)
    expect(status.text).toMatch(/#2 +Part 1 of the guest.* ada +\d+ s/)
    expect(status.text).toMatch(/Ready \(5 of 7\)/)
  },
)

it.skipIf(!HAS_TERMINAL).each(SIZES)(
  'in a terminal of %i × %i, tasks and get fit its width, with the title first and times in words [screen-terminal]',
  async (columns, rows) => {
    await using project = await createBusyProject()
    const run = async (words: string) => {
      const { text, exit } = await inTerminal(words, project.directory, [columns, rows])
      expect(exit).toBe(0)
      expect(widest(text)).toBeLessThanOrEqual(columns)
      expect(text).not.toMatch(/\dT\d\d:|[0-9a-f]{8}-[0-9a-f]{4}|A[0-9A-F]{8}/)
      return text
    }
    const tasks = await run('tasks')
    expect(tasks).toMatch(/^ID +TITLE +STATUS +HELD BY/)
    expect(tasks).toMatch(/#1 +Guest checkout for customers/)
    expect(tasks).toMatch(/#2 +Part 1 of the guest.* in_progress +ada( |$)/m)
    const task = await run('get 2')
    expect(task.replaceAll(/\n\s+/g, ' ')).toMatch(
      /^#2 task: Part 1 of the guest checkout, with a title of some length\n/,
    )
    expect(task.replaceAll(/\n\s+/g, ' ')).toMatch(
      /^held by: ada, claimed just now, lease ends in 15 min, fence 1$/m,
    )
  },
)

it.skipIf(!HAS_TERMINAL)(
  'Ctrl-C and Ctrl-D at a question change nothing [screen-ctrl-c]',
  async () => {
    await using project = await createBusyProject()
    for (const keys of ['\u0003', '\u0004']) {
      const { text, exit } = await inTerminal('delete 12', project.directory, [80, 24], {
        until: '[y/N]',
        keys,
      })
      expect(exit).toBe(130)
      expect(text.replaceAll('\n', ' ')).toContain(': #12 Part 11 of the guest checkout')
      expect(text).toContain('nothing was changed')
      expect(text).not.toMatch(/ at .*\.js|AbortError/)
    }
    expect((await inTerminal('get 12', project.directory, [80, 24])).exit).toBe(0)
  },
)

it.skipIf(!HAS_TERMINAL)(
  'long output is read in the pager, and comes whole without one',
  async () => {
    await using project = await createBusyProject()
    const size = [80, 8] as const
    const mark = `"${process.execPath}" -e "process.stdin.on('data', (d) => console.log('PAGED ' + String(d).length))"`
    const paged = await inTerminal('tasks', project.directory, size, { env: { PAGER: mark } })
    expect(paged.text).toMatch(/^PAGED \d+\n$/)
    for (const PAGER of ['absent-pager', 'false']) {
      const { text, exit } = await inTerminal('tasks', project.directory, size, { env: { PAGER } })
      expect([exit, text]).toEqual([0, expect.stringMatching(/^ID +TITLE[^]*#12 +Part 11/)])
    }
  },
)

it.skipIf(!HAS_TERMINAL).each(SIZES)(
  'in a terminal of %i × %i, watch fits it, shows what was said, and ends with q',
  async (columns, rows) => {
    await using project = await createBusyProject()
    const size = [columns, rows] as const
    const { text, exit } = await inTerminal('watch', project.directory, size, {
      until: 'q quit',
      keys: 'q',
    })
    expect(exit).toBe(0)
    const [before, frame = ''] = text.split('\u001b[H\u001b[2J')
    expect(before).toContain('\u001b[?1049h')
    const [screen = '', after] = frame.split('\u001b[?25h')
    expect(after).toContain('\u001b[?1049l')
    expect(screen.split('\n')).toHaveLength(rows)
    expect(widest(screen)).toBeLessThanOrEqual(columns)
    expect(screen).toContain('In progress (1)')
    expect(screen).toContain('to all: Which')
    expect(screen).toMatch(/^\d\d:\d\d {2}ada +claimed #2 Part 1 of/m)
    expect(screen).not.toMatch(/[0-9a-f]{8}-[0-9a-f]{4}|A[0-9A-F]{8}/)
  },
)
