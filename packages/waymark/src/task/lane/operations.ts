import * as z from 'zod'
import { defineOperation } from '../../core/operation.ts'
import { counted, line } from '../../core/show.ts'
import { parseMoment } from '../../support/text/moment.ts'
import { yieldToEventLoop } from '../../support/yield-to-event-loop.ts'
import { moment } from '../fields.ts'
import { settleExpiredLeases } from '../lease/expire-leases.ts'
import type { ReadContext } from '../../core/context.ts'
import { SPAN_ENDS, type SpanRow } from './store.ts'

const DAY = 24 * 60 * 60 * 1000

/** Read in one go, before other requests get their turn. */
const ROWS_AT_ONCE = 2000
const MOST_SPANS = 20_000
const MOST_MESSAGES = 5000

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
    messages: z
      .array(
        z.object({
          agent_id: z.string().describe('Who sent it'),
          to: z.string().optional().describe('Absent for a broadcast'),
          at: z.int(),
          severity: z.string(),
          task: z.int().optional(),
        }),
      )
      .describe('When messages were sent'),
    truncated: z.boolean(),
  }),
  async run(context, input) {
    await settleExpiredLeases(context)
    const { store } = context
    const now = await store.now(context)
    const to = (input.to === undefined ? undefined : parseMoment(input.to)) ?? now + 1
    const from = (input.from === undefined ? undefined : parseMoment(input.from)) ?? to - DAY
    const isWanted = (id: string): boolean => input.agents.length === 0 || input.agents.includes(id)
    // A day more, so that who held a task before is known.
    const all = await findSpans(context, from - DAY, to)
    const spans = all
      .filter(({ agentId, endedAt }) => isWanted(agentId) && (endedAt ?? now) >= from)
      .slice(0, MOST_SPANS)
    const messages = (await store.messages.sentBetween(from, to, MOST_MESSAGES)).filter(
      ({ fromAgent }) => isWanted(fromAgent),
    )
    const ids = new Set([
      ...spans.map(({ agentId }) => agentId),
      ...messages.map(({ fromAgent }) => fromAgent),
    ])
    const renewals = await findRenewals(context, from, to)
    return {
      from,
      to,
      agents: await Promise.all(
        [...ids].map(async (id) => {
          const name = (await store.agents.byId(id))?.name ?? null
          return { id, ...(name !== null && { name }) }
        }),
      ),
      spans: spans.map(({ taskId, number, agentId, beganAt, endedAt, reason, ...one }) => ({
        agent_id: agentId,
        task: number,
        title: one.title,
        fence: one.fence,
        from: beganAt,
        to: endedAt,
        end: one.ending,
        ...(reason !== null && { reason }),
        renewals: (renewals.get(taskId) ?? []).filter(
          (at) => at >= beganAt && at <= (endedAt ?? now),
        ),
      })),
      handovers: toHandovers(all).filter((one) => one.at >= from && isWanted(one.to)),
      messages: messages.map(({ fromAgent, toAgent, at, severity, number }) => ({
        agent_id: fromAgent,
        ...(toAgent !== null && { to: toAgent }),
        at,
        severity,
        ...(number !== null && { task: number }),
      })),
      truncated: spans.length === MOST_SPANS || messages.length === MOST_MESSAGES,
    }
  },
  show: ({ spans, agents }) => [
    line`${counted(spans.length, 'lease')} of ${counted(agents.length, 'agent')}; --json prints them`,
  ],
})

/** The leases of a time, by their begin. */
async function findSpans(context: ReadContext, from: number, to: number): Promise<SpanRow[]> {
  const { spans } = context.store
  const found = await spans.open()
  let after: SpanRow | undefined
  do {
    const page = await spans.ended({ from, after, limit: ROWS_AT_ONCE })
    found.push(...page)
    after = page.length === ROWS_AT_ONCE ? page.at(-1) : undefined
    await yieldToEventLoop(context.signal)
  } while (after !== undefined && found.length < 2 * MOST_SPANS)
  return found
    .filter(({ beganAt }) => beganAt < to)
    .toSorted((one, other) => one.beganAt - other.beganAt || one.fence - other.fence)
}

/** When leases were renewed, by task, as far as events are kept. */
async function findRenewals({ store, signal }: ReadContext, from: number, to: number) {
  const times = new Map<string, number[]>()
  let cursor = await store.events.lastBefore(from - DAY)
  for (;;) {
    const query = { limit: ROWS_AT_ONCE, types: ['task.renewed'] }
    const events = await store.events.after(cursor, query)
    for (const { subject, at } of events) {
      const known = times.get(subject)
      if (known === undefined) times.set(subject, [at])
      else known.push(at)
    }
    const last = events.at(-1)
    if (last === undefined || last.at >= to || events.length < ROWS_AT_ONCE) return times
    cursor = last.id
    await yieldToEventLoop(signal)
  }
}

/** Tasks that another agent took up than the one that held them last. */
function toHandovers(spans: readonly SpanRow[]) {
  const last = new Map<string, SpanRow>()
  return spans.flatMap((span) => {
    const before = last.get(span.taskId)
    last.set(span.taskId, span)
    if (before === undefined || before.agentId === span.agentId) return []
    // Finished work that is opened again was not handed over.
    if (before.ending === 'done' || before.ending === 'cancelled') return []
    return [{ task: span.number, from: before.agentId, to: span.agentId, at: span.beganAt }]
  })
}
