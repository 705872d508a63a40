import { CallError, request } from '../call.ts'
import { type Job, runningJobs } from '../jobs.ts'
import { readFrames } from './frames.ts'
import {
  applyFrame,
  connection,
  cursor,
  isLoaded,
  type LiveFrame,
  loadRest,
  loadSnapshot,
} from './live.ts'
import { projectPath } from '../project-path.ts'

const SHORTEST_PAUSE = 250
const LONGEST_PAUSE = 10_000

/** What the tab with the connection passes on to the other tabs of this browser. */
type Passed =
  | {
      readonly kind: 'frame'
      readonly from: number
      readonly id: number
      readonly frame: LiveFrame
    }
  | { readonly kind: 'jobs'; readonly jobs: readonly Job[] }
  | { readonly kind: 'connection'; readonly state: typeof connection.value }

/**
 * Follows the project for as long as the page is open. One tab of a browser holds the connection; the others get its frames
 * through a channel, and one of them takes over when it closes.
 */
export async function startFollowing(): Promise<void> {
  const name = `waymark:${projectPath()}`
  const channel = new BroadcastChannel(name)
  channel.onmessage = ({ data }: MessageEvent<Passed>) => void takePassed(data)
  await reloadWhileOffline()
  await navigator.locks.request(name, () => follow(channel))
}

async function takePassed(passed: Passed): Promise<void> {
  if (passed.kind === 'connection') connection.value = passed.state
  else if (passed.kind === 'jobs') runningJobs.value = passed.jobs
  else if (passed.from > cursor.peek()) await loadSnapshot()
  else applyFrame(passed.id, passed.frame)
}

/** The first snapshot may need several tries while the server starts. */
async function reloadWhileOffline(): Promise<void> {
  for (let pause = SHORTEST_PAUSE; ; pause = Math.min(pause * 2, LONGEST_PAUSE)) {
    try {
      // A kept copy has a cursor: the stream brings what it lacks.
      await (isLoaded.peek() ? loadRest() : loadSnapshot())
      connection.value = 'live'
      return
    } catch (error) {
      if (!(error instanceof CallError) || error.code === 'unauthorized') throw error
      connection.value = 'offline'
      await wait(pause)
    }
  }
}

async function follow(channel: BroadcastChannel): Promise<never> {
  const show = (state: typeof connection.value): void => {
    connection.value = state
    channel.postMessage({ kind: 'connection', state } satisfies Passed)
  }
  for (let pause = SHORTEST_PAUSE; ; pause = Math.min(pause * 2, LONGEST_PAUSE)) {
    try {
      const stream = await openStream()
      show('live')
      pause = SHORTEST_PAUSE
      await readAll(stream, channel)
    } catch (error) {
      if (error instanceof CallError && error.code === 'unauthorized') throw error
    }
    show('offline')
    // Tabs of several browsers must not come back in the same instant.
    await wait(pause * (0.5 + Math.random() / 2))
  }
}

/** A header can be sent with `fetch`, which `EventSource` cannot. */
async function openStream(): Promise<ReadableStream<Uint8Array>> {
  const query = new URLSearchParams({ since: String(cursor.peek()), rows: 'task,job' })
  const { body } = await request(`/api/event.stream?${query}`, {
    headers: { accept: 'text/event-stream' },
  })
  if (body === null) throw new CallError('internal', 'the stream has no body')
  return body
}

async function readAll(
  stream: ReadableStream<Uint8Array>,
  channel: BroadcastChannel,
): Promise<void> {
  for await (const { id, event, data } of readFrames(stream)) {
    if (event === 'behind') {
      await loadSnapshot()
      return
    }
    if (event === 'jobs') {
      const jobs = JSON.parse(data) as readonly Job[]
      runningJobs.value = jobs
      channel.postMessage({ kind: 'jobs', jobs } satisfies Passed)
    }
    if (event !== 'message') continue
    const frame = JSON.parse(data) as LiveFrame
    const from = cursor.peek()
    applyFrame(Number(id), frame)
    channel.postMessage({ kind: 'frame', from, id: Number(id), frame } satisfies Passed)
  }
}

function wait(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds))
}
