import * as z from 'zod'
import { parse, violation } from '../../core/input/parse.ts'
import { MACHINE_CLOCK } from '../../core/clock/machine-clock.ts'
import { Failure } from '../../core/error.ts'
import type { Remote } from '../../core/remote.ts'
import { refuseUnknownTypes } from '../../event/types.ts'
import type { Operation } from '../../core/operation.ts'
import { lookUp } from '../../support/look-up.ts'
import { toFailureAnswer } from '../http/answer/json-answer.ts'
import { createRequestContext, type RouteCall, toDenial } from '../http/request-context.ts'
import { streamEvents, type StreamQuery } from './event-stream.ts'
import { PagePrincipal } from './page-principal.ts'
import type { PageSessions } from './page-sessions.ts'
import type { PresenceHub } from './presence.ts'
import { toEventId } from '../../event/event-id.ts'

const ROWS = ['task', 'agent', 'message', 'job', 'project'] as const

/** Rows in the stream need what their lists need. */
const LISTS = {
  task: 'task.list',
  agent: 'agent.list',
  message: 'message.list',
  job: 'job.list',
  project: 'project.list',
} as const satisfies Record<(typeof ROWS)[number], Operation['name']>

const list = z
  .string()
  .max(2000)
  .default('')
  .transform((text) => text.split(',').filter((part) => part !== ''))

const query = z.object({
  since: z.coerce.number().int().min(0),
  types: list,
  agents: list,
  subjects: list,
  rows: list.pipe(z.array(z.enum(ROWS))),
})

interface Live {
  readonly presence: PresenceHub
  readonly pages: Pick<PageSessions, 'isOpen'> | undefined
  /** Aborted when the server begins to close: a stream has no end to wait for. */
  readonly closing: AbortSignal
}

/** `GET /api/event.stream`: server-sent events for programs that show the project live. */
export async function answerStream(call: RouteCall, live: Live): Promise<void> {
  const { request, reply, principal } = call
  const operation = { name: 'event.stream', effect: 'read' } as const
  const denial = toDenial(call, operation)
  if (denial !== undefined) return reply.send(denial)
  if (request.method !== 'GET') {
    const failure = new Failure('invalid_input', 'event.stream takes GET')
    return reply.send(toFailureAnswer(failure, { status: 405, headers: { allow: 'GET' } }))
  }
  const engine = await call.project.open()
  const { remote } = engine.joined?.() ?? {}
  if (remote !== undefined) return await forwardStream(remote, call, live)
  const wanted = await toQuery(call, () => engine.project.store.events.latest())
  const context = await createRequestContext(engine, call, live.closing, call.stopping)
  await streamEvents(context, {
    query: wanted,
    sink: reply.stream(),
    presence: live.presence,
    isSignedIn: () => isSignedIn(principal, live),
    signal: context.signal,
  })
}

/** The stream of the team server that the clone has joined; the page comes back with its cursor when it ends. */
async function forwardStream(remote: Remote, call: RouteCall, live: Live): Promise<void> {
  const { request, reply, principal } = call
  const gone = new AbortController()
  reply.onDisconnect(() => gone.abort())
  const signal = AbortSignal.any([gone.signal, live.closing, call.stopping])
  const lastEventId = request.header('last-event-id')
  const frames = await remote.follow(allowedQuery(call).toString(), { lastEventId, signal })
  const sink = reply.stream()
  try {
    for await (const frame of frames) {
      if (sink.closed || !isSignedIn(principal, live)) return
      if (!sink.write(frame)) await sink.drained()
    }
  } catch (error) {
    call.logger.debug('the stream of the team server ended', { error })
  } finally {
    gone.abort()
    sink.end()
  }
}

/** The server gives what the token of the clone allows, and this caller may be allowed less. */
function allowedQuery(call: RouteCall): URLSearchParams {
  const allowed = new URLSearchParams(call.request.query)
  const rows = (allowed.get('rows') ?? '').split(',').filter((row) => mayReadRow(call, row))
  if (allowed.has('rows')) allowed.set('rows', rows.join(','))
  return allowed
}

/** A row that there is not is refused where it is asked for. */
function mayReadRow(call: RouteCall, row: string): boolean {
  const list = lookUp(LISTS, row)
  return list === undefined || toDenial(call, { name: list, effect: 'read' }) === undefined
}

async function toQuery(call: RouteCall, latest: () => Promise<number>): Promise<StreamQuery> {
  const { request } = call
  const given = Object.fromEntries(request.query)
  const unknown = Object.keys(given).find((name) => !Object.hasOwn(query.shape, name))
  if (unknown !== undefined)
    throw violation(unknown, 'unknown_field', 'event.stream has no such field')
  const since = request.header('last-event-id') ?? given['since'] ?? (await latest())
  const { rows, ...wanted } = parse(query, { ...given, since })
  refuseUnknownTypes(wanted.types)
  return {
    ...wanted,
    since: toEventId(wanted.since),
    wantsTasks: rows.includes('task') && mayReadRow(call, 'task'),
    wantsJobs: rows.includes('job') && mayReadRow(call, 'job'),
    wantsProjects: rows.includes('project') && mayReadRow(call, 'project'),
  }
}

function isSignedIn(principal: RouteCall['principal'], { pages }: Live): boolean {
  if (principal instanceof PagePrincipal) return pages?.isOpen(principal) ?? false
  return principal.expiresAt === undefined || principal.expiresAt > MACHINE_CLOCK.now()
}
