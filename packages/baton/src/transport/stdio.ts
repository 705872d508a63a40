import type { Readable, Writable } from 'node:stream'
import { createDeferred } from '../internal/deferred.ts'
import { settledWithin } from '../internal/settled-within.ts'
import type { Principal } from '../server/call-context.ts'
import type { Connection } from '../server/connection.ts'
import type { Server } from '../server/server.ts'
import { decodeFrame, decodeOversized } from './frame-decoder.ts'
import { LineFramer } from './line-framer.ts'
import { LineWriter } from './line-writer.ts'
import { guardStdout } from './stdout-guard.ts'
import type { Write } from './stdout-guard.ts'

/** Options for serving over standard input and output, or another pair of streams. */
export interface StdioOptions {
  readonly input?: Readable
  readonly output?: Writable
  /**
   * Milliseconds that running requests have to finish when the connection ends; 5000 by default. Then they are aborted,
   * and have half a second to respond.
   */
  readonly graceMs?: number
  /** Unread bytes of the client at which the server stops reading requests; 8 MiB by default. */
  readonly maxBacklog?: number
  readonly principal?: Principal
}

/** Why serving over stdio ended. */
export type StdioEnd = 'input ended' | 'output closed' | 'closed'

/** A running stdio transport. */
export interface StdioHandle extends AsyncDisposable {
  /** Resolves when the last response is written; the application decides whether to exit. */
  readonly closed: Promise<StdioEnd>
  /** Refuses new requests, lets running ones finish, and resolves when all responses are written. */
  close(): Promise<void>
}

const DEFAULT_GRACE_MS = 5000
const DEFAULT_MAX_BACKLOG = 8 * 1024 * 1024

/** Serves one client over standard input and output until one of them closes. */
export function serveStdio(server: Server, options: StdioOptions = {}): StdioHandle {
  const { input = process.stdin, output = process.stdout } = options
  const graceMs = options.graceMs ?? DEFAULT_GRACE_MS
  const write: Write = output === process.stdout ? guardStdout() : output.write.bind(output)
  const writer = new LineWriter({
    write,
    get writableLength() {
      return output.writableLength
    },
    maxBacklog: options.maxBacklog ?? DEFAULT_MAX_BACKLOG,
    onCongested: () => input.pause(),
  })
  const connection = server.connect({
    sink: writer,
    transport: 'pipe',
    ...(options.principal && { principal: options.principal }),
  })
  const framer = createFramer(server, connection)
  const closed = createDeferred<StdioEnd>()
  let ending: Promise<void> | undefined

  const listeners = {
    data: (chunk: Uint8Array) => framer.push(chunk),
    inputEnd: () => {
      framer.end()
      void end('input ended')
    },
    inputError: () => void end('input ended'),
    outputClosed: () => void end('output closed'),
    drain: () => void input.resume(),
  }
  input.on('data', listeners.data).on('end', listeners.inputEnd).on('error', listeners.inputError)
  output.on('drain', listeners.drain).on('close', listeners.outputClosed)
  // The error listeners are never removed, because an unhandled error event would end the process.
  output.on('error', listeners.outputClosed)

  function end(reason: StdioEnd): Promise<void> {
    ending ??= finish(reason)
    return ending
  }

  async function finish(reason: StdioEnd): Promise<void> {
    // Input is read until all requests are finished: one may wait for a response of the client, or be cancelled.
    if (reason === 'output closed') connection.close()
    else await connection.finish(graceMs)
    input.off('data', listeners.data).off('end', listeners.inputEnd)
    output.off('drain', listeners.drain).off('close', listeners.outputClosed)
    input.pause()
    writer.end()
    await settledWithin(flushed(output, write), graceMs)
    closed.resolve(reason)
  }

  const close = (): Promise<void> => end('closed')
  return { closed: closed.promise, close, [Symbol.asyncDispose]: close }
}

function createFramer({ limits }: Server, connection: Connection): LineFramer {
  return new LineFramer(limits.frameBytes, {
    onLine(line) {
      const message = decodeFrame(line, limits.depth)
      if (message !== undefined) connection.receive(message)
    },
    onOversized: (start) => connection.receive(decodeOversized(start, limits.frameBytes)),
  })
}

/** Resolves when everything written so far is flushed, or the stream is no longer writable. */
function flushed(output: Writable, write: Write): Promise<void> {
  if (!output.writable) return Promise.resolve()
  return new Promise((resolve) => {
    write('', resolve)
  })
}
