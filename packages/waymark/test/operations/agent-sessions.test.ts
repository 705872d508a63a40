import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { describe, expect, it } from 'vitest'
import { ownedAgentId, ownerIdOf, toAgentId } from '../../src/agent/agent.ts'
import { joinAgent, listAgents } from '../../src/agent/operations.ts'
import { showBrief } from '../../src/brief/operations.ts'
import type { Agent, Context } from '../../src/core/context.ts'
import { execute } from '../../src/core/execute.ts'
import type { Operation } from '../../src/core/operation.ts'
import { createEntity, listEntities } from '../../src/entity/operations.ts'
import { listEvents } from '../../src/event/operations.ts'
import { sendMessage } from '../../src/message/operations.ts'
import { showStatus } from '../../src/project/status.ts'
import { thisProcess, toProcessName } from '../../src/support/process-identity.ts'
import { claimTask, releaseTask, renewTask, takeTask } from '../../src/task/lease/operations.ts'
import { createTask, getTask, updateTask } from '../../src/task/operations.ts'
import { completeTask } from '../../src/task/state/operations.ts'
import { type Setup, setup } from '../setup.ts'

const MINUTE = 60_000
const RUNNING = thisProcess()
const UNKNOWN = 'elsewhere 1 1'

function ended(): string {
  return toProcessName(spawnSync(process.execPath, ['--version']).pid, '1')
}

interface SessionOptions {
  readonly process?: string
  readonly name?: string
  readonly root?: string
  readonly owner?: string
}

/** A session of a host, served by a process of its own; over HTTP if there is none. */
function session(project: Setup, id: string, options: SessionOptions = {}): Context {
  const { process, name = 'claude-code', root, owner } = options
  const agent: Agent = {
    name,
    surface: 'mcp',
    id: owner === undefined ? toAgentId(id) : ownedAgentId(owner, id),
    session: id,
    ...(owner !== undefined && { owner }),
    ...(process !== undefined && {
      process: { name: process, startedAt: project.context.now() },
    }),
  }
  return project.as('', { agent, ...(root !== undefined && { project: { root } }) })
}

async function projectWithTasks(count = 2): Promise<Setup> {
  const project = await setup()
  for (let number = 1; number <= count; number += 1) {
    await execute(project.context, createTask, { title: `T${number}` })
  }
  return project
}

async function leasesOf(context: Context) {
  return (await execute(context, showBrief, {})).leases
}

async function namesOf({ context }: Setup): Promise<readonly string[]> {
  const { agents } = await execute(context, listAgents, {})
  return agents.map(({ name = '' }) => name).toSorted()
}

it('a session that only writes is listed among the agents, with one event [writing-session-is-listed]', async () => {
  await using project = await setup()
  const planner = session(project, 'S1', { process: RUNNING, name: 'planner' })
  await execute(planner, createTask, { title: 'Plan' })
  await execute(planner, createTask, { title: 'More' })
  expect(await namesOf(project)).toEqual(['planner'])
  const { events } = await execute(project.context, listEvents, {})
  expect(events.filter(({ type }) => type === 'agent.joined')).toHaveLength(1)
  // A connection that acts for agents it names is none of them.
  const { agent } = await execute(planner, joinAgent, { name: 'bo', fresh: true })
  const gateway = session(project, 'S2', { process: RUNNING, name: 'gateway' })
  await execute(gateway, claimTask, { id: '1', agent_id: agent.id })
  expect(await namesOf(project)).toEqual(['bo', 'planner'])
})

