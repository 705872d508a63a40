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

/** How a server is served over standard input and output, or any other pair of streams. */
export interface StdioOptions {
  readonly input?: Readable
  readonly output?: Writable
  /**
   * Milliseconds that running requests get to finish when the connection ends; 5000 by default. Then they are told to
   * stop, and have half a second to answer.
   */
  readonly graceMs?: number
  /** Bytes the client may leave unread before no more requests are taken in; 8 MiB by default. */
  readonly maxBacklog?: number
  readonly principal?: Principal
}

/** Why serving over stdio ended. */
export type StdioEnd = 'input ended' | 'output closed' | 'closed'

/** A server that is being served over stdio. */
export interface StdioHandle extends AsyncDisposable {
  /** Resolves when the last answer is written; the application decides whether to exit then. */
  readonly closed: Promise<StdioEnd>
  /** Takes no more requests, lets the running ones finish, and resolves when all is written. */
  close(): Promise<void>
}

const DEFAULT_GRACE_MS = 5000
const DEFAULT_MAX_BACKLOG = 8 * 1024 * 1024

/** Serves one client over standard input and output until either end closes. */
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
    outlet: writer,
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
  // The error listeners stay for good: an error that nobody listens to would end the process.
  output.on('error', listeners.outputClosed)

  function end(reason: StdioEnd): Promise<void> {
    ending ??= finish(reason)
    return ending
  }

  async function finish(reason: StdioEnd): Promise<void> {
    // Input is still read meanwhile: a running request may wait for the client's word, or be cancelled.
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

/** Resolves when the stream has handed over everything written so far, or can no longer do so. */
function flushed(output: Writable, write: Write): Promise<void> {
  if (!output.writable) return Promise.resolve()
  return new Promise((resolve) => {
    write('', resolve)
  })
}
