import { expect, it } from 'vitest'
import { createProject } from '../setup.ts'
import { waymark } from './binary.ts'
import { connectOfficial } from './official-client.ts'

const REASON = 'the parser must learn about quotes first'

it('the next to claim a task reads in every dialect why the last one gave it up', async () => {
  await using repository = await createProject()
  const { directory: cwd } = repository
  await using ann = await connectOfficial(['serve'], { cwd, name: 'ann' })
  await using bob = await connectOfficial(['serve'], { cwd, name: 'bob' })
  await using cid = await connectOfficial(['mcp', 'serve', '--repo', cwd], { cwd, name: 'cid' })

  await ann.call('task_create', { tasks: [{ title: 'Read the file', key: 'T1' }] })
  const { claimed: held } = await ann.call('task_next', { claim: true })
  await ann.call('task_update', { ids: ['1'], action: 'release', reason: REASON })
  const { claimed } = await bob.call('task_next', { claim: true })
  const { holder } = held as { holder: string }
  expect(claimed).toMatchObject({ number: 1 })
  const { released } = claimed as { released: string }
  expect(released.startsWith(`by ${holder} at `)).toBe(true)
  expect(released.endsWith(`: ${REASON}`)).toBe(true)
  const shown = await ann.result('task_get', { ids: ['1'] })
  expect(shown.text).toContain(REASON)

  await bob.call('task_update', { ids: ['1'], action: 'release', reason: 'not mine' })
  const { agentId } = await cid.call('lodestar.agent.join', { name: 'cid' })
  const lastRelease = {
    reason: 'not mine',
    agentId: expect.any(String),
    releasedAt: expect.any(String),
  }
  expect(await cid.call('lodestar.task.claim', { taskId: 'T1', agentId })).toMatchObject({
    ok: true,
    lastRelease,
  })
  expect(await cid.call('lodestar.task.get', { taskId: 'T1' })).toMatchObject({
    runtime: { claimedBy: agentId, lastRelease },
  })
  const { out } = await waymark(cwd, ['task', 'get', 'T1'])
  expect(out).toContain('not mine')
})
