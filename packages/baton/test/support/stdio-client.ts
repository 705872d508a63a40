import { PassThrough } from 'node:stream'
import { serveStdio } from '@waymark/baton/node'
import type { StdioHandle, StdioOptions } from '@waymark/baton/node'
import type { JsonObject, Server } from '@waymark/baton'

/** A client on a stdio connection, byte by byte. */
export interface StdioClient {
  readonly handle: StdioHandle
  readonly input: PassThrough
  readonly output: PassThrough
  /** Everything the server wrote, one entry for each line. */
  readonly lines: readonly string[]
  /** The lines, parsed. */
  messages(): JsonObject[]
  write(bytes: string | Uint8Array): void
  /** Waits until the server has written so many lines. */
  untilLines(count: number): Promise<void>
  /** Ends the input and waits until the server has written its last answer. */
  end(): Promise<JsonObject[]>
}

/** Long enough for a busy machine: only a server that never responds should time out. */
const PATIENCE_MS = 120_000

/** Serves a server over a pair of streams. */
export function openStdio(server: Server, options: StdioOptions = {}): StdioClient {
  const input = new PassThrough()
  const output = new PassThrough()
  const lines: string[] = []
  const waiting = new Set<() => void>()
  let rest = ''
  output.setEncoding('utf8').on('data', (text: string) => {
    const parts = (rest + text).split('\n')
    rest = parts.pop() ?? ''
    lines.push(...parts)
    for (const check of waiting) check()
  })
  const handle = serveStdio(server, { input, output, ...options })
  const messages = (): JsonObject[] => lines.map((line) => JSON.parse(line) as JsonObject)
  return {
    handle,
    input,
    output,
    lines,
    messages,
    write: (bytes) => void input.write(bytes),
    untilLines(count) {
      return new Promise((resolve, reject) => {
        const timer = setTimeout(() => {
          reject(new Error(`${lines.length} lines came instead of ${count}`))
        }, PATIENCE_MS)
        const check = (): void => {
          if (lines.length < count) return
          clearTimeout(timer)
          waiting.delete(check)
          resolve()
        }
        waiting.add(check)
        check()
      })
    },
    async end() {
      input.end()
      await handle.closed
      return messages()
    },
  }
}
