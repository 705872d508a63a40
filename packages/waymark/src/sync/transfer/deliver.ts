import { lstatSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod'
import { Failure, FAILURES } from '../../core/error.ts'
import { readRegularFile } from '../../support/files/regular-file.ts'
import { hasCode } from '../../support/system-error.ts'
import {
  folderOf,
  LARGEST_QUEUED,
  mayWait,
  proveWritten,
  queued,
  type QueuedCall,
  type Recipient,
} from './outbox.ts'

const storedCall = z.object({
  url: z.string(),
  project: z.string(),
  proof: z.string().optional(),
  call: z.object({
    operation: z.string(),
    input: z.unknown(),
    agent: z.string().optional(),
    isPerson: z.boolean().default(false),
    idempotencyKey: z.string(),
  }),
})

/** What became of the calls that waited. */
export interface Delivered {
  readonly sent: number
  /** Why others were not accepted; they are kept beside the queue. */
  readonly refused: readonly string[]
}

/**
 * Sends what waits for a server, oldest first. Several processes may do so at once: the idempotency keys make it take
 * effect once. A call that the server refuses for good is set aside; one that it cannot take now waits on.
 */
export async function deliver(
  stateDir: string,
  recipient: Recipient,
  send: (call: QueuedCall) => Promise<unknown>,
): Promise<Delivered> {
  const folder = folderOf(stateDir)
  const refused: string[] = []
  let sent = 0
  for (const name of queued(stateDir)) {
    const path = join(folder, name)
    const stored = readQueued(path)
    if (stored === undefined) continue
    if (typeof stored === 'string') {
      refused.push(`${name} in the outbox ${stored}`)
      setAside(path)
      continue
    }
    if (stored.url !== recipient.url || stored.project !== recipient.project) continue
    try {
      const { agent, ...call } = stored.call
      // The words of the person count for more: only those that this user has written are sent as such.
      const isPerson = call.isPerson && stored.proof === proveWritten(recipient, { ...call, agent })
      await send({ ...call, agent, isPerson })
    } catch (error) {
      if (!(error instanceof Failure) || error.details.reason === 'offline') throw error
      if (FAILURES[error.code].retryable || error.code === 'unauthenticated') break
      refused.push(error.message)
      setAside(path)
      continue
    }
    sent += 1
    rmSync(path, { force: true })
  }
  return { sent, refused }
}

/**
 * A call that waits, or why it is not sent. Undefined if another process was faster. An archive can bring the folder, and
 * what is sent has the token of the user: calls that Waymark would not have put here are refused.
 */
function readQueued(path: string): z.output<typeof storedCall> | string | undefined {
  const size = lstatSync(path, { throwIfNoEntry: false })?.size ?? 0
  if (size > LARGEST_QUEUED) return `has ${size} bytes and may have at most ${LARGEST_QUEUED}`
  const text = readRegularFile(path, LARGEST_QUEUED)
  if (text === undefined) return undefined
  const stored = parseStored(text)
  if (stored === undefined) return 'is damaged'
  const { operation, input } = stored.call
  return mayWait(operation, input) ? stored : 'is no message and no note'
}

function parseStored(text: string): z.output<typeof storedCall> | undefined {
  try {
    return storedCall.safeParse(JSON.parse(text)).data
  } catch {
    return undefined
  }
}

/** Another process may have been faster. */
function setAside(path: string): void {
  try {
    renameSync(path, `${path}.refused`)
  } catch (error) {
    if (!hasCode(error, ['ENOENT'])) throw error
  }
}