describe('a session that continues as an agent', () => {
  it('has its leases with the next fence, its unread messages, its news and its answers', async () => {
    await using project = await projectWithTasks()
    const first = session(project, 'S1', { process: ended() })
    const take = { idempotency_key: 'take-1' }
    const { claimed } = await execute(first, takeTask, take)
    await execute(first, showBrief, {})
    await execute(project.as('bo'), sendMessage, { to: 'claude-code', body: 'hello' })
    await execute(project.as('bo'), createEntity, { type: 'note', title: 'news' })
    const second = session(project, 'S2', { process: RUNNING })
    const brief = await execute(second, showBrief, {})
    expect(brief).toMatchObject({
      leases: [{ number: 1, fence: 2 }],
      messages: [{ from: 'bo', text: 'hello' }],
      changes: [{ title: 'news' }],
    })
    expect(await execute(second, takeTask, take)).toMatchObject({
      claimed: { task: { id: claimed?.task.id }, lease: { fence: 2, agent_id: 'S1' } },
    })
    const { events } = await execute(project.context, listEvents, { types: ['agent.resumed'] })
    expect(events).toMatchObject([{ data: { agent_id: 'S1', name: 'claude-code', leases: 1 } }])
  })

  it('is the only one: the session that it replaced is refused, then is a new agent [restarted-session-is-the-only-one]', async () => {
    await using project = await projectWithTasks()
    const first = session(project, 'S1', { process: ended() })
    await execute(first, claimTask, { id: '1' })
    const second = session(project, 'S2', { process: RUNNING })
    expect(await leasesOf(second)).toHaveLength(1)
    const writes: readonly (readonly [Operation, object])[] = [
      [completeTask, { id: '1' }],
      [createEntity, { type: 'note', title: 'late' }],
    ]
    for (const [operation, input] of writes) {
      project.context.store.sessionAgents.set('S1', { id: toAgentId('S1'), name: 'claude-code' })
      await expect(execute(first, operation, input)).rejects.toMatchObject({
        code: 'lease_lost',
        details: { reason: 'session_replaced' },
      })
    }
    await execute(first, claimTask, { id: '2' })
    expect(await namesOf(project)).toEqual(['claude-code', 'claude-code-2'])
    expect(await leasesOf(second)).toMatchObject([{ number: 1 }])
  })

  it('may name the fence of the ended session, and no earlier one [restarted-session-keeps-its-fence]', async () => {
    await using project = await projectWithTasks()
    const context = session(project, 'S1', { process: ended() })
    const { lease: before } = await execute(context, claimTask, { id: '1' })
    await execute(context, releaseTask, { id: '1' })
    const { lease } = await execute(context, claimTask, { id: '1' })
    const second = session(project, 'S2', { process: RUNNING })
    expect(await leasesOf(second)).toMatchObject([{ fence: lease.fence + 1 }])
    await expect(
      execute(second, updateTask, { id: '1', title: 'x', fence: before.fence }),
    ).rejects.toMatchObject({ code: 'lease_lost' })
    await execute(second, updateTask, { id: '1', title: 'x', fence: lease.fence })
    await execute(second, renewTask, { id: '1', fence: lease.fence })
    await execute(second, completeTask, { id: '1', fence: lease.fence })
  })

  it('keeps its fences where the host says that it is the same conversation [same-conversation-same-fence]', async () => {
    await using project = await projectWithTasks()
    const { sessionAgents } = project.context.store
    await execute(session(project, 'S1', { process: ended() }), claimTask, { id: '1' })
    sessionAgents.delete('S1')
    const resumed = session(project, 'S1', { process: RUNNING, root: '/elsewhere' })
    expect(await leasesOf(resumed)).toMatchObject([{ number: 1, fence: 1 }])
    // Its process runs now, so no other session continues as this agent.
    const other = session(project, 'S2', { process: RUNNING, root: '/elsewhere' })
    expect(await leasesOf(other)).toEqual([])
    await execute(resumed, completeTask, { id: '1', fence: 1 })
    expect(await namesOf(project)).toEqual(['claude-code', 'claude-code-2'])
  })

  it('is served by the process that was started last, also while the one before still runs [conversation-in-two-processes]', async () => {
    await using project = await projectWithTasks()
    const { sessionAgents } = project.context.store
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'])
    await once(child, 'spawn')
    const first = { process: toProcessName(Number(child.pid), '') }
    await execute(session(project, 'S1', first), showBrief, {})
    sessionAgents.delete('S1')
    const alive = session(project, 'S1', { process: RUNNING })
    await execute(alive, showBrief, {})
    child.kill('SIGKILL')
    await once(child, 'exit')
    await execute(alive, claimTask, { id: '1' })
    const other = session(project, 'S2', { process: RUNNING })
    expect(await leasesOf(other)).toEqual([])
    await execute(alive, completeTask, { id: '1', fence: 1 })
  })

  it('has another name if a session that began meanwhile took its own [resumed-name-is-free]', async () => {
    await using project = await projectWithTasks()
    const { sessionAgents } = project.context.store
    await execute(session(project, 'S1', { process: ended() }), claimTask, { id: '1' })
    sessionAgents.delete('S1')
    project.tick(2 * 60 * MINUTE)
    await execute(session(project, 'S2', { process: RUNNING, root: '/elsewhere' }), showBrief, {})
    await execute(session(project, 'S1', { process: RUNNING }), showBrief, {})
    expect(await namesOf(project)).toEqual(['claude-code', 'claude-code-2'])
  })

  it('is one of many that start at once: no task has two holders', async () => {
    await using project = await projectWithTasks(1)
    await execute(session(project, 'S0', { process: ended() }), claimTask, { id: '1' })
    const successors = Array.from({ length: 8 }, (_, at) =>
      session(project, `S${at + 1}`, { process: RUNNING }),
    )
    const leases = await Promise.all(successors.map(leasesOf))
    expect(leases.filter(({ length }) => length > 0)).toHaveLength(1)
    expect(new Set(await namesOf(project)).size).toBe(8)
  })

  it('gets the answers of a session that ended within a quarter of an hour, not older ones', async () => {
    await using project = await projectWithTasks(0)
    const note = { type: 'note', title: 'N', idempotency_key: 'k1' }
    await execute(session(project, 'S1', { process: ended() }), createEntity, note)
    project.tick(10 * MINUTE)
    await execute(session(project, 'S2', { process: ended() }), createEntity, note)
    project.tick(6 * MINUTE)
    await execute(session(project, 'S3', { process: RUNNING }), createEntity, note)
    expect(await execute(project.context, listEntities, {})).toMatchObject({ total: 2 })
  })

  it('does not repeat for ever a task that crashes its sessions', async () => {
    await using project = await projectWithTasks(1)
    await execute(session(project, 'S0', { process: ended() }), claimTask, { id: '1' })
    for (let crash = 1; crash <= 20; crash += 1) {
      await leasesOf(session(project, `S${crash}`, { process: ended() }))
    }
    expect(await leasesOf(session(project, 'S21', { process: RUNNING }))).toEqual([])
    expect(await execute(project.context, getTask, { id: '1' })).toMatchObject({ parked: true })
  })

  it('of an authenticated owner is an agent of that owner', async () => {
    await using project = await projectWithTasks()
    const owner = ownerIdOf('ada')
    await execute(session(project, 'S1', { process: ended(), owner }), claimTask, { id: '1' })
    const second = session(project, 'S2', { process: RUNNING, owner })
    expect(await leasesOf(second)).toMatchObject([{ number: 1 }])
    await execute(second, completeTask, { id: '1' })
  })
})

