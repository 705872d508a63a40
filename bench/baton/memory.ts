import { HttpClient } from './client/http-client.ts'
import type { Contender } from './contenders.ts'
import type { Effort } from './options.ts'
import { ServerProcess } from './server-process.ts'
import { verifyAnswers } from './verification.ts'
import { toEchoCall, toGreeting } from './wire.ts'

/** How the memory of a server changed while it was called. */
export interface MemoryGrowth {
  readonly calls: number
  /** Resident megabytes after the greeting and after each quarter. */
  readonly rss: readonly number[]
  /** Megabytes of live memory that the last three quarters added. */
  readonly grownMb: number
}

/** Less is noise of the engine: one small object kept for each of 30,000 calls would be three times as much. */
export const GROWTH_BAR_MB = 1
export const SESSION_BAR_KB = 4

const QUARTERS = 4
/** Connections, compiled code and caches of the first calls are not what a session costs. */
const FIRST_SESSIONS = 50

export async function measureGrowth(
  contender: Contender,
  folder: string,
  { memoryCalls, memoryMs }: Effort,
): Promise<MemoryGrowth> {
  using server = await ServerProcess.start(contender, { folder, withProbe: true })
  const { wire } = contender
  const { echo: answerLength } = await verifyAnswers(server.client, wire)
  const rss = [server.rss]
  const live: number[] = []
  let calls = 0
  for (let quarter = 0; quarter < QUARTERS; quarter++) {
    const result = await server.client.load({
      request: toEchoCall(wire),
      calls: memoryCalls / QUARTERS,
      inFlight: 32,
      maxMs: memoryMs / QUARTERS,
      answerLength,
    })
    calls += result.calls
    rss.push(server.rss)
    live.push(await server.liveMemory())
  }
  const grown = (live.at(-1) ?? Number.NaN) - (live[0] ?? Number.NaN)
  return { calls, rss, grownMb: grown / 1024 / 1024 }
}

/** Kilobytes of live memory for each session that is open and does nothing. */
export async function measureIdleSession(
  contender: Contender,
  folder: string,
  { idleSessions }: Effort,
): Promise<number> {
  using server = await ServerProcess.start(contender, { folder, withProbe: true })
  const { client } = server
  if (!(client instanceof HttpClient)) throw new Error('only HTTP has sessions')
  const greeting = toGreeting(contender.wire)
  await client.openSessions(greeting, FIRST_SESSIONS)
  const before = await server.liveMemory()
  await client.openSessions(greeting, idleSessions)
  const after = await server.liveMemory()
  return (after - before) / idleSessions / 1024
}
