import type { Agent, Context } from '../context.ts'
import type { EntityRow } from '../store/entities.ts'
import type { Change } from './change.ts'
import { admitWriter, type Writer } from './leases.ts'
import { announceTask } from './record-task.ts'

/** Through what a deletion came, as the record names it. */
const ACTORS = {
  mcp: 'mcp_server',
  http: 'http_server',
  cli: 'command_line',
  api: 'program',
} as const satisfies Record<Agent['surface'], string>

/**
 * Deletes a task for good: what it said is gone, and what is left is a stone with its id and number, so that neither
 * is ever given again and other clones learn that it is gone. Who did it, when and why stays in the events.
 */
export async function deleteTask(
  context: Context,
  change: Change,
  task: EntityRow,
  writer: Writer,
): Promise<void> {
  const { reason } = writer
  const agentId = await admitWriter(context, change, task, writer)
  const relations = await change.relations.removeAllOf(task.id, change.stamp)
  for (const { sourceId, type, targetId } of relations) {
    await change.announce('relation.deleted', sourceId, { type, target: targetId })
  }
  await change.entities.remove(task.id, change.stamp)
  await change.entities.purge(task.id)
  // The record says that it is gone, not what it said.
  await announceTask(
    change,
    { ...task, title: '', properties: {} },
    {
      type: 'entity.deleted',
      facts: {
        action: 'delete',
        actor: ACTORS[context.agent.surface],
        ...(agentId !== undefined && { agent_id: agentId }),
        ...(reason !== undefined && { reason }),
      },
    },
  )
}
