import { describe, expect, it } from 'vitest'
import { Failure } from '../../src/core/error.ts'
import { execute } from '../../src/core/execute.ts'
import { createEntity, deleteEntity } from '../../src/entity/operations.ts'
import { listEvents, waitForEvents } from '../../src/event/operations.ts'
import { claimTask } from '../../src/task/lease/operations.ts'
import { completeTask } from '../../src/task/state/operations.ts'
import { openProject } from '../../src/core/project/project.ts'
import { type Setup, setup } from '../setup.ts'

const DAY = 24 * 3_600_000

async function projectWithTask(): Promise<Setup> {
  const project = await setup()
  await execute(project.context, createEntity, { type: 'task', title: 'T' })
  return project
}

describe('pulling', () => {
  it('goes on from a cursor, in order, without gaps', async () => {
    await using project = await projectWithTask()
    await execute(project.as('ann'), claimTask, { id: '1' })
    await execute(project.as('ann'), completeTask, { id: '1' })
    const first = await execute(project.context, listEvents, { limit: 2 })
    expect(first).toMatchObject({
      events: [
        { id: 1, type: 'entity.created', agent: 'tester' },
        { id: 2, type: 'agent.joined', agent: 'ann' },
      ],
      next_cursor: 2,
      latest: 4,
      missed: false,
    })
    const rest = await execute(project.context, listEvents, { since: first.next_cursor })
    expect(rest.events.map(({ type }) => type)).toEqual(['task.claimed', 'task.done'])
    expect(rest.events[0]?.data).toMatchObject({ type: 'task', number: 1, title: 'T', fence: 1 })
    expect(await execute(project.context, listEvents, { since: 4 })).toMatchObject({
      events: [],
      next_cursor: 4,
    })
  })

  it('can be narrowed to some types', async () => {
    await using project = await projectWithTask()
    await execute(project.as('ann'), completeTask, { id: '1' })
    const { events } = await execute(project.context, listEvents, { types: ['task.done'] })
    expect(events.map(({ type }) => type)).toEqual(['task.done'])
  })

  it('of a type that there is not are refused, with those that there are [unknown-event-type]', async () => {
    await using project = await projectWithTask()
    const input = { types: ['task.done', 'task.finished'] }
    const refused = {
      code: 'invalid_input',
      message: expect.stringMatching(/^types: no event is called "task.finished"; .*task.done/),
    }
    await expect(execute(project.context, listEvents, input)).rejects.toMatchObject(refused)
    await expect(execute(project.context, waitForEvents, input)).rejects.toMatchObject(refused)
  })

  it('tells of leases that ran out although nobody touched them since', async () => {
    await using project = await projectWithTask()
    await execute(project.as('ann'), claimTask, { id: '1' })
    project.tick(20 * 60_000)
    const { events } = await execute(project.context, listEvents, { types: ['lease.expired'] })
    expect(events).toMatchObject([{ data: { fence: 1, lost: 1, number: 1 } }])
  })

  it('where nothing may be written, changes nothing', async () => {
    await using project = await projectWithTask()
    await execute(project.as('ann'), claimTask, { id: '1' })
    project.tick(20 * 60_000)
    const reader = project.as('reader', { access: { readOnly: true } })
    expect(await execute(reader, listEvents, {})).toMatchObject({ latest: 3 })
  })
})

