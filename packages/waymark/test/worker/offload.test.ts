import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Context } from '../../src/core/context.ts'
import { withDeadline } from '../../src/support/deadline.ts'
import { execute } from '../../src/core/execute.ts'
import { getEntity } from '../../src/entity/operations.ts'
import { listEvents } from '../../src/event/operations.ts'
import { checkStore } from '../../src/integrity/operations.ts'
import { Connection } from '@waymark/sqlite'
import { offload } from '../../src/core/worker/offload.ts'
import { longestTurn } from '../event-loop.ts'
import { type Setup, setup } from '../setup.ts'
import { toEntityId } from '../../src/entity/entity-id.ts'

interface Threads extends Disposable {
  count: number
}

/** How many threads are started meanwhile. */
function countThreads(): Threads {
  const count = (): void => {
    threads.count += 1
  }
  const threads: Threads = {
    count: 0,
    [Symbol.dispose]: () => void process.off('worker', count),
  }
  process.on('worker', count)
  return threads
}

async function setupStore(entities = 20): Promise<Setup> {
  const project = await setup({ clock: Date.now })
  await project.context.store.write(async (tx) => {
    for (let number = 0; number < entities; number += 1) {
      const created = { createdAt: await tx.now(project.context), createdBy: 'tester' }
      const entity = {
        type: 'note',
        title: `note ${number}`,
        content: null,
        tags: [],
        status: null,
      }
      await tx.entities.insert({
        id: toEntityId(crypto.randomUUID()),
        ...entity,
        properties: {},
        ...created,
      })
    }
  })
  return project
}

/** As a server makes it. */
function asServer(project: Setup, options: Partial<Context> = {}): Context {
  return { ...project.as('server', { offload }), ...options }
}

function damage({ directory }: Setup, ...statements: readonly string[]): void {
  const connection = new Connection(join(directory, '.git/waymark/waymark.db'), 'write')
  for (const statement of statements) connection.exec(statement)
  connection.close()
}

describe('a store check of a server', () => {
  it('finds the same in a thread as in the process', async () => {
    await using project = await setupStore()
    // The first start from sources bundles them, in a thread of the bundler.
    await execute(asServer(project), checkStore, {})
    using threads = countThreads()
    const damages = [
      '',
      `UPDATE replica SET document = x'00ff' WHERE entity_id IN (SELECT id FROM entity WHERE number < 4)`,
      `DELETE FROM document WHERE kind = 'entity'`,
      `UPDATE counter SET value = 1 WHERE name = 'entity'`,
    ]
    for (const statement of damages) {
      damage(project, statement)
      const inProcess = await execute(project.context, checkStore, {})
      expect(await execute(asServer(project), checkStore, {})).toEqual(inProcess)
    }
    expect(threads.count).toBe(damages.length)
  })

  it('repairs in a thread, as the agent that asked for it', async () => {
    await using project = await setupStore()
    const before = await execute(project.context, getEntity, { id: '2' })
    damage(project, `UPDATE replica SET document = x'00ff'`, 'DELETE FROM op')
    const report = await execute(asServer(project), checkStore, { repair: true })
    expect(report).toMatchObject({ ok: true, repaired: 20 })
    expect(await execute(project.context, checkStore, {})).toMatchObject({ ok: true })
    expect(await execute(project.context, getEntity, { id: '2' })).toEqual(before)
    const { events } = await execute(project.context, listEvents, { types: ['entity.repaired'] })
    expect(events.map(({ agent }) => agent)).toEqual(Array.from({ length: 20 }, () => 'server'))
  })

  it('leaves the event loop to others, and tells how far it is [offload-leaves-event]', async () => {
    await using project = await setupStore(2_000)
    const inProcess = await longestTurn(execute(project.context, checkStore, {}))
    const told: string[] = []
    const context = asServer(project, { progress: (_done, _total, text) => void told.push(text) })
    const inThread = await longestTurn(execute(context, checkStore, {}))
    expect(inThread).toBeLessThan(inProcess / 2)
    expect(told).toContain('checking entities: 100 %')
  })

  it('runs once for all that ask at the same time', async () => {
    await using project = await setupStore()
    using threads = countThreads()
    const told = [0, 0]
    const reports = await Promise.all(
      told.map((_, at) => {
        const progress = (): void => void (told[at] = 1)
        return execute(asServer(project, { progress }), checkStore, {})
      }),
    )
    expect(reports[0]).toEqual(reports[1])
    expect([threads.count, told]).toEqual([1, [1, 1]])
  })

  it('refuses other options while it runs', async () => {
    await using project = await setupStore()
    const checking = execute(asServer(project), checkStore, {})
    await expect(execute(asServer(project), checkStore, { repair: true })).rejects.toMatchObject({
      code: 'busy',
      message:
        'store.check is running for this project with other options; try again when it has ended',
    })
    await checking
  })

  it('ends for a caller that cancels, and the next one gets a new check', async () => {
    await using project = await setupStore()
    const controller = new AbortController()
    const cancelled = execute(asServer(project, { signal: controller.signal }), checkStore, {})
    setImmediate(() => controller.abort())
    await expect(cancelled).rejects.toMatchObject({ code: 'cancelled' })
    expect(await execute(asServer(project), checkStore, {})).toMatchObject({ ok: true })
  })

  it('goes on when the time of its caller is over, and answers the next call', async () => {
    await using project = await setupStore()
    using threads = countThreads()
    using deadline = withDeadline(1)
    const late = execute(asServer(project, { signal: deadline.signal }), checkStore, {})
    await expect(late).rejects.toMatchObject({
      code: 'timeout',
      message: 'store.check is still running; call it again to wait for its answer',
    })
    expect(await execute(asServer(project), checkStore, {})).toMatchObject({ ok: true })
    expect(threads.count).toBe(1)
  })

  it('says what is wrong with a store that cannot be opened', async () => {
    await using project = await setupStore(1)
    damage(project, `UPDATE project SET id = 'another'`)
    await expect(execute(asServer(project), checkStore, {})).rejects.toMatchObject({
      code: 'storage_corrupt',
    })
  })
})
