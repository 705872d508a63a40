import type { Clock } from '../../core/clock/clock.ts'
import type { ReadStore } from '../../core/store/store.ts'
import { clampLease } from '../../task/lease/lease.ts'
import { toFacts } from '../../task/lease/refusals.ts'
import type { HeldLeaseRow } from '../../task/lease/store.ts'
import type { HookStore, HookTransaction } from './hook-store.ts'
import type { HookAgent } from './session-agent.ts'

/** A sign of life is written at most so often: each one waits for the disk. */
const WRITE_EVERY_MS = 60_000

/** A lease of an ended session lasts so long: a resumed session goes on with it, others get it soon. */
const GRACE_MS = 2 * 60_000

/** An agent that said why it stops is not asked again so soon. */
const REMIND_EVERY_MS = 15 * 60_000

/** How long a hook waits for the write lock. */
const PATIENCE_MS = 1000

const EDITED = 'agent.edited'
const REMINDED = 'agent.reminded'
const MOST_EVENTS = 1000

/** Records that the agent works: extends its leases, and remembers which files it has changed. */
export async function noteEdit(
  store: HookStore,
  clock: Clock,
  agent: HookAgent,
  /** From the top of the working tree. */
  paths: readonly string[],
): Promise<void> {
  const now = await store.now(clock)
  const known = new Set(await editedBy(store, agent, now))
  const fresh = paths.filter((path) => !known.has(path))
  const seen = await store.agents.byId(agent.id)
  const isRecent = seen !== undefined && now - seen.seenAt < WRITE_EVERY_MS
  const length = 1000 * clampLease(seen?.leaseSeconds)
  const isShort = ({ expiresAt }: HeldLeaseRow) => expiresAt - now < length - WRITE_EVERY_MS
  const held = await store.leases.held(now, agent.id)
  if (fresh.length === 0 && isRecent && !held.some(isShort)) return
  await writeSoon(store, async (tx) => {
    const at = await tx.now(clock)
    if (!(await isCurrent(tx, agent, at))) return
    for (const { taskId, expiresAt } of await tx.leases.held(at, agent.id)) {
      const until = Math.max(expiresAt, at + length)
      const lease = await tx.leases.renew(
        taskId,
        { agentId: agent.id },
        { now: at, expiresAt: until },
      )
      if (lease !== undefined)
        await append(tx, agent, { type: 'task.renewed', subject: taskId, at, data: toFacts(lease) })
    }
    for (const path of fresh)
      await append(tx, agent, { type: EDITED, subject: agent.id, at, data: { path } })
  })
}

/** The files that the agent has changed since it holds its oldest task, from the top of the working tree. */
export async function editedBy(
  { events, leases }: Pick<ReadStore, 'events' | 'leases'>,
  { id }: HookAgent,
  now: number,
): Promise<readonly string[]> {
  const [oldest] = await leases.held(now, id)
  if (oldest === undefined) return []
  const cursor = await events.lastBefore(oldest.grantedAt)
  const found = await events.after(cursor, { types: [EDITED], limit: MOST_EVENTS })
  return found.flatMap(({ subject, data: { path } }) =>
    subject === id && typeof path === 'string' ? [path] : [],
  )
}

/** Whether to ask an agent that stops about the tasks it holds: not again shortly after it was asked. */
export async function mayRemind(
  store: HookStore,
  clock: Clock,
  agent: HookAgent,
): Promise<boolean> {
  return await writeSoon(store, async (tx) => {
    const at = await tx.now(clock)
    const cursor = await tx.events.lastBefore(at - REMIND_EVERY_MS)
    const recent = await tx.events.after(cursor, { types: [REMINDED], limit: MOST_EVENTS })
    if (recent.some(({ subject }) => subject === agent.id)) return false
    await append(tx, agent, { type: REMINDED, subject: agent.id, at, data: {} })
    return true
  })
}

/** Ends the session of an agent. What it holds is free after a short time, unless the session is resumed. */
export async function leave(store: HookStore, clock: Clock, agent: HookAgent): Promise<void> {
  await writeSoon(store, async (tx) => {
    const at = await tx.now(clock)
    if (!(await isCurrent(tx, agent, at))) return
    const held = await tx.leases.held(at, agent.id)
    for (const { taskId, expiresAt } of held) {
      const until = Math.min(expiresAt, at + GRACE_MS)
      await tx.leases.renew(taskId, { agentId: agent.id }, { now: at, expiresAt: until })
    }
    await tx.agents.leave(agent.id, at)
    if (agent.session !== undefined) await tx.agentSessions.end(agent.session, at)
    const data = { agent_id: agent.id, edited: await editedBy(tx, agent, at) }
    await append(tx, agent, { type: 'agent.left', subject: agent.id, at, data })
  })
}

/** A host waits for its hooks, so a write gives up while another process writes for long. */
async function writeSoon<T>(
  store: HookStore,
  work: (tx: HookTransaction) => Promise<T>,
): Promise<T> {
  return await store.write(work, { signal: AbortSignal.timeout(PATIENCE_MS) })
}

/** Records a sign of life. False if another session acts as the agent by now. */
async function isCurrent(
  tx: HookTransaction,
  { id, session }: HookAgent,
  at: number,
): Promise<boolean> {
  if (session !== undefined && !(await tx.agentSessions.touch(id, session, at))) return false
  await tx.agents.touch(id, at)
  return true
}

type Event = Omit<Parameters<HookTransaction['events']['append']>[0], 'agent' | 'agentId'>

async function append(tx: HookTransaction, { id, name }: HookAgent, event: Event): Promise<void> {
  await tx.events.append({ ...event, agent: name, agentId: id })
}
