import { expect, it } from 'vitest'
import { type AgentId, agentIdOf } from '../../src/agent/agent.ts'
import { type EntityId, toEntityId } from '../../src/entity/entity-id.ts'
import { type EventId, toEventId } from '../../src/event/event-id.ts'
import { type CommitId, toCommitId } from '../../src/git/history/commit-id.ts'

const ENTITY = '0189d3a0-0000-7000-8000-000000000001'

it('an id of one noun, or a bare value, is not accepted as an id of another', () => {
  const agents: AgentId[] = [agentIdOf('ada')]
  // @ts-expect-error An entity is no agent.
  agents.push(toEntityId(ENTITY))
  // @ts-expect-error Neither is a name.
  agents.push('ada')
  const entities: EntityId[] = []
  // @ts-expect-error An agent is no entity.
  entities.push(agentIdOf('ada'))
  const commits: CommitId[] = []
  // @ts-expect-error A path or a ref is no commit.
  commits.push('HEAD')
  const events: EventId[] = []
  // @ts-expect-error The number of a message or of a task is no position in the stream.
  events.push(7)
  expect([agents.length, entities.length, commits.length, events.length]).toEqual([3, 1, 1, 1])
})

it('an id is the bare value in JSON', () => {
  const ids = [toEntityId(ENTITY), toEventId(7), toCommitId('a'.repeat(40)), agentIdOf('ada')]
  expect(JSON.stringify(ids)).toBe(`["${ENTITY}",7,"${'a'.repeat(40)}","${agentIdOf('ada')}"]`)
})
