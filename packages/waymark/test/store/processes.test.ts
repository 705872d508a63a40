import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import type { EventRow } from '../../src/event/store.ts'
import { Connection } from '@waymark/sqlite'
import { retryWhileBusy } from '../../src/core/sqlite/failures.ts'
import type { Store } from '../../src/core/store/store.ts'
import { isFullLevel } from '../level.ts'
import { Child } from './child.ts'
import { createWorkspace, type Workspace } from './workspace.ts'
import { toEventId } from '../../src/event/event-id.ts'

interface Acknowledged {
  readonly id: string
  readonly number: number
  readonly wait: number
}

describe('many processes', () => {
  test('four that create at once lose nothing and leave one order without gaps [processes-four-create]', async () => {
    await using workspace = await createWorkspace()
    const writers = await startWriters(workspace, 4, WRITES_AT_ONCE)
    const acknowledged = (await Promise.all(writers.map((writer) => writer.finish()))).flatMap(
      parse,
    )
    expect(acknowledged).toHaveLength(4 * WRITES_AT_ONCE)
    await expectComplete(await workspace.open(), acknowledged)
    await expectSound(workspace)
  })

  test('eight that create while others empty the log lose nothing and leave the database whole [processes-eight-create]', async () => {
    await using workspace = await createWorkspace()
    const writers = await startWriters(workspace, 8, WRITES_BESIDE_CHECKPOINTS)
    const finished = Promise.all(writers.map((writer) => writer.finish()))
    const checkpoints = await emptyLogUntil(workspace, finished)
    const acknowledged = (await finished).flatMap(parse)
    expect(checkpoints).toBeGreaterThan(0)
    expect(acknowledged).toHaveLength(8 * WRITES_BESIDE_CHECKPOINTS)
    await expectComplete(await workspace.open(), acknowledged)
    await expectSound(workspace)
  })

  test('nobody starves', async () => {
    await using workspace = await createWorkspace()
    const writers = await startWriters(workspace, 4, 100_000)
    await Promise.race(writers.map((writer) => writer.line(1 + 400)))
    const shares = writers.map((writer) => parse(writer.lines).length)
    await Promise.all(writers.map((writer) => writer.kill()))
    // A starved writer has a share near zero; how even the shares are beyond that is a matter for the benchmark.
    expect(Math.min(...shares)).toBeGreaterThan(400 / 20)
  })

  test('killed writers lose nothing that was acknowledged [processes-killed-writers]', async () => {
    await using workspace = await createWorkspace()
    const store = await workspace.open()
    const acknowledged: Acknowledged[] = []
    for (const acknowledgements of KILLED_AFTER) {
      const writers = await startWriters(workspace, 4, 100_000)
      await writers[0]?.line(1 + acknowledgements)
      await Promise.all(writers.map((writer) => writer.kill()))
      acknowledged.push(...writers.flatMap((writer) => parse(writer.lines)))
      await expectComplete(store, acknowledged)
    }
    await expectSound(workspace)
  })
})

const WRITES_AT_ONCE = isFullLevel ? 150 : 50
/** Acknowledgements before the kill. */
const KILLED_AFTER = isFullLevel ? [1, 7, 20, 45, 80] : [1, 20]
const WRITES_BESIDE_CHECKPOINTS = Number(process.env['WAYMARK_CHECKPOINT_WRITES'] ?? 40)

/** Two connections take turns, one that waits for nobody and one that wants the log to itself. Answers how often. */
async function emptyLogUntil(workspace: Workspace, end: Promise<unknown>): Promise<number> {
  const connect = () => retryWhileBusy(() => new Connection(workspace.database, 'write'), 15_000)
  const passive = await connect()
  const truncating = await connect()
  let isOver = false
  let count = 0
  void end.finally(() => (isOver = true))
  while (!isOver) {
    for (const [connection, mode] of [
      [passive, 'PASSIVE'],
      [truncating, 'TRUNCATE'],
    ] as const) {
      await retryWhileBusy(() => connection.get(`PRAGMA wal_checkpoint(${mode})`), 15_000)
      count += 1
      await sleep(1)
    }
  }
  passive.close()
  truncating.close()
  return count
}

async function startWriters(
  workspace: Workspace,
  count: number,
  creates: number,
): Promise<Child[]> {
  const writers = Array.from(
    { length: count },
    () => new Child('writer', [workspace.stateDir, String(creates)]),
  )
  await Promise.all(writers.map((writer) => writer.line(1)))
  for (const writer of writers) writer.send('go')
  return writers
}

/** The last line of a killed writer may be cut off; then nobody has been told. */
function parse(lines: readonly string[]): Acknowledged[] {
  return lines
    .filter((line) => line.startsWith('{') && line.endsWith('}'))
    .map((line) => JSON.parse(line) as Acknowledged)
}

async function expectComplete(store: Store, acknowledged: readonly Acknowledged[]): Promise<void> {
  const events = await allEvents(store)
  expect(events.map((event) => event.id)).toEqual(events.map((_, index) => index + 1))
  expect(await store.events.latest()).toBe(events.length)

  const numbers = new Map(events.map((event) => [event.subject, event.data['number']]))
  expect(new Set(numbers.values()).size).toBe(events.length)
  for (const { id, number } of acknowledged) expect(numbers.get(id)).toBe(number)

  const { total } = await store.entities.list({ limit: 1, offset: 0 })
  expect(total).toBe(events.length)
}

async function allEvents(store: Store): Promise<EventRow[]> {
  const events: EventRow[] = []
  for (;;) {
    const page = await store.events.after(toEventId(events.length), { limit: 500 })
    if (page.length === 0) return events
    events.push(...page)
  }
}

async function expectSound(workspace: Workspace): Promise<void> {
  const database = await workspace.openDatabase()
  expect(await database.all('PRAGMA integrity_check')).toEqual([{ integrity_check: 'ok' }])
  expect(await database.all('PRAGMA foreign_key_check')).toEqual([])
}
