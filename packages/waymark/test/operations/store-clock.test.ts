import { describe, expect, it } from 'vitest'
import { execute } from '../../src/core/execute.ts'
import { createEntity } from '../../src/entity/operations.ts'
import { checkStore } from '../../src/integrity/operations.ts'
import { claimTask } from '../../src/task/lease/operations.ts'
import { createTask } from '../../src/task/operations.ts'
import { type Setup, setup, START } from '../setup.ts'

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE

/** A project that was written to while the clock of the machine was off, and is right again. */
async function projectFrom(off: number): Promise<Setup> {
  const project = await setup()
  await execute(project.context, createTask, { title: 'T' })
  project.setClock(off)
  await execute(project.context, createEntity, { type: 'note', title: 'N', idempotency_key: 'k1' })
  await execute(project.as('ann'), claimTask, { id: '1', seconds: 7200 })
  project.setClock(-off)
  return project
}

async function clockCheck({ context }: Setup, repair = false) {
  const { checks } = await execute(context, checkStore, { repair })
  return checks.find(({ name }) => name === 'clock')
}

describe('the clock of a store that is 2 days ahead of the machine', () => {
  it('is told with its lead and the command that sets it', async () => {
    await using project = await projectFrom(2 * DAY)
    expect(await clockCheck(project)).toEqual({
      name: 'clock',
      status: 'warning',
      message: "the clock of the store is 2 days ahead of this machine's",
      fix: 'if it is really 2026-11-15T12:00:00.000Z, waymark store check --repair',
    })
  })

  it('is set by a repair: new writes are dated right, leases last on, no call is done twice', async () => {
    await using project = await projectFrom(2 * DAY)
    expect(await clockCheck(project, true)).toMatchObject({
      status: 'warning',
      message: expect.stringContaining('repaired') as string,
    })
    expect(await clockCheck(project)).toMatchObject({ status: 'ok' })
    const written = await execute(project.context, createEntity, { type: 'note', title: 'M' })
    expect(written.created_at).toBe(new Date(START).toISOString())
    const again = { type: 'note', title: 'N', idempotency_key: 'k1' }
    expect(await execute(project.context, createEntity, again)).toMatchObject({ number: 2 })
    project.tick(119 * MINUTE)
    await expect(execute(project.as('bob'), claimTask, { id: '1' })).rejects.toMatchObject({
      details: { reason: 'held' },
    })
    project.tick(2 * MINUTE)
    expect(await execute(project.as('bob'), claimTask, { id: '1' })).toMatchObject({
      lease: { fence: 2 },
    })
  })
})

describe('a clock of the machine that cannot be right', () => {
  it('is not followed by a repair', async () => {
    await using project = await projectFrom(0)
    project.setClock(-20 * 365 * DAY)
    expect(await clockCheck(project, true)).toMatchObject({
      status: 'warning',
      fix: expect.stringContaining('set the clock of this machine') as string,
    })
    project.setClock(20 * 365 * DAY)
    expect(await clockCheck(project)).toMatchObject({ status: 'ok' })
  })

  it('is told when it is far ahead of the store, and followed when it is right after all', async () => {
    await using project = await projectFrom(0)
    project.setClock(20 * 365 * DAY)
    expect(await clockCheck(project)).toMatchObject({
      message: "the clock of the store is 20 years behind this machine's",
    })
    await clockCheck(project, true)
    const written = await execute(project.context, createEntity, { type: 'note', title: 'M' })
    expect(written.created_at).toBe(new Date(project.context.now()).toISOString())
    await expect(execute(project.as('bob'), claimTask, { id: '1' })).rejects.toMatchObject({
      details: { reason: 'held' },
    })
  })
})

it('the clock of a process that is not the machine’s is told, and is not that of the store', async () => {
  await using project = await projectFrom(0)
  const context = { ...project.context, clockError: () => 2 * DAY }
  const { checks } = await execute(context, checkStore, {})
  expect(checks.find(({ name }) => name === 'clock')).toEqual({
    name: 'clock',
    status: 'warning',
    message: "the clock of this process is 2 days ahead of the machine's, which is used",
    fix: expect.stringContaining('libfaketime') as string,
  })
})
