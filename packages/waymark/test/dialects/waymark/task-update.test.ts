import { describe, expect, it } from 'vitest'
import { connect, type DialectClient } from '../client.ts'

/** A client, and as many tasks as are to be changed. */
async function withTasks(count: number): Promise<DialectClient & { ids: string[] }> {
  const client = await connect('waymark')
  const titles = Array.from({ length: count }, (_, at) => ({ title: `Task ${at}` }))
  await client.call('task_create', { tasks: titles })
  return Object.assign(client, { ids: titles.map((_, at) => String(at + 1)) })
}

describe.each([1, 2])('task_update of %i tasks', (count) => {
  it.each([{ status: 'done' }, { action: 'complete' }])(
    'keeps the reason that comes with %o',
    async (step) => {
      await using client = await withTasks(count)
      const { ids } = client
      await client.call('task_update', { ids, ...step, reason: 'as agreed' })
      const { tasks } = await client.call('task_get', { ids })
      expect(tasks).toMatchObject(ids.map(() => ({ status: 'done', close_reason: 'as agreed' })))
    },
  )

  it.each([
    { title: 'A task', reason: 'clearer', force: true },
    { action: 'reopen', reason: 'not yet', force: true },
    { action: 'cancel', reason: 'not needed', force: true },
  ])('takes words about a step that has no use for them: %o', async (step) => {
    await using client = await withTasks(count)
    const { ids } = client
    expect(await client.call('task_update', { ids, ...step })).toMatchObject({
      tasks: ids.map((id) => ({ number: Number(id) })),
    })
  })

  it('refuses a field that the action does nothing with', async () => {
    await using client = await withTasks(count)
    const { ids } = client
    expect(
      await client.refusal('task_update', { ids, action: 'complete', content: 'x' }),
    ).toMatchObject({
      error: {
        code: 'invalid_input',
        message: expect.stringMatching(/content.* does nothing with complete/),
      },
    })
  })
})

describe('task_update of one task', () => {
  it.each([
    [{ action: 'verify', reason: 'looks right' }, { status: 'done' }],
    [{ due_date: '2026-12-01', reason: 'holidays' }, { due_date: '2026-12-01' }],
  ])('%o takes a reason', async (step, expected) => {
    await using client = await withTasks(1)
    await client.call('task_update', { ids: ['1'], action: 'complete' })
    expect(await client.call('task_update', { ids: ['1'], ...step })).toMatchObject({
      tasks: [expected],
    })
  })
})