describe('waiting', () => {
  it('ends with the first event that another process commits', async () => {
    await using project = await projectWithTask()
    await using other = await openProject(project.directory)
    const waiting = execute(project.context, waitForEvents, { types: ['task.done'] })
    await execute(project.as('ann', { store: other.store }), claimTask, { id: '1' })
    await execute(project.as('ann', { store: other.store }), completeTask, { id: '1' })
    expect(await waiting).toMatchObject({ events: [{ type: 'task.done', agent: 'ann' }] })
  })

  it('ends at once when there is something after the cursor', async () => {
    await using project = await projectWithTask()
    expect(await execute(project.context, waitForEvents, { since: 0 })).toMatchObject({
      events: [{ id: 1 }],
    })
  })

  it('ends empty when the time is up', async () => {
    await using project = await projectWithTask()
    expect(await execute(project.context, waitForEvents, { seconds: 0 })).toMatchObject({
      events: [],
      next_cursor: 1,
    })
  })

  it('ends empty when the server has less time for a request than the caller', async () => {
    await using project = await projectWithTask()
    const controller = new AbortController()
    const context = project.as('ann', { signal: controller.signal })
    const waiting = execute(context, waitForEvents, { seconds: 300 })
    controller.abort(new DOMException('the time is over', 'TimeoutError'))
    expect(await waiting).toMatchObject({ events: [], next_cursor: 1 })
  })

  it('ends with the reason of a server that has to stop', async () => {
    await using project = await projectWithTask()
    const controller = new AbortController()
    const context = project.as('ann', { signal: controller.signal })
    const waiting = execute(context, waitForEvents, { seconds: 300 })
    controller.abort(new Failure('busy', 'the server is shutting down'))
    await expect(waiting).rejects.toMatchObject({ code: 'busy' })
  })

  it('ends when the caller gives up', async () => {
    await using project = await projectWithTask()
    const controller = new AbortController()
    const context = project.as('ann', { signal: controller.signal })
    const waiting = execute(context, waitForEvents, {})
    controller.abort()
    await expect(waiting).rejects.toMatchObject({ code: 'cancelled' })
  })
})

describe('a cursor from before an older copy was put back', () => {
  it('is told so once, and goes on from where the copy ends', async () => {
    await using project = await projectWithTask()
    const { context } = project
    const ahead = await execute(context, waitForEvents, { since: 500, seconds: 60 })
    expect(ahead).toEqual({ events: [], next_cursor: 1, latest: 1, missed: true })
    expect(await execute(context, listEvents, { since: 1 })).toMatchObject({ missed: false })
  })
})

describe('retention', () => {
  it('keeps the newest however old a clock that is far ahead makes them look', async () => {
    await using project = await projectWithTask()
    const { store } = project.context
    const append = async (count: number, at: number) =>
      await store.write(async (tx) => {
        for (let left = count; left > 0; left -= 1) {
          await tx.events.append({ type: 'test.made', subject: 's', at, agent: null, data: {} })
        }
      })
    await append(998, project.context.now())
    // Several cleanups, since each drops some hundreds.
    await append(301, project.context.now() + 365 * DAY)
    expect(await execute(project.context, listEvents, { limit: 1 })).toMatchObject({
      events: [{ id: 800 }],
      latest: 1300,
      missed: true,
    })
  })

  it('drops what is older than thirty days, keeps deletions, and tells a reader who comes too late', async () => {
    await using project = await projectWithTask()
    const { context } = project
    await execute(context, deleteEntity, { id: '1' })
    project.tick(31 * DAY)
    const at = context.now()
    await context.store.write(async (tx) => {
      for (let id = 3; id <= 1000; id += 1) {
        await tx.events.append({ type: 'test.made', subject: 's', at, agent: null, data: {} })
      }
    })
    const late = await execute(context, listEvents, { limit: 2 })
    expect(late).toMatchObject({
      events: [{ id: 2, type: 'entity.deleted' }, { id: 3 }],
      missed: true,
      latest: 1000,
    })
    expect(await execute(context, listEvents, { since: 2, limit: 1 })).toMatchObject({
      missed: false,
    })
    // Whoever waits for something else is told once, and then waits.
    const others = { types: ['task.done'], seconds: 0 }
    const first = await execute(context, waitForEvents, { since: 0, ...others })
    expect(first).toMatchObject({ events: [], missed: true })
    expect(
      await execute(context, waitForEvents, { since: first.next_cursor, ...others }),
    ).toMatchObject({ events: [], missed: false })
  })
})
