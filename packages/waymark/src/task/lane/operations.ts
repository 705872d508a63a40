import * as z from 'zod'
import { defineOperation } from '../../core/operation.ts'
import { counted, line } from '../../core/show.ts'
import { parseMoment } from '../../support/text/moment.ts'
import { yieldToEventLoop } from '../../support/yield-to-event-loop.ts'
import { moment } from '../fields.ts'
import { settleExpiredLeases } from '../lease/expire-leases.ts'
import { LANE_EVENTS, SPAN_ENDS, SpanReader } from './spans.ts'

const DAY = 24 * 60 * 60 * 1000

/** Read in one go, before other requests get their turn. */
const EVENTS_AT_ONCE = 2000
const MOST_SPANS = 20_000

const span = z.object({
  agent_id: z.string(),
  task: z.int(),
  title: z.string(),
  fence: z.int(),
  from: z.int().describe('Milliseconds since 1970'),
  to: z.int().nullable().describe('null while it is held'),
  end: z.enum(SPAN_ENDS),
  reason: z.string().optional(),
  renewals: z.array(z.int()),
})

export const listLanes = defineOperation({
  name: 'lane.list',
  summary: 'List the leases of a time, from claim to end, for programs that draw them',
  example: '--from 2026-11-15',
  effect: 'read',
  input: z.object({
    from: moment()
      .optional()
      .describe('Leases that ended at or after this time; default a day ago'),
    to: moment().optional().describe('Leases that began before this time'),
    agents: z.array(z.string().trim().max(100)).max(100).default([]).describe('Only of these ids'),
  }),
  output: z.object({
    from: z.int(),
    to: z.int(),
    agents: z.array(z.object({ id: z.string(), name: z.string().optional() })),
    spans: z.array(span),
    handovers: z
      .array(z.object({ task: z.int(), from: z.string(), to: z.string(), at: z.int() }))
      .describe('Tasks that went from one agent to another'),
    truncated: z.boolean(),
  }),
  async run(context, input) {
    await settleExpiredLeases(context)
    const { store, signal } = context
    const now = await store.now(context)
    const to = (input.to === undefined ? undefined : parseMoment(input.to)) ?? now + 1
    const from = (input.from === undefined ? undefined : parseMoment(input.from)) ?? to - DAY
    const reader = new SpanReader()
    // A day more, so that leases which began before are whole.
    let cursor = await store.events.lastBefore(from - DAY)
    for (;;) {
      const events = await store.events.after(cursor, { limit: EVENTS_AT_ONCE, types: LANE_EVENTS })
      for (const event of events) if (event.at < to) reader.read(event)
      const last = events.at(-1)
      if (last === undefined || last.at >= to || events.length < EVENTS_AT_ONCE) break
      cursor = last.id
      await yieldToEventLoop(signal)
    }
    const isWanted = (id: string): boolean => input.agents.length === 0 || input.agents.includes(id)
    const spans = reader.spans
      .filter((one) => isWanted(one.agentId) && (one.to ?? now) >= from)
      .slice(0, MOST_SPANS)
    const ids = [...new Set(spans.map(({ agentId }) => agentId))]
    return {
      from,
      to,
      agents: await Promise.all(
        ids.map(async (id) => {
          const name = (await store.agents.byId(id))?.name ?? null
          return { id, ...(name !== null && { name }) }
        }),
      ),
      spans: spans.map(({ agentId, reason, ...one }) => ({
        agent_id: agentId,
        ...one,
        ...(reason !== null && { reason }),
      })),
      handovers: reader.handovers.filter((one) => one.at >= from && isWanted(one.to)),
      truncated: spans.length === MOST_SPANS,
    }
  },
  show: ({ spans, agents }) => [
    line`${counted(spans.length, 'lease')} of ${counted(agents.length, 'agent')}; --json prints them`,
  ],
})
