import { startOfStream } from '../../session/event-id.ts'
import type { AdmittedRequest, EndpointParts } from './endpoint.ts'
import { toErrorAnswer } from './http-error.ts'
import type { HttpAnswer } from './http-message.ts'
import type { LiveSession } from './live-session.ts'
import { LogReader } from './log-reader.ts'

/** Which stream is read, from where, and what is said first. */
interface StreamStart {
  readonly streamId: string
  readonly after: string
  readonly greeting?: string | undefined
}

/** Where a client wants to go on, and what it is told first. */
export interface StreamRequest {
  /** The last event that it got, if it got any. */
  readonly lastEventId: string | null
  /** Says something before the first event, given the id that the client will read after. */
  readonly greet: (after: string) => string | undefined
}

/** Serves a GET: the session's standalone stream, or the rest of any of its streams after an event. */
export async function serveSessionStream(
  parts: EndpointParts,
  live: LiveSession,
  admitted: AdmittedRequest,
  { lastEventId, greet }: StreamRequest,
): Promise<void> {
  const { reply } = admitted
  const start = await findStart(parts, live, lastEventId)
  if ('status' in start) return reply.send(start)

  const taken = live.readersByStream.get(start.streamId)
  if (taken !== undefined) {
    // Only a client that names the last event it got can be the one whose connection broke; it may not have been
    // noticed here yet. Anybody else would be taking a stream away from a client that is reading it.
    if (lastEventId === null) return reply.send(ALREADY_OPEN)
    taken.end()
  }
  await readStream(parts, live, admitted, { ...start, greeting: greet(start.after) })
}

async function findStart(
  { store }: EndpointParts,
  live: LiveSession,
  lastEventId: string | null,
): Promise<StreamStart | HttpAnswer> {
  if (lastEventId === null) {
    const streamId = live.standaloneStream
    const after = await store.events.undeliveredFrom(live.id, streamId)
    return { streamId, after: after ?? startOfStream(streamId) }
  }
  const replay = await store.events.readAfter(live.id, lastEventId)
  switch (replay.outcome) {
    case 'events':
      return { streamId: replay.streamId, after: lastEventId }
    case 'purged':
      return PURGED
    case 'unknown':
      return UNKNOWN_EVENT
  }
}

/** Connects a client to a stream until one of them ends. */
async function readStream(
  { store, streams }: EndpointParts,
  live: LiveSession,
  { reply, principal }: AdmittedRequest,
  { streamId, after, greeting }: StreamStart,
): Promise<void> {
  const sink = reply.stream()
  if (greeting !== undefined) sink.write(greeting)
  const reader = new LogReader(store.events, sink, { sessionId: live.id, streamId, after })
  const part = {
    end(): void {
      sink.end()
      reader.stir()
    },
    finish: () => reader.finish(),
  }
  live.parts.add(part)
  live.readersByStream.set(streamId, part)
  reply.onGone(() => reader.stir())
  const release = live.holdOpen()
  const { expiresAt } = principal
  const onBeat = (): void => {
    store.touch(live.id, 'connected')
    // Nothing tells us when another process dies whose stream we read, so we look.
    reader.stir()
  }
  const remove = streams.add({ sink, expiresAt, onBeat, end: () => part.end() })
  const reading = reader.run()
  const leave = live.deliveries.add(reading)
  try {
    await reading
  } finally {
    leave()
    remove()
    release()
    live.parts.delete(part)
    if (live.readersByStream.get(streamId) === part) live.readersByStream.delete(streamId)
  }
}

const ALREADY_OPEN = toErrorAnswer({
  status: 409,
  message: 'the session has an open stream already',
})

const UNKNOWN_EVENT = toErrorAnswer({ status: 400, message: 'Last-Event-ID is not known' })

/** Not an empty stream: the client would take what is missing for never sent. */
const PURGED = toErrorAnswer({ status: 410, message: 'events after Last-Event-ID are gone' })
