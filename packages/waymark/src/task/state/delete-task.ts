import type { Agent, Context } from '../../core/context.ts'
import type { EntityRow } from '../../entity/store.ts'
import type { Change } from '../../core/change.ts'
import { resolveWriter, type Writer } from '../lease/rules.ts'
import { emitTaskEvent } from '../write/update-task-row.ts'

/** The operation that deleted the task, for the event. */
const ACTORS = {
  mcp: 'mcp_server',
  http: 'http_server',
  cli: 'command_line',
  api: 'program',
  page: 'page',
} as const satisfies Record<Agent['surface'], string>

/**
 * Purges a task. A tombstone with its id and number remains, so that neither is reused and other clones learn of the
 * purge. The events keep who did it, when and why.
 */
export async function deleteTask(
  context: Context,
  change: Change,
  task: EntityRow,
  writer: Writer,
): Promise<void> {
  const { reason } = writer
  const agentId = await resolveWriter(context, change, task, writer)
  const relations = await change.relations.removeAllOf(task.id, change.stamp)
  for (const { sourceId, type, targetId } of relations) {
    await change.announce('relation.deleted', sourceId, { type, target: targetId })
  }
  await change.entities.remove(task.id, change.stamp)
  await change.entities.purge(task.id)
  // The event must not contain the task's text.
  await emitTaskEvent(
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
