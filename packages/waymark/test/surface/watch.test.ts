import { describe, expect, it } from 'vitest'
import { execute } from '../../src/core/execute.ts'
import { claimTask } from '../../src/task/lease/operations.ts'
import { completeTask } from '../../src/task/state/operations.ts'
import { createTask } from '../../src/task/operations.ts'
import { watch, type WatchOptions } from '../../src/surfaces/terminal/watch-command.ts'
import { setup } from '../setup.ts'
import { createTestTerminal } from './test-terminal.ts'

/** What is printed, piece by piece, as it is printed. */
function createScreen(cwd: string, interactive: boolean) {
  const printed: string[] = []
  let wake = (): void => {}
  const terminal = createTestTerminal(cwd, {
    columns: 200,
    interactive,
    out: (text) => {
      printed.push(text)
      wake()
    },
  })
  const shows = async (text: string): Promise<string> => {
    for (;;) {
      const found = printed.find((piece) => piece.includes(text))
      if (found !== undefined) return found
      await new Promise<void>((resolve) => (wake = resolve))
    }
  }
  return { terminal, printed, shows }
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
    expect(await screen.shows('entity.created')).toMatch(/^1\t\S+Z\tentity\.created\ttester\t001 /)
    await execute(project.as('ann'), claimTask, { id: '1' })
    expect(await screen.shows('task.claimed')).toContain('\tann\t001 ')
    stop.abort()
    expect(await done).toBe(0)
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
    expect(await screen.shows('claim task 1')).toContain('Paint')
    await execute(project.as('ann'), claimTask, { id: '1' })
    expect(await screen.shows('holding 1 task')).toMatch(/ann .* active/)
    stop.abort()
    await done
  })
})
