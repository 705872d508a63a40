import type { BlockedTask } from '../../../task/queue/operations.ts'
import type { TaskSummary, TaskView } from '../../../task/view.ts'
import type { Trust } from '../../../agent/trust.ts'
import { describeRelease, describeTask, NEIGHBOURS } from '../../../task/show-agent.ts'
import { describeReceived } from '../../../agent/trust-text.ts'
import type { Linked } from '../../../entity/linked/linked.ts'
import { describeLinked } from '../../../entity/linked/show.ts'
import { pick, pickProvenance } from '../define-tool.ts'

/** A task in a list, without UUIDs: the number is enough to name it. */
export function toTaskRow(task: TaskSummary) {
  return {
    ...pick(task, ['number', 'key', 'title', 'status', 'priority', 'due_date', 'defer_until']),
    ...pick(task, ['assignee', 'labels', 'verified', 'parked']),
    ...pick({ depends_on: task.depends_on.map(({ number }) => number) }, ['depends_on']),
    ...toHolder(task),
    ...(task.received && { received: describeReceived(task.received).join(', ') }),
    ...pick(task, ['created_by']),
  }
}

/** With the tasks that it waits for. */
export function toBlockedRow(task: BlockedTask) {
  return {
    ...toTaskRow(task),
    ...pick({ blockers: task.blockers.map(describeTask) }, ['blockers']),
  }
}

/** Everything about a task, and where it was looked up, how far it can be relied on. */
export function toWholeTask(task: TaskView & { readonly trust?: Trust; readonly linked?: Linked }) {
  const named = NEIGHBOURS.map((name) => [name, task[name].map(describeTask)] as const)
  return {
    ...pickProvenance(task.trust),
    ...toTaskRow(task),
    ...pick(task, ['content', 'acceptance_criteria', 'locks', 'task_type', 'close_reason']),
    ...pick(task, ['completed_by', 'completed_at', 'verified_by', 'updated_at']),
    ...pick(Object.fromEntries(named), NEIGHBOURS),
    ...pick({ released: describeRelease(task) }, ['released']),
    ...pick({ linked: describeLinked(task.linked) }, ['linked']),
  }
}

interface Holder {
  readonly held_by?: string
  readonly holder?: string
  readonly fence?: number
  readonly lease_until?: string
}

function toHolder({ lease }: TaskSummary): Holder {
  if (lease === undefined) return {}
  return {
    held_by: lease.agent_id,
    ...(lease.agent_name !== undefined && { holder: lease.agent_name }),
    fence: lease.fence,
    lease_until: lease.expires_at,
  }
}
