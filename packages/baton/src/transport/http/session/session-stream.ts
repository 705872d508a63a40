import { startOfStream } from '../../../session/event-id.ts'
import type { AdmittedRequest, EndpointContext } from '../endpoint.ts'
import { toErrorAnswer } from '../http-error.ts'
import type { HttpAnswer } from '../http-message.ts'
import type { LiveSession } from './live-session.ts'
import { LogReader } from './log-reader.ts'

/** The stream to read, its start and the text before the first event. */
interface StreamStart {
  readonly streamId: string
  readonly after: string
  readonly preamble?: string | undefined
}

/** Where a client wants to continue, and the text before the first event. */
export interface StreamRequest {
  /** The `Last-Event-ID` header. */
  readonly lastEventId: string | null
  /** The text before the first event, given the event id after which the client reads. */
  readonly toPreamble: (after: string) => string | undefined
}

/** Serves a GET: the session's standalone stream, or the rest of any of its streams after an event. */
export async function serveSessionStream(
  context: EndpointContext,
  live: LiveSession,
  admitted: AdmittedRequest,
  { lastEventId, toPreamble }: StreamRequest,
): Promise<void> {
  const { reply } = admitted
  const start = await findStart(context, live, lastEventId)
  if ('status' in start) return reply.send(start)

  const reader = live.readersByStream.get(start.streamId)
  if (reader !== undefined) {
    // A client with a `Last-Event-ID` is taken to be the same one, whose broken connection was not noticed here yet.
    // Without it the request would take the stream away from a client that is reading it.
    if (lastEventId === null) return reply.send(ALREADY_OPEN)
    reader.end()
  }
  await readStream(context, live, admitted, { ...start, preamble: toPreamble(start.after) })
}

async function findStart(
  { store }: EndpointContext,
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

/** Writes a stream to a client until one of them ends. */
async function readStream(
  { store, streams }: EndpointContext,
  live: LiveSession,
  { reply, principal }: AdmittedRequest,
  { streamId, after, preamble }: StreamStart,
): Promise<void> {
  const sink = reply.stream()
  if (preamble !== undefined) sink.write(preamble)
  const reader = new LogReader(store.events, sink, { sessionId: live.id, streamId, after })
  const handle = {
    end(): void {
      sink.end()
      reader.wake()
    },
    finish: () => reader.finish(),
  }
  live.readers.add(handle)
  live.readersByStream.set(streamId, handle)
  reply.onDisconnect(() => reader.wake())
  const release = live.holdOpen()
  const { expiresAt } = principal
  const onHeartbeat = (): void => {
    store.touch(live.id, 'connected')
    // The stream may be written by another process, whose death sends no wake-up.
    reader.wake()
  }
  const remove = streams.add({ sink, expiresAt, onHeartbeat, end: () => handle.end() })
  const reading = reader.run()
  const leave = live.deliveries.add(reading)
  try {
    await reading
  } finally {
    leave()
    remove()
    release()
    live.readers.delete(handle)
    if (live.readersByStream.get(streamId) === handle) live.readersByStream.delete(streamId)
  }
}

const ALREADY_OPEN = toErrorAnswer({
  status: 409,
  message: 'the session has an open stream already',
})

const UNKNOWN_EVENT = toErrorAnswer({ status: 400, message: 'Last-Event-ID is not known' })

/** Not an empty stream, with which the client would not notice the missing events. */
const PURGED = toErrorAnswer({ status: 410, message: 'events after Last-Event-ID are gone' })
