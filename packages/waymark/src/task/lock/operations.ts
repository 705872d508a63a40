import * as z from 'zod'
import { agentId, readingAgentId } from '../../agent/acting-agent.ts'
import { oneLine } from '../../core/input/schema.ts'
import { defineOperation } from '../../core/operation.ts'
import { line } from '../../core/show.ts'
import { showReservations } from '../show.ts'
import { locksOn, reservation, reservations, reservedByOthers } from './locks.ts'

export const checkEdit = defineOperation({
  name: 'task.check_edit',
  summary: 'Say whether another agent has reserved a file that you are about to change',
  example: 'src/parser.ts',
  effect: 'read',
  input: z.object({
    path: oneLine({ max: 1024 }).describe(
      'File or folder, from the top of the repository or absolute',
    ),
    agent_id: agentId,
  }),
  output: z.object({
    path: z.string().describe('What it leads to, from the top of the repository'),
    free: z.boolean(),
    reserved_by: z.array(reservation),
  }),
  positional: ['path'],
  async run(context, { path, agent_id }) {
    const now = await context.store.now(context)
    const asker = { agentId: readingAgentId(context, agent_id), now }
    const { path: found, reserved } = await locksOn(context, path, asker)
    return { path: found, free: reserved.length === 0, reserved_by: reserved }
  },
  show: showReservations,
})

export const listReserved = defineOperation({
  name: 'task.reserved',
  summary: 'List the files that other agents have reserved',
  example: '',
  effect: 'read',
  input: z.object({ agent_id: agentId }),
  output: reservations,
  async run(context, { agent_id }) {
    const now = await context.store.now(context)
    const asker = { agentId: readingAgentId(context, agent_id), now }
    return { reserved: await reservedByOthers(context.store, asker) }
  },
  show: ({ reserved }) =>
    reserved.length === 0
      ? [line`no files are reserved`]
      : reserved.flatMap((one) => showReservations({ path: one.pattern, reserved_by: [one] })),
})
