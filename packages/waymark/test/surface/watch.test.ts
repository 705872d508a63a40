import { describe, expect, it } from 'vitest'
import { execute } from '../../src/core/execute.ts'
import { sendMessage } from '../../src/message/operations.ts'
import { claimTask } from '../../src/task/lease/operations.ts'
import { completeTask } from '../../src/task/state/operations.ts'
import { createTask, getTask } from '../../src/task/operations.ts'
import type { Terminal } from '../../src/surfaces/terminal/terminal.ts'
import { watch, type WatchOptions } from '../../src/surfaces/watch/watch-command.ts'
import { git } from '../replica/clones.ts'
import { setup } from '../setup.ts'
import { createTestTerminal } from './test-terminal.ts'

/** What is printed, piece by piece, as it is printed. */
function createScreen(
  cwd: string,
  interactive: boolean,
  size: Partial<Pick<Terminal, 'columns' | 'rows'>> = { columns: 200 },
) {
  const printed: string[] = []
  let wake = (): void => {}
  let press = (_key: string): void => {}
  const terminal = createTestTerminal(cwd, {
    ...size,
    interactive,
    listen: ({ key }) => {
      press = key
      return { [Symbol.dispose]: () => {} }
    },
    out: (text) => {
      printed.push(text)
      wake()
    },
  })
  const shows = async (text: string, from = 0): Promise<string> => {
    for (;;) {
      const found = printed.slice(from).find((piece) => piece.includes(text))
      if (found !== undefined) return found
      await new Promise<void>((resolve) => (wake = resolve))
    }
  }
  return { terminal, printed, shows, press: (key: string) => press(key) }
}

async function watching(options: WatchOptions, interactive: boolean) {
  const project = await setup({ clock: Date.now })
  await execute(project.context, createTask, { title: 'Paint' })
  const screen = createScreen(project.directory, interactive)
  const stop = new AbortController()
  const done = watch(options, screen.terminal, stop.signal)
  return { project, screen, stop, done }
}

