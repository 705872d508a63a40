import type { Readable, Writable } from 'node:stream'
import type { RequestTemplate } from '../wire.ts'
import { LoadTally, withSilenceLimit } from './load.ts'
import type { Client, LoadOptions, LoadResult } from './load.ts'

const NEWLINE = 0x0a
const ID_MEMBER = '"id":'
/** The id stands near one end of an answer; some servers put it first, others last. */
const ID_REACH = 48

/** Newline-separated JSON over the pipes of a child process. */
export class StdioClient implements Client {
  readonly #input: Writable
  readonly #output: Readable
  #held: Buffer = Buffer.alloc(0)
  #nextId = 1
  #onLines: ((lines: readonly Buffer[]) => void) | undefined
  #onFailure: ((error: Error) => void) | undefined

  constructor(input: Writable, output: Readable) {
    this.#input = input
    this.#output = output
    output.on('data', (chunk: Buffer) => this.#receive(chunk))
    output.on('end', () => this.#onFailure?.(new Error('the server has ended')))
    input.on('error', (error) => this.#onFailure?.(error))
  }

  ask(request: RequestTemplate): Promise<string> {
    const id = this.#nextId++
    return this.#expect<string>((resolve) => {
      this.#onLines = ([line]) => line !== undefined && resolve(line.toString())
      this.#input.write(`${request.toText(id)}\n`)
    })
  }

  async tell(text: string): Promise<void> {
    await new Promise<void>((resolve) => this.#input.write(`${text}\n`, () => resolve()))
  }

  load(options: LoadOptions): Promise<LoadResult> {
    const tally = new LoadTally(options, this.#nextId)
    this.#nextId += options.calls
    const fill = (): void => {
      let texts = ''
      while (tally.inFlight < options.inFlight) {
        const text = tally.begin()
        if (text === undefined) break
        texts += `${text}\n`
      }
      if (texts !== '') this.#input.write(texts)
    }
    return this.#expect<LoadResult>((resolve) => {
      this.#onLines = (lines) => {
        for (const line of lines) tally.end(readId(line), line.length)
        fill()
        if (tally.inFlight === 0) resolve(tally.toResult())
      }
      fill()
    })
  }

  close(): void {
    this.#input.end()
    this.#output.destroy()
  }

  async #expect<T>(start: (resolve: (value: T) => void) => void): Promise<T> {
    try {
      return await withSilenceLimit<T>((resolve, reject, touch) => {
        this.#onFailure = reject
        start(resolve)
        const onLines = this.#onLines
        this.#onLines = (lines) => {
          touch()
          onLines?.(lines)
        }
      })
    } finally {
      this.#onLines = undefined
      this.#onFailure = undefined
    }
  }

  #receive(chunk: Buffer): void {
    const bytes = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk])
    const lines: Buffer[] = []
    let start = 0
    for (let end = bytes.indexOf(NEWLINE); end !== -1; end = bytes.indexOf(NEWLINE, start)) {
      lines.push(bytes.subarray(start, end))
      start = end + 1
    }
    this.#held = bytes.subarray(start)
    if (lines.length === 0) return
    try {
      this.#onLines?.(lines)
    } catch (error) {
      this.#onFailure?.(error instanceof Error ? error : new Error(String(error)))
    }
  }
}

function readId(line: Buffer): number {
  const head = line.toString('latin1', 0, ID_REACH)
  const first = head.indexOf(ID_MEMBER)
  if (first !== -1) return Number.parseInt(head.slice(first + ID_MEMBER.length), 10)
  const tail = line.toString('latin1', Math.max(0, line.length - ID_REACH))
  return Number.parseInt(tail.slice(tail.lastIndexOf(ID_MEMBER) + ID_MEMBER.length), 10)
}
