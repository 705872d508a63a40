import type { DialectTool } from '../dialect.ts'
import { agentTools } from './agent-tools.ts'
import { leaseTools } from './lease-tools.ts'
import { messageTools } from './message-tools.ts'
import { taskTools } from './task-tools.ts'

/** In the order of the spec. */
const NAMES = [
  'repo.status',
  'agent.join',
  'agent.heartbeat',
  'agent.leave',
  'task.list',
  'task.get',
  'task.next',
  'task.claim',
  'task.release',
  'task.done',
  'task.verify',
  'task.context',
  'message.send',
  'message.list',
  'message.ack',
  'events.pull',
]

export function loadTools(): readonly DialectTool[] {
  const tools = [...agentTools(), ...taskTools(), ...leaseTools(), ...messageTools()]
  const place = ({ listed }: DialectTool) => NAMES.indexOf(listed.name.replace('lodestar.', ''))
  return tools.toSorted((one, other) => place(one) - place(other))
}
