import { setTimeout as pause } from 'node:timers/promises'
import type { EventSink } from '@waymark/baton/http'
import type { ReadContext } from '../../core/context.ts'
import { listenForCommit } from '../../core/store/signal/commit-listener.ts'
import type { ReadStore } from '../../core/store/store.ts'
import type { EventRow } from '../../event/store.ts'
import { toJobView } from '../../job/view.ts'
import { settleExpiredLeases } from '../../task/lease/expire-leases.ts'
import type { PresenceHub } from './presence.ts'
import { toFrame } from './stream-frame.ts'
import type { EventId } from '../../event/event-id.ts'

/** At most ten frames a second; what came meanwhile is one frame. */
const FRAME_MS = 100
/** A comment shows both sides that the connection is open. */
const COMMENT_MS = 15_000
/** A client that reads nothing for so long is let go; it comes back with its cursor. */
const UNREAD_MS = 30_000
const LARGEST_BACKLOG = 1024 * 1024
/** More missed events than this cost more than the snapshot. */
const MOST_EVENTS = 2000

export interface StreamQuery {
  /** The last event that the client has. */
  readonly since: EventId
  readonly types: readonly string[]
  readonly agents: readonly string[]
  readonly subjects: readonly string[]
  readonly wantsTasks: boolean
  readonly wantsJobs: boolean
  /** Whether to tell of commits in the other projects that are served. */
  readonly wantsProjects: boolean
}

interface StreamOptions {
  readonly query: StreamQuery
  readonly sink: EventSink
  readonly presence: PresenceHub
  /** Whether the token of the caller is still good. */
  readonly isSignedIn: () => boolean
  /** Aborted when the client disconnects or the server closes. */
  readonly signal: AbortSignal
}

/** Sends what happens, with the rows that it changed, until one of both sides ends it. */
export async function streamEvents(context: ReadContext, options: StreamOptions): Promise<void> {
  const { sink, signal, presence, query } = options
  using _presence = presence.listen((who) => {
    if (sink.backlog < LARGEST_BACKLOG) sink.write(toEvent('presence', who))
  })
  const jobs = createJobNews(sink)
  if (query.wantsProjects) await tellOfProjects(context, sink, signal)
  let cursor = query.since
  let writtenAt = performance.now()
  try {
    while (!sink.closed && !signal.aborted) {
      if (!options.isSignedIn()) return
      using commit = listenForCommit(context.store)
      await settleExpiredLeases(context)
      if (query.wantsJobs) await jobs.tell(context)
      const step = await nextStep(context, cursor, query)
      if (step === 'behind') return await sendBehind(context, sink)
      if (step === undefined) {
        await commit.nextCommit(await idleTime(context), signal)
        continue
      }
      cursor = step.cursor
      writtenAt = performance.now()
      if (step.text !== undefined && !(await send(sink, step.text, signal))) return
      await pause(FRAME_MS, undefined, { signal })
    }
  } catch (error) {
    if (!signal.aborted) throw error
  } finally {
    sink.end()
  }

  async function idleTime(idle: ReadContext): Promise<number> {
    if (performance.now() - writtenAt >= COMMENT_MS) {
      sink.write(':\n\n')
      writtenAt = performance.now()
    }
    const expiry = await idle.store.leases.nextExpiry()
    if (expiry === undefined) return COMMENT_MS
    const left = expiry - (await idle.store.now(idle))
    return left > 0 ? Math.min(left, COMMENT_MS) : COMMENT_MS
  }
}

/** Sends the running jobs whenever they have come further; once more when none runs. */
function createJobNews(sink: EventSink) {
  let told = '[]'
  return {
    async tell({ store }: ReadContext): Promise<void> {
      const text = JSON.stringify((await store.jobs.running()).map(toJobView))
      if (text === told || sink.backlog >= LARGEST_BACKLOG) return
      told = text
      sink.write(`event: jobs\ndata: ${text}\n\n`)
    },
  }
}

/** A project that changes all the time is told of so often. */
const PROJECT_MS = 1000

/**
 * Tells in which of the served projects something was committed. Their rows are asked for where they are shown. A project
 * that cannot be opened or read keeps no other from being told of.
 */
async function tellOfProjects(
  { served, logger }: ReadContext,
  sink: EventSink,
  signal: AbortSignal,
): Promise<void> {
  const listen = async (name: string, store: ReadStore): Promise<void> => {
    let known = await store.events.latest()
    while (!sink.closed && !signal.aborted) {
      using commit = listenForCommit(store)
      const latest = await store.events.latest()
      if (latest === known) {
        await commit.nextCommit(COMMENT_MS, signal)
        continue
      }
      known = latest
      if (sink.backlog < LARGEST_BACKLOG) sink.write(toEvent('project', { name }))
      await pause(PROJECT_MS, undefined, { signal })
    }
  }
  const all = (await served?.()) ?? []
  await Promise.all(
    all.map(async (project) => {
      const { name } = project
      const end = (error: unknown): void => {
        if (!signal.aborted) logger.debug('the news of a project ended', { name, error })
      }
      try {
        void listen(name, await project.open()).catch(end)
      } catch (error) {
        end(error)
      }
    }),
  )
}

type Step = { readonly cursor: EventId; readonly text?: string } | 'behind' | undefined

async function nextStep(context: ReadContext, cursor: EventId, query: StreamQuery): Promise<Step> {
  const { events } = context.store
  const found = await events.after(cursor, { limit: MOST_EVENTS + 1 })
  // A cursor ahead of the stream predates the restore of an older backup.
  const isLost = cursor < (await events.horizon()) || cursor > (await events.latest())
  if (isLost || found.length > MOST_EVENTS) return 'behind'
  const last = found.at(-1)
  if (last === undefined) return undefined
  const wanted = found.filter((event) => matches(event, query))
  if (wanted.length === 0) return { cursor: last.id }
  const frame = await toFrame(context, { events: wanted, wantsTasks: query.wantsTasks })
  if (frame === undefined) return 'behind'
  return { cursor: last.id, text: `id: ${last.id}\ndata: ${JSON.stringify(frame)}\n\n` }
}

function matches(event: EventRow, { types, agents, subjects }: StreamQuery): boolean {
  const { type, subject, agent, agentId, data } = event
  const isOf = (wanted: readonly string[], ...values: readonly unknown[]): boolean =>
    wanted.length === 0 || values.some((value) => wanted.includes(String(value)))
  return (
    isOf(types, type) && isOf(agents, agent, agentId) && isOf(subjects, subject, data['number'])
  )
}

async function sendBehind({ store }: ReadContext, sink: EventSink): Promise<void> {
  sink.write(toEvent('behind', { cursor: await store.events.latest() }))
}

function toEvent(name: string, data: unknown): string {
  return `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`
}

/** False if the client is let go. */
async function send(sink: EventSink, text: string, signal: AbortSignal): Promise<boolean> {
  if (sink.write(text)) return true
  if (sink.backlog > LARGEST_BACKLOG) {
    sink.write(toEvent('behind', {}))
    return false
  }
  const waiting = new AbortController()
  const patience = pause(UNREAD_MS, false, {
    signal: AbortSignal.any([signal, waiting.signal]),
  }).catch(() => false)
  const isRead = await Promise.race([sink.drained().then(() => true), patience])
  waiting.abort()
  return isRead
}
