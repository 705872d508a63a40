import { expect, it } from 'vitest'
import { setup } from '../../setup.ts'
import type { DialectClient, Fields } from '../client.ts'
import { join, lodestarWith } from './crew.ts'

it('repo.status and lodestar://status count what is unread for the agents of the session [tools-unread-session]', async () => {
  await using project = await setup()
  await using first = await lodestarWith([], { project })
  await using second = await lodestarWith([], { project })
  const [ann, bob] = [await join(first, 'ann'), await join(second, 'bob')]
  const unreadOf = async (lodestar: DialectClient, args: Fields = {}) => {
    const { counts } = await lodestar.call('lodestar.repo.status', args)
    const { result } = await lodestar.request('resources/read', { uri: 'lodestar://status' })
    const [content] = (result?.['contents'] ?? []) as { text: string }[]
    const resource = JSON.parse(content?.text ?? '') as { counts: Fields }
    return [(counts as Fields)['unreadMessages'], resource.counts['unreadMessages']]
  }
  for (const body of ['one', 'two', 'three']) {
    await first.call('lodestar.message.send', { fromAgentId: ann, toAgentId: bob, body })
  }
  expect(await unreadOf(second)).toEqual([3, 3])
  expect(await unreadOf(first)).toEqual([0, 0])
  expect(await unreadOf(first, { agentId: bob })).toEqual([3, 0])
  const { messages } = await second.call('lodestar.message.list', { agentId: bob })
  const [read] = (messages as Fields[]).map(({ id }) => id)
  await second.call('lodestar.message.ack', { agentId: bob, messageIds: [read] })
  expect(await unreadOf(second)).toEqual([2, 2])
})