describe('watch', () => {
  it('in a pipe tells each event in a line, of whatever process, until it is stopped', async () => {
    const { project, screen, stop, done } = await watching({ since: '0' }, false)
    await using _ = project
    expect(await screen.shows('entity.created')).toMatch(
      /^\S+Z\t#1 .*\tentity\.created\ttester\t1\n/,
    )
    await execute(project.as('ann'), claimTask, { id: '1' })
    expect(await screen.shows('task.claimed')).toMatch(/\t#1 .*\ttask\.claimed\tann\t/)
    stop.abort()
    expect(await done).toBe(0)
  })

  it('begins at an event or a time, as people type it [watch-since-time]', async () => {
    for (const since of ['1h ago', 'yesterday', '2020-01-01T00:00:00Z', '0']) {
      const { project, screen, stop, done } = await watching({ since }, false)
      await using _ = project
      expect(await screen.shows('entity.created'), since).toContain('#1')
      stop.abort()
      await done
    }
    const { project, done } = await watching({ since: 'soon' }, false)
    await using _ = project
    await expect(done).rejects.toThrow(
      /^since: must be the number of an event or a time like 2h ago/,
    )
    const later = await watching({ since: 'in 1 hour' }, false)
    await using _later = later.project
    later.stop.abort()
    await later.done
    expect(later.screen.printed.join('')).toBe('')
  })

  it('as JSON for programs, and only of the types that are wanted', async () => {
    const { project, screen, stop, done } = await watching(
      { since: '0', json: true, type: ['task.done'] },
      false,
    )
    await using _ = project
    await execute(project.as('ann'), completeTask, { id: '1' })
    const line = await screen.shows('task.done')
    expect(JSON.parse(line)).toMatchObject({ type: 'task.done', agent: 'ann' })
    expect(screen.printed.join('')).not.toContain('entity.created')
    stop.abort()
    await done
  })

  it.each([
    ['in words', {}, 'older events were dropped'],
    ['as JSON', { json: true }, '{"missed":true}\n'],
  ])('whoever comes too late for some events is told so once, %s', async (_how, form, told) => {
    const project = await setup({ clock: Date.now })
    await using _ = project
    const { store } = project.context
    await store.write(async (tx) => {
      for (let id = 1; id <= 1000; id += 1) {
        // The last one is written after all the others have become too old.
        const at = Date.now() + (id < 1000 ? 0 : 365 * 24 * 60 * 60 * 1000)
        await tx.events.append({ type: 'test.made', subject: 's', at, agent: null, data: {} })
      }
    })
    const screen = createScreen(project.directory, false)
    const stop = new AbortController()
    const done = watch({ since: '1', ...form }, screen.terminal, stop.signal)
    await screen.shows('1000')
    stop.abort()
    await done
    const { err } = screen.terminal.output
    expect(err).toContain(told)
    expect(err.trim().split('\n')).toHaveLength(1)
    expect(screen.printed.join('')).not.toMatch(/missed|dropped/)
  })

  it('on a screen draws where everything stands, anew with each change', async () => {
    const { project, screen, stop, done } = await watching({}, true)
    await using _ = project
    expect(await screen.shows('1 ready')).toContain('Paint')
    await execute(project.as('ann'), claimTask, { id: '1' })
    const drawn = await screen.shows('In progress (1)')
    expect(drawn).toMatch(/#1 {2}Paint {2}ann {2}\d+ s, 14 min left/)
    expect(drawn).toMatch(/\d\d:\d\d {2}ann +claimed #1 Paint/)
    stop.abort()
    await done
  })

  it('on a screen shows the text of messages and the titles of related tasks, no ids', async () => {
    const { project, screen, stop, done } = await watching({}, true)
    await using _ = project
    const ann = project.as('ann')
    await execute(project.as('bo'), createTask, { title: 'Dry', depends_on: ['1'] })
    await execute(project.as('bo'), sendMessage, { body: 'hello' })
    await execute(ann, claimTask, { id: '1' })
    await execute(ann, sendMessage, { body: 'which\ncolour?', to: 'bo' })
    const drawn = await screen.shows('which colour?')
    expect(drawn).toMatch(/ann +message sent +message 2 to bo: which colour\?/)
    expect(drawn).toContain('#1 Paint blocks #2 Dry')
    expect(drawn).not.toMatch(/[0-9a-f]{8}-[0-9a-f]{4}|A[0-9A-F]{8}/)
    stop.abort()
    await done
  })

  it.each([
    [80, 24],
    [60, 24],
    [40, 10],
  ])('on a screen of %i × %i shows every section within it', async (columns, rows) => {
    const project = await setup({ clock: Date.now })
    await using _ = project
    for (let n = 1; n <= 30; n += 1) {
      await execute(project.context, createTask, {
        title: `A task with a title that is rather long, number ${n}`,
        ...(n > 20 && { status: 'blocked' }),
      })
    }
    const screen = createScreen(project.directory, true, { columns, rows })
    const stop = new AbortController()
    const done = watch({}, screen.terminal, stop.signal)
    const drawn = await screen.shows('Lately')
    const lines = drawn.replace('\u001b[H\u001b[2J', '').split('\n')
    expect(lines).toHaveLength(rows)
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(columns)
    expect(lines[0]).toContain(': 20 ready, 10 block')
    expect(drawn).toMatch(/Ready \(\d of 20\)\n#1 /)
    expect(drawn).toMatch(/Blocked \(\d of 10\)\n#21 /)
    expect(lines.at(-1)).toMatch(/^q quit/)
    stop.abort()
    await done
  })

  it.each(['q', 'Q', '\u0003'])('on a screen ends with the key %j', async (key) => {
    const project = await setup({ clock: Date.now })
    await using _ = project
    const screen = createScreen(project.directory, true)
    const done = watch({}, screen.terminal, new AbortController().signal)
    await screen.shows('q quit')
    screen.press('x')
    screen.press(key)
    expect(await done).toBe(0)
    expect(screen.printed.at(-1)).toBe('\u001b[?25h\u001b[?1049l')
  })

  it('a person verifies, takes back and answers on the screen, under the name in Git [watch-acts]', async () => {
    const { project, screen, stop, done } = await watching({}, true)
    await using _ = project
    const ann = project.as('ann')
    await execute(project.context, createTask, { title: 'Dry', needs_verification: true })
    await execute(ann, claimTask, { id: '2' })
    await execute(ann, completeTask, { id: '2' })
    await execute(ann, claimTask, { id: '1' })
    await execute(ann, sendMessage, { body: 'which colour?', to: 'owner' })
    await screen.shows('which colour?  ann')
    const type = async (keys: readonly string[], shown: string) => {
      const from = screen.printed.length
      for (const key of keys) screen.press(key)
      return await screen.shows(shown, from)
    }
    // The question is the first row.
    expect(await type(['j'], '\u001b[7mm1')).toContain('a answer')
    await type(['a', 'blue', ' please'], 'Answer: blue please')
    await type(['\r'], 'answered m1')
    expect(await type(['j', 'k'], '\u001b[7m#2')).toContain('v verify · r reopen')
    await type(['v'], 'verified #2')
    expect(await type(['j'], '\u001b[7m#1')).toContain('T take back')
    await type(['T', 'x', '\u007f', 'too slow'], 'Take back because: too slow')
    await type(['\n'], 'took #1 back from ann; it is told why')
    await type(['\r'], 'any key goes back')
    stop.abort()
    await done
    const { verified_by } = await execute(project.context, getTask, { id: '2' })
    expect(verified_by).toBe(git(project.directory, 'config', 'user.name').trim())
  })

  it('what is refused is told on the last line, and nothing is typed into the screen by chance [watch-refused]', async () => {
    const { project, screen, stop, done } = await watching({}, true)
    await using _ = project
    await screen.shows('1 ready')
    const drawn = screen.printed.length
    for (const key of ['v', 'T', 'a', 'x', '\u001b[C']) screen.press(key)
    screen.press('j')
    const shown = await screen.shows('\u001b[7m#1', drawn)
    expect(shown).not.toContain('take back')
    const from = screen.printed.length
    screen.press('o')
    expect(await screen.shows('the page is not served', from)).toContain('waymark open 1')
    stop.abort()
    await done
  })

  it('is drawn ten times a second at most, however much happens, and ends with what is there [watch-frames]', async () => {
    const { project, screen, stop, done } = await watching({}, true)
    await using _ = project
    await screen.shows('1 ready')
    const [from, started] = [screen.printed.length, performance.now()]
    const changes = 120
    for (let at = 1; at <= changes; at += 1)
      await execute(project.context, createTask, { title: `Task ${at}` })
    await screen.shows(`${changes + 1} ready`)
    // A draw more at each end of that time.
    const most = (performance.now() - started) / 100 + 2
    expect(screen.printed.length - from).toBeLessThanOrEqual(most)
    stop.abort()
    await done
  })

  it('agents, ready tasks and events have a view each [watch-views]', async () => {
    const { project, screen, stop, done } = await watching({}, true)
    await using _ = project
    await execute(project.as('ann'), claimTask, { id: '1' })
    await execute(project.context, createTask, { title: 'Dry' })
    await screen.shows('Dry')
    for (const [key, shown] of [
      ['2', /Agents \(\d\)[^]*ann +\w+ +#1 Paint/],
      ['3', /Ready \(1\)\n#2 +Dry/],
      ['4', /Lately\n[^]*ann +claimed #1 Paint/],
      ['1', /In progress \(1\)/],
    ] as const) {
      const from = screen.printed.length
      screen.press(key)
      await expect.poll(() => screen.printed.slice(from).join('')).toMatch(shown)
    }
    stop.abort()
    await done
  })
})
