import * as z from 'zod'
import { defineOperation } from '../core/operation.ts'
import { line } from '../core/show.ts'
import { shortReply, STORE_EVENTS } from '../hook/host/short-reply.ts'
import { callerId } from './agent.ts'

export const answerHook = defineOperation({
  name: 'agent.hook',
  summary: 'Answer a hook of a host for the calling agent; run by hooks in clones that have joined',
  example: 'prompt',
  effect: 'write',
  input: z.object({
    event: z.enum(STORE_EVENTS).describe('What has happened in the host'),
    paths: z
      .array(z.string().min(1).max(1024))
      .max(100)
      .default([])
      .describe('Files that were changed, from the top of the repository'),
  }),
  output: z.object({ text: z.string().optional().describe('What to tell the agent') }),
  positional: ['event'],
  async run(context, { event, paths }) {
    const id = callerId(context.agent)
    const known = id === undefined ? undefined : await context.store.agents.byId(id)
    if (known === undefined) return {}
    const agent = { id: known.id, name: known.name ?? known.id }
    const text = await shortReply(context.store, context, { event, agent, paths })
    return text === undefined ? {} : { text }
  },
  show: ({ text }) => [text === undefined ? line`nothing to tell` : line`${text}`],
})
