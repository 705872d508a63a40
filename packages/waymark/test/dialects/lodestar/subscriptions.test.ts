import { describe, expect, it } from 'vitest'
import { execute } from '../../../src/core/execute.ts'
import { deleteEntity, updateEntity } from '../../../src/entity/operations.ts'
import { purgeEntity, restoreEntity } from '../../../src/sync/history/operations.ts'
import { createRelation, deleteRelation } from '../../../src/relation/operations.ts'
import { completeTask } from '../../../src/task/state/operations.ts'
import { removeTask, updateTask } from '../../../src/task/operations.ts'
import { undoChanges } from '../../../src/sync/history/undo.ts'
import { createReplica, useStore } from '../../replica/replicas.ts'
import { setup } from '../../setup.ts'
import type { DialectClient, Fields } from '../client.ts'
import { join, lodestarWith } from './crew.ts'
import { BEFORE_ALL } from '../../../src/event/event-id.ts'

const TASKS = [
  { key: 'T001', title: 'First' },
  { key: 'T002', title: 'Second' },
]

type Project = DialectClient['project']
type Step = (project: Project) => Promise<unknown>

const edit: Step = ({ context }) => execute(context, updateEntity, { id: '1', title: 'Other' })
const remove: Step = ({ context }) => execute(context, deleteEntity, { id: '1' })
const purge: Step = ({ context }) => execute(context, purgeEntity, { id: '1', confirm: true })
const relation = { source: '1', type: 'blocks', target: '2' }
const relate: Step = ({ context }) => execute(context, createRelation, relation)

/** Everything that has happened so far has been told once this is. */
async function settle(lodestar: DialectClient, name: string): Promise<void> {
  await lodestar.request('logging/setLevel', { level: 'info' })
  const agentId = await join(lodestar, name)
  await lodestar.client.next((message) => {
    const text = JSON.stringify(message)
    return text.includes('"agent.joined"') && text.includes(agentId)
  })
}

function told(lodestar: DialectClient): unknown[] {
  return (lodestar.client.received as { method?: string; params?: Fields }[])
    .filter(({ method }) => method === 'notifications/resources/updated')
    .map(({ params }) => params?.['uri'])
}

/** Of which of these addresses a client is told when the last of these steps is done. */
async function toldOf(
  lodestar: DialectClient,
  uris: readonly string[],
  steps: readonly Step[],
): Promise<readonly unknown[]> {
  for (const uri of uris) await lodestar.request('resources/subscribe', { uri })
  for (const step of steps.slice(0, -1)) await step(lodestar.project)
  await settle(lodestar, 'first')
  const before = told(lodestar).length
  await steps.at(-1)?.(lodestar.project)
  await settle(lodestar, 'last')
  const heard = new Set(told(lodestar).slice(before))
  return uris.filter((uri) => heard.has(uri))
}

const T001 = 'lodestar://task/T001'
const T002 = 'lodestar://task/T002'
const SPEC = 'lodestar://spec'

describe('whoever watches a task by its key, and the spec, hears of', () => {
  it.each<[string, Step[]]>([
    ['an edit', [edit]],
    ['a deletion', [remove]],
    ['a deletion for good', [({ context }) => execute(context, removeTask, { id: '1' })]],
    ['a purge', [purge]],
    [
      'a deleted one that comes back',
      [remove, (p) => execute(p.context, restoreEntity, { id: '1' })],
    ],
    [
      'an earlier version that comes back',
      [edit, (p) => execute(p.context, restoreEntity, { id: '1', version: 1 })],
    ],
    [
      'a change taken back',
      [
        (project) => execute(project.as('robot'), updateEntity, { id: '1', title: 'Worse' }),
        ({ context }) =>
          execute(context, undoChanges, { author: 'robot', since: new Date(0).toISOString() }),
      ],
    ],
    ['a new relation', [relate]],
    ['a relation that is gone', [relate, (p) => execute(p.context, deleteRelation, relation)]],
    [
      'a new dependency',
      [({ context }) => execute(context, updateTask, { id: '1', add_depends_on: ['2'] })],
    ],
  ])('%s', async (_, steps) => {
    await using lodestar = await lodestarWith(TASKS)
    const uris = [T001, SPEC]
    expect(await toldOf(lodestar, uris, steps)).toEqual(uris)
  })

  it.each<[string, Step]>([
    ['edits', edit],
    ['deletions', remove],
    ['purges', purge],
  ])('%s that arrive from elsewhere', async (_, step) => {
    await using lodestar = await lodestarWith(TASKS)
    await using other = await createReplica('other')
    const here = useStore(lodestar.project.context.store, 'here')
    await other.takeIn(await here.lines())
    other.tick(1000)
    await step({ ...lodestar.project, context: other.context })
    const uris = [T001, SPEC]
    const lines = await other.lines()
    expect(await toldOf(lodestar, uris, [() => here.takeIn(lines)])).toEqual(uris)
  })
})

it('a task that waits for another is told when that is out of its way, but not of each edit [subscriptions-task-waits]', async () => {
  const [first, second] = [{ ...TASKS[0] }, { ...TASKS[1], depends_on: ['T001'] }]
  await using lodestar = await lodestarWith([{ ...first, needs_verification: false }, second])
  expect(await toldOf(lodestar, [T002], [edit])).toEqual([])
  const done: Step = ({ context }) => execute(context, completeTask, { id: '1' })
  expect(await toldOf(lodestar, [T002], [done])).toEqual([T002])
})

it('what a purged task was called is in no event', async () => {
  await using project = await setup()
  await using lodestar = await lodestarWith([{ key: 'zebrafant', title: 'Zebrafant' }], { project })
  await execute(project.context, updateEntity, { id: '1', content: 'zebrafant' })
  await execute(project.context, purgeEntity, { id: '1', confirm: true })
  const events = await lodestar.project.context.store.events.after(BEFORE_ALL, { limit: 100 })
  expect(events.at(-1)).toMatchObject({ type: 'entity.purged', data: { type: 'task', number: 1 } })
  expect(JSON.stringify(events)).not.toMatch(/zebrafant/i)
})
