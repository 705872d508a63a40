import { expect, it } from 'vitest'
import type { Context } from '../../src/core/context.ts'
import { execute } from '../../src/core/execute.ts'
import { offload } from '../../src/core/worker/offload.ts'
import { listEvents } from '../../src/event/operations.ts'
import { showHealth } from '../../src/health/operations.ts'
import {
  cancelJob,
  listJobs,
  showJobOperation,
  startJobOperation,
} from '../../src/job/operations.ts'
import { setup, type Setup } from '../setup.ts'

/** As a server makes it: the call is over before the job. */
function asServer(project: Setup): Context {
  return project.as('Kim', { offload })
}

async function whenEnded(context: Context, id: number) {
  for (;;) {
    const { job, result } = await execute(context, showJobOperation, { id })
    if (job.state !== 'running') return { job, result }
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

it('a job runs beside other calls, one at a time, and what it found stays known [job-one-at-a-time]', async () => {
  await using project = await setup({ clock: Date.now })
  const kim = asServer(project)
  const { job } = await execute(kim, startJobOperation, { kind: 'check' })
  expect(job).toMatchObject({ id: 1, kind: 'check', state: 'running', by: 'Kim' })
  await expect(execute(kim, startJobOperation, { kind: 'doctor' })).rejects.toMatchObject({
    code: 'busy',
    message: expect.stringContaining('job 1 (check) is running'),
  })
  const { result, ...ended } = await whenEnded(kim, 1)
  expect(ended.job).toMatchObject({ state: 'done', ended_at: expect.any(String) })
  expect(result).toMatchObject({ ok: true })
  expect((await execute(kim, showHealth, {})).last).toMatchObject([{ job: { id: 1 }, ok: true }])
  const { events } = await execute(kim, listEvents, { types: ['job.started', 'job.ended'] })
  expect(events.map(({ type, data }) => [type, data['state']])).toEqual([
    ['job.started', undefined],
    ['job.ended', 'done'],
  ])
})

it('a cancelled job ends without a result, and another can start [job-cancel]', async () => {
  await using project = await setup({ clock: Date.now })
  const kim = asServer(project)
  await execute(kim, startJobOperation, { kind: 'check' })
  expect(await execute(kim, cancelJob, { id: 1 })).toMatchObject({ cancelled: true })
  const { job } = await whenEnded(kim, 1)
  expect(['cancelled', 'done']).toContain(job.state)
  expect(await execute(kim, cancelJob, { id: 1 })).toMatchObject({ cancelled: false })
  await expect(execute(kim, cancelJob, { id: 9 })).rejects.toMatchObject({ code: 'not_found' })
})

it('a job whose process was killed blocks no other [job-lost]', async () => {
  await using project = await setup({ clock: Date.now })
  const kim = project.as('Kim')
  const gone = { kind: 'check', startedBy: 'Kim', process: 'elsewhere', startedAt: Date.now() }
  const { thisProcess } = await import('../../src/support/process-identity.ts')
  // This machine, a process that started at another time than the one with this number.
  const [space, pid, , boot] = thisProcess().split(' ')
  await kim.store.write((tx) => tx.jobs.insert({ ...gone, process: `${space} ${pid} 1 ${boot}` }))
  const { job } = await execute(kim, startJobOperation, { kind: 'doctor' })
  // A command waits for its job.
  expect(job).toMatchObject({ id: 2, state: 'done' })
  expect((await execute(kim, listJobs, {})).jobs.map(({ state }) => state)).toEqual([
    'done',
    'lost',
  ])
})

it('what a job found of the code is shown with the scope for code only [job-scope]', async () => {
  await using project = await setup({ clock: Date.now })
  const kim = asServer(project)
  await execute(kim, startJobOperation, { kind: 'verify' })
  await whenEnded(kim, 1)
  const shownWith = async (...scopes: readonly string[]) =>
    await execute(
      project.as('token', { access: { readOnly: false, scopes: new Set(scopes) } }),
      showJobOperation,
      { id: 1 },
    )
  await expect(shownWith('projects:read')).rejects.toMatchObject({
    code: 'forbidden',
    details: { reason: 'insufficient_scope', scopes: ['code:read'] },
  })
  expect((await shownWith('projects:read', 'code:read')).result).toBeDefined()
})
