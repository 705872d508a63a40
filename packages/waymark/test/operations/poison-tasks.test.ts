import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, it } from 'vitest'
import { bundleProgram } from '../../../../scripts/vitest/bundle-program.ts'
import { execute } from '../../src/core/execute.ts'
import { leaveAgent } from '../../src/agent/operations.ts'
import { claimTask, releaseTask, renewTask, takeTask } from '../../src/task/lease/operations.ts'
import { explainTask } from '../../src/task/queue/explain.ts'
import { readyTasks } from '../../src/task/queue/operations.ts'
import { completeTask, reopenTask } from '../../src/task/state/operations.ts'
import { createTask } from '../../src/task/operations.ts'
import { type Setup, setup, START } from '../setup.ts'
import { BEFORE_ALL } from '../../src/event/event-id.ts'

const MINUTE = 60_000
const WORKER = new URL('poison-worker.ts', import.meta.url)

async function projectWithTask(): Promise<Setup> {
  const project = await setup()
  await execute(project.context, createTask, { title: 'T' })
  return project
}

async function eventTypes({ context }: Setup): Promise<string[]> {
  const events = await context.store.events.after(BEFORE_ALL, { limit: 1000 })
  return events.map(({ type }) => type)
}

it('a task of which three leases ran out is set aside until somebody reopens it', async () => {
  await using project = await projectWithTask()
  for (const name of ['ann', 'bob', 'cam']) {
    await execute(project.as(name), claimTask, { id: '1' })
    project.tick(16 * MINUTE)
  }
  await expect(execute(project.as('dan'), claimTask, { id: '1' })).rejects.toMatchObject({
    details: { reason: 'parked' },
  })
  expect(await execute(project.as('dan'), takeTask, {})).toEqual({ claimed: null })
  expect(await execute(project.context, readyTasks, { include_held: true })).toMatchObject({
    tasks: [{ parked: true }],
  })
  expect(await eventTypes(project)).toContain('task.parked')
  expect(await execute(project.context, reopenTask, { id: '1' })).toMatchObject({ changed: true })
  expect(await execute(project.as('dan'), claimTask, { id: '1' })).toMatchObject({
    lease: { fence: 5 },
  })
})

/** Claims the task, renews it every hour for so long, and is never heard of again. */
async function workAndVanish(project: Setup, name: string, hours: number): Promise<void> {
  const agent = project.as(name)
  const { lease } = await execute(agent, claimTask, { id: '1', seconds: 7200 })
  for (let worked = 0; worked < hours; worked += 1) {
    project.tick(60 * MINUTE)
    await execute(agent, renewTask, { id: '1', seconds: 7200, fence: lease.fence })
  }
  project.tick(121 * MINUTE)
}

it('a lease that was renewed before it ran out is lost all the same', async () => {
  await using project = await projectWithTask()
  for (const name of ['ann', 'bob', 'ann']) await workAndVanish(project, name, 3)
  await expect(execute(project.as('dan'), claimTask, { id: '1' })).rejects.toMatchObject({
    message: 'task 1 is set aside: 3 leases of it ran out; reopen it first',
    details: { reason: 'parked' },
  })
})

it('whoever keeps it for four hours makes good what was lost before, up to the twentieth beginning', async () => {
  await using project = await projectWithTask()
  for (let day = 0; day < 20; day += 1) await workAndVanish(project, 'ann', 4)
  await expect(execute(project.as('ann'), claimTask, { id: '1' })).rejects.toMatchObject({
    message: 'task 1 is set aside: it was begun 20 times and never finished; reopen it first',
  })
})

it('long work that is renewed again and again is never set aside', async () => {
  await using project = await projectWithTask()
  const ann = project.as('ann')
  const { lease } = await execute(ann, claimTask, { id: '1' })
  for (let renewal = 0; renewal < 50; renewal += 1) {
    project.tick(10 * MINUTE)
    const again = renewal % 2 === 0 ? renewTask : claimTask
    await execute(ann, again, { id: '1', fence: lease.fence })
  }
  expect(await execute(ann, completeTask, { id: '1', fence: lease.fence })).toMatchObject({
    was_held: true,
  })
})

it('when it is given back with a reason, what was lost before no longer counts; without one it does', async () => {
  await using project = await projectWithTask()
  const ann = project.as('ann')
  const lose = async (times: number) => {
    for (let time = 0; time < times; time += 1) {
      await execute(ann, claimTask, { id: '1' })
      project.tick(16 * MINUTE)
    }
  }
  await lose(2)
  await execute(ann, claimTask, { id: '1' })
  await execute(ann, releaseTask, { id: '1', reason: 'needs the new parser' })
  await lose(2)
  await execute(ann, claimTask, { id: '1' })
  await execute(ann, leaveAgent, {})
  await lose(1)
  await expect(execute(ann, claimTask, { id: '1' })).rejects.toMatchObject({
    details: { reason: 'parked' },
  })
})

it.each<[string, (project: Setup) => Promise<unknown>]>([
  [
    'gives it back',
    (project) => execute(project.as('ann'), releaseTask, { id: '1', reason: 'crashed' }),
  ],
  ['leaves', (project) => execute(project.as('ann'), leaveAgent, { reason: 'crashed' })],
  ['begins again under the same name', async (project) => project.tick(MINUTE)],
])('a worker that %s after each crash gets a task twenty times at most', async (_, recover) => {
  await using project = await projectWithTask()
  const ann = project.as('ann')
  let begun = 0
  for (; begun < 100; begun += 1) {
    try {
      await execute(ann, claimTask, { id: '1' })
    } catch (error) {
      expect(error).toMatchObject({ code: 'conflict', details: { reason: 'parked' } })
      break
    }
    await recover(project)
  }
  expect(begun).toBe(20)
  project.tick(16 * MINUTE)
  expect(await execute(project.as('bob'), takeTask, {})).toEqual({ claimed: null })
  expect(await execute(project.context, explainTask, { id: '1' })).toMatchObject({
    obstacles: [{ reason: 'parked', message: 'it was begun 20 times and never finished' }],
  })
  await execute(project.context, reopenTask, { id: '1' })
  expect(await execute(project.as('bob'), takeTask, {})).toMatchObject({
    claimed: { task: { number: 1 } },
  })
})

it('a worker that is killed by its task each time, after it has renewed, gets it three times [poison-tasks-worker-killed]', async () => {
  await using project = await projectWithTask()
  let minutes = 0
  const outcomes: string[] = []
  while (outcomes.length < 10 && outcomes.at(-1) !== 'nothing to do') {
    const now = String(START + minutes * MINUTE)
    const args = [bundleProgram(WORKER), project.directory, now]
    const worker = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] })
    const [code, signal] = (await once(worker, 'close')) as [number | null, string | null]
    outcomes.push(signal ?? (code === 0 ? 'nothing to do' : 'failed'))
    minutes += 30
  }
  expect(outcomes).toEqual(['SIGKILL', 'SIGKILL', 'SIGKILL', 'nothing to do'])
  expect(await execute(project.context, explainTask, { id: '1' })).toMatchObject({
    obstacles: [{ reason: 'parked', message: '3 leases of it ran out' }],
  })
})