describe('a session is a new agent', () => {
  it.each<readonly [string, SessionOptions, SessionOptions]>([
    ['while the other one runs', { process: RUNNING }, {}],
    ['when nothing is known of the other one', { process: UNKNOWN }, {}],
    ['beside a session over HTTP that has not ended', {}, {}],
    ['in another host', { process: ended() }, { name: 'cursor' }],
    ['in another worktree', { process: ended() }, { root: '/elsewhere' }],
    ['of another owner', { process: ended() }, { owner: ownerIdOf('ada') }],
  ])('%s', async (_, before, after) => {
    await using project = await projectWithTasks()
    await execute(session(project, 'S1', before), claimTask, { id: '1' })
    const second = session(project, 'S2', { process: RUNNING, ...after })
    expect(await leasesOf(second)).toEqual([])
    await expect(execute(second, completeTask, { id: '1' })).rejects.toMatchObject({
      code: 'conflict',
    })
    expect(new Set(await namesOf(project)).size).toBe(2)
  })
})

describe('presence', () => {
  it('is gone when the process has ended, and offline after an hour', async () => {
    await using project = await projectWithTasks()
    await execute(session(project, 'S1', { process: ended() }), claimTask, { id: '1' })
    const list = async () =>
      (await execute(project.context, listAgents, { include_offline: true })).agents
    expect(await list()).toMatchObject([{ presence: 'gone', held: [{ task: { number: 1 } }] }])
    expect((await execute(project.context, listAgents, { presence: 'gone' })).agents).toHaveLength(
      1,
    )
    expect((await execute(project.context, listAgents, { presence: 'active' })).agents).toEqual([])
    // A brief names it as long as it holds a task, and not among those that are here.
    const { agents } = await execute(project.as('bo'), showBrief, {})
    expect(agents).toMatchObject([{ number: 1, gone: true }])
    await execute(session(project, 'S3', { process: ended(), name: 'cy' }), createTask, {
      title: 'Plan',
    })
    expect((await execute(project.as('bo'), showBrief, {})).agents).toHaveLength(1)
    // Status leaves out those that are gone and hold nothing.
    expect((await execute(project.context, showStatus, {})).agents).toMatchObject([
      { name: 'bo', presence: 'active' },
      { name: 'claude-code', presence: 'gone', holds: [1] },
    ])
    expect(await execute(project.as('bo'), sendMessage, { body: 'hello' })).toMatchObject({
      delivered_names: [],
    })
    project.tick(61 * MINUTE)
    expect((await list()).map(({ presence }) => presence)).toContain('offline')
  })

  it('is gone when a session that gives signs of life has stopped doing so', async () => {
    await using project = await projectWithTasks()
    const { store } = project.context
    await execute(session(project, 'S1', { process: UNKNOWN }), claimTask, { id: '1' })
    const known = await store.agentSessions.of(toAgentId('S1'))
    if (known === undefined) throw new Error('there is no session')
    await store.write((tx) => tx.agentSessions.put({ ...known, beats: true }))
    const presenceOf = async () =>
      (await execute(project.context, listAgents, {})).agents.map(({ presence }) => presence)
    project.tick(50_000)
    expect(await presenceOf()).toEqual(['active'])
    await store.write(async (tx) =>
      tx.agentSessions.touchProcess(UNKNOWN, await tx.now(project.context)),
    )
    project.setClock(90 * MINUTE)
    project.tick(50_000)
    expect(await presenceOf()).toEqual(['active'])
    project.tick(20_000)
    expect(await presenceOf()).toEqual(['gone'])
    expect(await leasesOf(session(project, 'S2', { process: RUNNING }))).toHaveLength(1)
  })

  it('frees the name of a session that ended long ago', async () => {
    await using project = await projectWithTasks()
    const elsewhere = { process: ended(), root: '/elsewhere' }
    await execute(session(project, 'S1', elsewhere), claimTask, { id: '1' })
    project.tick(61 * MINUTE)
    await execute(session(project, 'S2', { process: ended() }), claimTask, { id: '2' })
    expect(await namesOf(project)).toEqual(['claude-code'])
    await leasesOf(session(project, 'S3', { ...elsewhere, process: RUNNING }))
    expect(await namesOf(project)).toEqual(['claude-code', 'claude-code-2'])
  })
})
