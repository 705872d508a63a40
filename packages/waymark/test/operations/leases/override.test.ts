import { describe, expect, it } from 'vitest'
import type { Agent, Context } from '../../../src/core/context.ts'
import { agentIdOf, toAgentId } from '../../../src/agent/agent.ts'
import { execute } from '../../../src/core/execute.ts'
import type { Operation } from '../../../src/core/operation.ts'
import { deleteEntity, updateEntity } from '../../../src/entity/operations.ts'
import { listEvents } from '../../../src/event/operations.ts'
import { restoreEntity } from '../../../src/sync/history/operations.ts'
import { editTasks } from '../../../src/task/state/bulk.ts'
import { claimTask, releaseTask, renewTask } from '../../../src/task/lease/operations.ts'
import { cancelTask, completeTask, reopenTask } from '../../../src/task/state/operations.ts'
import { createTask, getTask, removeTask, updateTask } from '../../../src/task/operations.ts'
import { type Setup, setup } from '../../setup.ts'
import { toEntityId } from '../../../src/entity/entity-id.ts'

interface Held extends Setup {
  readonly ada: Context
  readonly person: Context
  readonly fence: number
}

async function heldTask(): Promise<Held> {
  const project = await setup()
  const ada = project.as('ada')
  await execute(project.context, createTask, { title: 'T' })
  const { lease } = await execute(ada, claimTask, { id: '1' })
  const agent: Agent = { name: 'Pat', surface: 'cli', assumed: true }
  return { ...project, ada, person: project.as('', { agent }), fence: lease.fence }
}

const WRITES: readonly (readonly [string, Operation, object])[] = [
  ['complete', completeTask, { id: '1' }],
  ['cancel', cancelTask, { id: '1' }],
  ['release', releaseTask, { id: '1' }],
  ['reopen', reopenTask, { id: '1' }],
  ['update', updateTask, { id: '1', title: 'Pat’s' }],
  ['edit', editTasks, { edits: [{ id: '1', action: 'cancel', force: true }] }],
  ['delete', removeTask, { id: '1' }],
  ['entity.update', updateEntity, { id: '1', title: 'Pat’s' }],
  ['entity.delete', deleteEntity, { id: '1' }],
]

function forced(operation: Operation, input: object): object {
  return operation === editTasks ? input : { ...input, force: true }
}

describe('force', () => {
  it.each(WRITES)(
    'lets a person %s a held task and ends its lease',
    async (_, operation, input) => {
      await using project = await heldTask()
      await execute(project.person, operation, forced(operation, input))
      expect(
        await project.context.store.leases.of(toEntityId((await anyTask(project)).id)),
      ).toMatchObject({
        agentId: null,
      })
      await expect(
        execute(project.ada, renewTask, { id: '1', fence: project.fence }),
      ).rejects.toMatchObject({ code: expect.stringMatching(/^(lease_lost|not_found)$/) })
    },
  )

  const AGENTS: readonly (readonly [string, Agent])[] = [
    ['an agent at the command line', { name: 'bob', surface: 'cli' }],
    ['an agent over MCP', { name: 'bob', surface: 'mcp', id: toAgentId('A0000001') }],
    ['an agent over HTTP', { name: 'bob', surface: 'http', id: toAgentId('A0-1'), owner: 'A0' }],
    ['a program', { name: 'bob', surface: 'api' }],
  ]

  it.each(AGENTS)('does nothing for %s', async (_title, agent) => {
    await using project = await heldTask()
    const before = await execute(project.context, getTask, { id: '1' })
    for (const [name, operation, input] of WRITES) {
      await expect(
        execute(project.as('', { agent }), operation, forced(operation, input)),
        name,
      ).rejects.toMatchObject({
        code: expect.stringMatching(/^(conflict|lease_lost)$/),
      })
    }
    expect(await execute(project.context, getTask, { id: '1' })).toEqual(before)
  })

  it('is needed by a person too', async () => {
    await using project = await heldTask()
    await expect(execute(project.person, cancelTask, { id: '1' })).rejects.toMatchObject({
      details: { reason: 'held' },
    })
  })

  it('leaves an event that says who ended whose lease, and why', async () => {
    await using project = await heldTask()
    const reason = 'ada is stuck'
    await execute(project.person, cancelTask, { id: '1', force: true, reason })
    const { events } = await execute(project.context, listEvents, { types: ['lease.ended'] })
    expect(events).toMatchObject([
      {
        agent: 'Pat',
        data: { holder: agentIdOf('ada'), fence: 1, how: 'force', reason, number: 1 },
      },
    ])
  })

  it('puts the task back to todo when it is released or reopened', async () => {
    const operations: readonly Operation[] = [releaseTask, reopenTask]
    for (const operation of operations) {
      await using project = await heldTask()
      await execute(project.person, operation, { id: '1', force: true })
      expect(await execute(project.context, getTask, { id: '1' })).toMatchObject({ status: 'todo' })
    }
  })

  it('ends the fence: the late holder is refused and told who ended the lease, also after a reopening [override-ends-fence]', async () => {
    await using project = await heldTask()
    const { ada, person, fence } = project
    await execute(person, cancelTask, { id: '1', force: true })
    const refusal = {
      code: 'lease_lost',
      message: expect.stringContaining('Pat ended the lease'),
      details: { reason: 'ended_by_person', ended_by: 'Pat' },
    }
    const writes = [
      () => execute(ada, completeTask, { id: '1', fence }),
      () => execute(ada, updateTask, { id: '1', fence, title: 'late' }),
    ]
    for (const write of writes) await expect(write()).rejects.toMatchObject(refusal)
    await execute(person, reopenTask, { id: '1' })
    for (const write of writes) await expect(write()).rejects.toMatchObject(refusal)
    expect(await execute(project.as('bob'), claimTask, { id: '1' })).toMatchObject({
      renewed: false,
    })
  })
})

