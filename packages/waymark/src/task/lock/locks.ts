import * as z from 'zod'
import type { Context, ReadContext } from '../../core/context.ts'
import { overlaps } from '../../support/text/glob.ts'
import {
  type NamedPlace,
  type NamedPlaces,
  openNamedPlaces,
} from '../../support/files/named-places.ts'
import { parse } from '../../core/input/parse.ts'
import { remoteName } from '../../core/remote.ts'
import { time, toTime } from '../../entity/view.ts'
import { taskLabel, toTaskLabel } from '../view.ts'
import { findLocks, isCovered, locate, type Lock, type LockSource } from './find-locks.ts'
import type { AgentId } from '../../agent/agent.ts'

/** Files that another agent has reserved by holding a task that names them. */
export const reservation = z.object({
  agent_id: z.string(),
  agent_name: z.string().optional(),
  task: taskLabel,
  pattern: z.string(),
  expires_at: time,
  granted_at: time.optional().describe('Since when; absent from servers of earlier versions'),
})
export type Reservation = z.output<typeof reservation>

interface Asker {
  readonly agentId: AgentId | undefined
  readonly now: number
}

/** All that other agents have reserved. */
export async function reservedByOthers(
  source: LockSource,
  { agentId, now }: Asker,
): Promise<Reservation[]> {
  const found = await findLocks(source, now)
  return found.filter(({ lease }) => lease.agentId !== agentId).map(toReservation)
}

/** In a clone that has joined a team server, leases are there; the paths that they cover are those of the clone. */
async function findReserved(context: ReadContext, asker: Asker): Promise<readonly Reservation[]> {
  const { remote, agent, signal, store } = context
  if (remote === undefined) return await reservedByOthers(store, asker)
  const answer = await remote.call({
    operation: 'task.reserved',
    input: {},
    agent: remoteName(agent),
    idempotencyKey: undefined,
    signal,
  })
  return parse(reservations, answer).reserved
}

export const reservations = z.object({ reserved: z.array(reservation) })

function toReservation({ lease, task, pattern }: Lock): Reservation {
  return {
    agent_id: lease.agentId,
    ...(lease.agentName !== null && { agent_name: lease.agentName }),
    task: toTaskLabel(task),
    pattern,
    expires_at: toTime(lease.expiresAt),
    granted_at: toTime(lease.grantedAt),
  }
}

/** Those reservations that share a file with these patterns. */
export function overlapping(
  context: Context,
  locks: readonly string[],
  reserved: readonly Reservation[],
): Reservation[] {
  if (locks.length === 0 || reserved.length === 0) return []
  const places = placesOf(context)
  const own = locks.flatMap((lock) => places.expand(lock))
  return reserved.filter(({ pattern }) => {
    const others = places.expand(pattern)
    return own.some((one) => others.some((other) => overlaps(one, other)))
  })
}

interface ReservedPlace extends Pick<NamedPlace, 'path'> {
  readonly reserved: Reservation[]
}

/** What others have reserved that covers this file, or something in this folder. */
export async function locksOn(
  context: ReadContext,
  given: string,
  asker: Asker,
): Promise<ReservedPlace> {
  const places = placesOf(context)
  const place = await places.locate(given)
  const all = await findReserved(context, asker)
  const reserved = all.filter(({ pattern }) => isCovered(place, places.expand(pattern)))
  return { path: place.path, reserved }
}

/** What others have reserved of each of these files or folders. A path outside of the project is skipped. */
export async function locksOnAll(
  context: ReadContext,
  given: readonly string[],
  asker: Asker,
): Promise<readonly { readonly path: string; readonly reservation: Reservation }[]> {
  const all = given.length === 0 ? [] : await findReserved(context, asker)
  if (all.length === 0) return []
  const places = placesOf(context)
  const expanded = all.map((reservation) => ({
    reservation,
    patterns: places.expand(reservation.pattern),
  }))
  const located = await Promise.all(given.map((path) => locate(places, path)))
  return located.flatMap((place) =>
    place === undefined
      ? []
      : expanded
          .filter(({ patterns }) => isCovered(place, patterns))
          .map(({ reservation }) => ({ path: place.path, reservation })),
  )
}

/** Without a working tree, paths and patterns are compared as they are written. */
function placesOf({ project }: ReadContext): NamedPlaces {
  if (project !== undefined) return openNamedPlaces(project.root)
  return {
    locate: async (path) => ({ path, names: [path], isFolder: false }),
    expand: (pattern) => [pattern],
  }
}
