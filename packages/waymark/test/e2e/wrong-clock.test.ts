import { expect, it } from 'vitest'
import { createProject } from '../setup.ts'
import { type Finished, waymark } from './binary.ts'

const DAY = 24 * 3_600_000
const CLOCKS = {
  '2 days ahead': 2 * DAY,
  '1000 years ahead': 365_250 * DAY,
  '1000 years behind': -365_250 * DAY,
}
const SET_CLOCK = new URL('set-clock.mjs', import.meta.url)

/** A command of a process whose wall clock is off. */
function withClockOff(cwd: string, off: number, args: readonly string[]): Promise<Finished> {
  return waymark(cwd, args, {
    NODE_OPTIONS: `--import=${SET_CLOCK.href}`,
    CLOCK_OFF_MS: String(off),
  })
}

it.each(Object.entries(CLOCKS))(
  'a process whose clock is %s ends no lease, doubles no call and writes the right dates [wrong-clock-process-ends]',
  async (_, off) => {
    await using project = await createProject()
    const { directory } = project
    const run = async (...args: string[]): Promise<string> => (await waymark(directory, args)).out
    const note = ['add', 'note', 'once', '--idempotency-key', 'k1', '--json']
    const first = JSON.parse(await run(...note)) as object
    await run('add', 'task', 'held')
    await run('task', 'claim', '2', '--seconds', '7200', '--actor', 'ann')

    const added = await withClockOff(directory, off, [
      'add',
      'note',
      'from a wrong clock',
      '--json',
    ])
    expect(JSON.parse(await run(...note))).toEqual(first)
    const bob = await waymark(directory, ['task', 'claim', '2', '--actor', 'bob'])
    expect(bob.err).toContain('is held by ann')
    const { created_at } = JSON.parse(await run('get', '3', '--json')) as { created_at: string }
    expect(Math.abs(Date.parse(created_at) - Date.now())).toBeLessThan(60_000)
    expect(added.err).toContain('clock of this process')
  },
)
