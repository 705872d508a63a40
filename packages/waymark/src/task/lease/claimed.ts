import * as z from 'zod'
import type { AgentRow } from '../../agent/store.ts'
import type { Change } from '../../core/change.ts'
import type { Context } from '../../core/context.ts'
import { type Warning, warning, warningView } from '../../core/warning.ts'
import type { EntityRow } from '../../entity/store.ts'
import { toTime } from '../../entity/view.ts'
import { messageView, toMessageView } from '../../message/view.ts'
import { toTitle } from '../../support/text/visible-text.ts'
import { asTask } from '../fields.ts'
import { overlapping, reservation, reservedByOthers } from '../lock/locks.ts'
import { isFor, toQueueAgent } from '../queue/assignee.ts'
import { readsOfView } from '../read-ahead.ts'
import { leaseView, taskView, toLeaseView, toTaskView } from '../view.ts'
import type { HeldElsewhere } from './elsewhere/holders.ts'
import type { Claim } from './rules.ts'

/** The answer to a claim. */
export const claimedTask = z.object({
  task: taskView,
  lease: leaseView,
  renewed: z.boolean().describe('true when you held it already'),
  overlaps: z.array(reservation).describe('Files of this task that others have reserved'),
  handoff: messageView.optional().describe('Latest unread message about this task'),
  unread_messages: z.int().describe('Unread messages about this task'),
  warnings: z
    .array(warningView)
    .optional()
    .describe('Whose it is or was, and why it is provisional'),
})
export type Claimed = z.output<typeof claimedTask>

/** Keeps the reservations that overlap. After the transaction, because resolving patterns reads the file system. */
export function withOverlaps(context: Context, claimed: Claimed): Claimed {
  const { task, overlaps } = claimed
  return { ...claimed, overlaps: overlapping(context, task.locks, overlaps) }
}

/** With all reservations of others as overlaps. */
export async function toClaimed(
  change: Change,
  agent: AgentRow,
  { task, lease, renewed, takenFrom }: Claim,
): Promise<Claimed> {
  const now = change.stamp.at
  await change.prefetch(() => readsOfView(change, task.id))
  const unread = await change.messages.unreadAbout(task.id, agent.id)
  const warnings = [
    ...(takenFrom === undefined ? [] : [toTakenFrom(takenFrom)]),
    ...(renewed ? [] : await ofAssignee(change, task, agent)),
  ]
  const view = await toTaskView(change, task, now)
  return {
    task: view,
    lease: toLeaseView(lease, now),
    renewed,
    overlaps:
      view.locks.length === 0 ? [] : await reservedByOthers(change, { agentId: agent.id, now }),
    ...(unread.latest && { handoff: toMessageView({ ...unread.latest, readAt: null }) }),
    unread_messages: unread.count,
    ...(warnings.length > 0 && { warnings }),
  }
}

export function withRemark(claimed: Claimed, remark: Warning | undefined): Claimed {
  if (remark === undefined || claimed.renewed) return claimed
  return { ...claimed, warnings: [...(claimed.warnings ?? []), remark] }
}

/** A task is handed out to its assignee only, but anyone may claim it by its number. */
async function ofAssignee(
  change: Change,
  task: EntityRow,
  agent: AgentRow,
): Promise<readonly Warning[]> {
  const { assignee } = asTask(task)
  if (assignee === undefined || isFor(await toQueueAgent(change, agent), assignee)) return []
  const whose = `task ${task.number} is assigned to ${toTitle(assignee)}`
  return [warning('assigned', `${whose}; agree with them, or release it`)]
}

function toTakenFrom({ by, since, isSilent }: HeldElsewhere): Warning {
  const holder = `${by.join(' and ')} held it in another clone`
  const silence = isSilent ? `, without a change since ${toTime(since)}` : ''
  return warning(
    'taken_over',
    `${holder}${silence}; run \`waymark sync\` so that it is known there`,
  )
}
