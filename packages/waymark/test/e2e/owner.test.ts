import { expect, it } from 'vitest'
import { createProject } from '../setup.ts'
import { waymark } from './binary.ts'
import { connectOfficial } from './official-client.ts'

it('an agent asks the person, gets the answer as from the owner, and is told when the person takes its task away', async () => {
  await using repository = await createProject()
  const { directory: cwd } = repository
  await using ada = await connectOfficial(['serve'], { cwd, name: 'ada' })
  await ada.call('task_create', { tasks: [{ title: 'Webhooks' }] })
  await ada.call('task_next', { claim: true })

  const sent = await ada.result('message_send', { to: 'owner', body: 'Retry for how long?' })
  expect(sent.text).toBe('sent 1 to the owner; the answer will be in your inbox and brief')
  expect((await ada.result('brief')).text).toContain('message 1: Retry for how long?')
  expect((await waymark(cwd, [])).out).toContain('m1 ada: Retry for how long?')
  expect(await waymark(cwd, ['answer', '1', 'One day'], { CLAUDECODE: '1' })).toMatchObject({
    exit: 1,
    err: expect.stringContaining('only the person can answer as the owner'),
  })
  expect(await waymark(cwd, ['answer', '1', 'One day'])).toMatchObject({ exit: 0 })
  const inbox = await ada.result('inbox')
  expect(inbox.text).toMatch(/^2 info from the owner \S+Z \(answers 1\):\n> One day\n/)

  const take = ['task', 'cancel', '1', '--force', '--reason', 'bought elsewhere']
  expect(await waymark(cwd, take)).toMatchObject({ exit: 0 })
  const why = await ada.result('recall', { query: 'webhooks' })
  expect(why.text).toMatch(
    /^lease_lost: the owner \(.+\) ended your lease on #1 \(fence 1\): bought elsewhere/,
  )
  const { out } = await waymark(cwd, ['messages', '--all'])
  expect(out).toContain('from ada, to the owner')
})
