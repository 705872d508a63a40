import * as z from 'zod'
import { covers, overlaps } from '../domain/glob.ts'
import type { EntityReader, EntityRow } from '../store/entities.ts'
import type { LeaseReader } from '../store/leases.ts'
import { time, toTime } from './entity-view.ts'
import { taskOf } from './task-of.ts'
import { taskLabel, toTaskLabel } from './task-view.ts'

/** Files that another agent has reserved by holding a task that names them. */
export const reservation = z.object({
  agent_id: z.string(),
  agent_name: z.string().optional(),
  task: taskLabel,
  pattern: z.string(),
  expires_at: time,
})
export type Reservation = z.output<typeof reservation>

interface Source {
  readonly entities: EntityReader
  readonly leases: LeaseReader
}

interface Asker {
  readonly agentId: string | undefined
  readonly now: number
}

/** What others have reserved of the files that a task names. */
export async function overlappingLocks(
  source: Source,
  task: EntityRow,
  asker: Asker,
): Promise<Reservation[]> {
  const { locks = [] } = taskOf(task)
  if (locks.length === 0) return []
  return await reservations(source, asker, (pattern) => locks.some((own) => overlaps(own, pattern)))
}

/** What others have reserved that covers this file. */
export async function locksOn(source: Source, file: string, asker: Asker): Promise<Reservation[]> {
  return await reservations(source, asker, (pattern) => covers(pattern, file))
}

async function reservations(
  { entities, leases }: Source,
  { agentId, now }: Asker,
  concerns: (pattern: string) => boolean,
): Promise<Reservation[]> {
  const found: Reservation[] = []
  for (const lease of await leases.held(now)) {
    if (lease.agentId === agentId) continue
    const task = await entities.byId(lease.taskId)
    if (task === undefined) continue
    for (const pattern of (taskOf(task).locks ?? []).filter(concerns)) {
      found.push({
        agent_id: lease.agentId,
        ...(lease.agentName !== null && { agent_name: lease.agentName }),
        task: toTaskLabel(task),
        pattern,
        expires_at: toTime(lease.expiresAt),
      })
    }
  }
  return found
}