/** How a task is taken from its holder without another agent that claims it. */
const LOSSES: readonly (readonly [string, (project: Held) => Promise<unknown>])[] = [
  ['a release by a person who acts as the holder', releaseForHolder],
  [
    'such a release and a reopening',
    async (project) => {
      await releaseForHolder(project)
      await execute(project.person, reopenTask, { id: '1' })
    },
  ],
  ['a release of its own', ({ ada }) => execute(ada, releaseTask, { id: '1' })],
  [
    'a time-out',
    async (project) => {
      project.tick(16 * 60_000)
    },
  ],
]

async function releaseForHolder({ person }: Held): Promise<void> {
  await execute(person, releaseTask, { id: '1', agent_id: agentIdOf('ada') })
}

const FENCED: readonly (readonly [string, Operation, (fence: number) => object])[] = [
  ['complete', completeTask, (fence) => ({ id: '1', fence })],
  ['cancel', cancelTask, (fence) => ({ id: '1', fence })],
  ['reopen', reopenTask, (fence) => ({ id: '1', fence })],
  ['update', updateTask, (fence) => ({ id: '1', fence, title: 'late' })],
  ['edit', editTasks, (fence) => ({ edits: [{ id: '1', action: 'complete', fence }] })],
]

describe('a fence', () => {
  it.each(LOSSES)('is refused by every write after %s', async (_, lose) => {
    await using project = await heldTask()
    await lose(project)
    for (const [, operation, toInput] of FENCED) {
      await expect(execute(project.ada, operation, toInput(project.fence))).rejects.toMatchObject({
        code: 'lease_lost',
      })
    }
    expect(await execute(project.context, getTask, { id: '1' })).toMatchObject({
      title: 'T',
      status: expect.stringMatching(/^(todo|in_progress)$/),
    })
  })

  it('from before the task was reopened is refused', async () => {
    await using project = await heldTask()
    const { ada, fence } = project
    await execute(ada, completeTask, { id: '1', fence })
    await execute(project.context, reopenTask, { id: '1' })
    await expect(execute(ada, completeTask, { id: '1', fence })).rejects.toMatchObject({
      code: 'lease_lost',
    })
  })

  it('of the holder is good after the holder has closed the task: a repeated call changes nothing', async () => {
    await using project = await heldTask()
    const { ada, fence } = project
    await execute(ada, completeTask, { id: '1', fence })
    expect(await execute(ada, completeTask, { id: '1', fence })).toMatchObject({ changed: false })
  })

  it('is refused after another agent has closed the task whose lease had run out', async () => {
    await using project = await heldTask()
    const { ada, fence } = project
    project.tick(16 * 60_000)
    await execute(project.as('bob'), completeTask, { id: '1' })
    await expect(execute(ada, updateTask, { id: '1', fence, title: 'late' })).rejects.toMatchObject(
      { code: 'lease_lost' },
    )
  })

  it('from before the task was deleted is refused when the task comes back', async () => {
    await using project = await heldTask()
    const { ada, fence, context } = project
    await execute(ada, deleteEntity, { id: '1' })
    await execute(context, restoreEntity, { id: '1' })
    await expect(execute(ada, updateTask, { id: '1', fence, title: 'x' })).rejects.toMatchObject({
      code: 'lease_lost',
    })
  })
})

async function anyTask({ context }: Setup): Promise<{ readonly id: string }> {
  const [found] = await context.store.replica.named({ number: 1 })
  if (found === undefined) throw new Error('there is no task')
  return found.row
}
