import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import { Failure } from '../core/error.ts'
import { type GitPlace, type Reach, refusalIn, spawnGit } from './run.ts'

export interface BatchAnswer {
  readonly id: string
  readonly type: string
  readonly size: number
  readonly content?: Buffer
}

/** Called for each process that is started. */
export type BatchPlace = () => GitPlace

/** `info`: what an object is. `contents`: that and its bytes. */
export type Asked = 'info' | 'contents'

interface Question {
  readonly asked: Asked
  resolve(answer: BatchAnswer | undefined): void
  reject(error: unknown): void
}

const ARGUMENTS = { info: '--batch-check', contents: '--batch', both: '--batch-command' } as const
const FOUND = /^([0-9a-f]{40,64}) (\w+) (\d+)$/
const LINE_END = 0x0a

/** On Windows, open packs cannot be deleted, which would make `git gc` fail. */
const IDLE_MS = 5_000

/** Git's exit code for an unknown option. */
const USAGE = 129

/** Git before 2.36 has no `--batch-command`, which answers both kinds of requests in one process. */
export class OldGit extends Error {}

/** A long-running `git cat-file --batch`. It starts with the first request and exits when idle. */
export class BatchProcess {
  readonly #place: BatchPlace
  readonly #kind: keyof typeof ARGUMENTS
  #child: ChildProcessWithoutNullStreams | undefined
  #waiting: Question[] = []
  #unwritten = ''
  #received: Buffer[] = []
  #receivedBytes = 0
  /** How many bytes the next complete answer needs at least. */
  #needed = 1
  #errors = ''
  #reach: Reach = {}
  #idle: NodeJS.Timeout | undefined

  constructor(place: BatchPlace, kind: keyof typeof ARGUMENTS) {
    this.#place = place
    this.#kind = kind
  }

  /** `asked` must match the kind of this process, unless that is `both`. */
  ask(asked: Asked, name: string): Promise<BatchAnswer | undefined> {
    const child = (this.#child ??= this.#start())
    clearTimeout(this.#idle)
    if (this.#waiting.length === 0) hold(child)
    return new Promise((resolve, reject) => {
      this.#waiting.push({ asked, resolve, reject })
      this.#write(child, this.#kind === 'both' ? `${asked} ${name}\n` : `${name}\n`)
    })
  }

  /** What is asked in one go is written at once: each write wakes git up. */
  #write(child: ChildProcessWithoutNullStreams, line: string): void {
    if (this.#unwritten === '') process.nextTick(() => this.#flush(child))
    this.#unwritten += line
  }

  #flush(child: ChildProcessWithoutNullStreams): void {
    if (this.#unwritten === '') return
    child.stdin.write(this.#unwritten)
    this.#unwritten = ''
  }

  /** Waits for pending answers, then ends the process. A later request starts a new one. */
  async close(): Promise<void> {
    const child = this.#child
    if (child === undefined) return
    hold(child)
    const closed = new Promise((resolve) => child.once('close', resolve))
    this.#flush(child)
    child.stdin.end()
    await closed
  }

  #start(): ChildProcessWithoutNullStreams {
    const place = this.#place()
    const child = spawnGit(['cat-file', ARGUMENTS[this.#kind]], place)
    this.#reach = place
    this.#errors = ''
    this.#received = []
    this.#receivedBytes = 0
    this.#needed = 1
    child.stdin.on('error', () => {})
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.#errors = (this.#errors + text).slice(-2_000)
    })
    child.stdout.on('data', (chunk: Buffer) => this.#receive(child, chunk))
    child.once('error', (cause) => this.#lose(child, cause))
    child.once('close', (code) => this.#lose(child, code === USAGE ? new OldGit() : undefined))
    return child
  }

  #receive(child: ChildProcessWithoutNullStreams, chunk: Buffer): void {
    this.#received.push(chunk)
    this.#receivedBytes += chunk.length
    if (this.#receivedBytes < this.#needed) return
    let buffer = this.#received.length === 1 ? chunk : Buffer.concat(this.#received)
    for (;;) {
      const taken = this.#takeAnswer(buffer)
      if (taken === 0) break
      buffer = buffer.subarray(taken)
    }
    this.#received = buffer.length === 0 ? [] : [buffer]
    this.#receivedBytes = buffer.length
    if (this.#waiting.length === 0) this.#rest(child)
  }

  /** Resolves the oldest request if `buffer` starts with its complete answer. Returns the number of bytes consumed. */
  #takeAnswer(buffer: Buffer): number {
    const end = buffer.indexOf(LINE_END)
    if (end === -1) {
      this.#needed = buffer.length + 1
      return 0
    }
    const found = FOUND.exec(buffer.toString('utf8', 0, end))
    if (found === null) {
      this.#waiting.shift()?.resolve(undefined)
      return end + 1
    }
    const [, id = '', type = '', size = ''] = found
    const answer = { id, type, size: Number(size) }
    if (this.#waiting[0]?.asked === 'info') {
      this.#waiting.shift()?.resolve(answer)
      return end + 1
    }
    const length = end + 1 + answer.size + 1
    if (buffer.length < length) {
      this.#needed = length
      return 0
    }
    const content = Buffer.from(buffer.subarray(end + 1, end + 1 + answer.size))
    this.#waiting.shift()?.resolve({ ...answer, content })
    return length
  }

  /** Unrefs the idle child, so that it does not keep this process alive, and ends it after a while. */
  #rest(child: ChildProcessWithoutNullStreams): void {
    release(child)
    this.#needed = 1
    this.#idle = setTimeout(() => {
      // Cleared first: a request that arrives during shutdown must start a new child.
      this.#child = undefined
      child.stdin.end()
    }, IDLE_MS).unref()
  }

  #lose(child: ChildProcessWithoutNullStreams, cause?: unknown): void {
    if (this.#child !== child) return
    this.#child = undefined
    clearTimeout(this.#idle)
    const unanswered = this.#waiting.splice(0)
    if (this.#kind === 'both' && cause instanceof OldGit) {
      for (const question of unanswered) question.reject(cause)
      return
    }
    const told = this.#errors.trim().split('\n').at(-1) ?? ''
    const message = told.replace(/^(fatal|error): /, '').slice(0, 200)
    const failure =
      refusalIn(this.#errors, this.#reach) ??
      new Failure('storage_unavailable', `git: ${message || 'cat-file ended unexpectedly'}`, {
        details: { reason: 'git' },
        cause,
      })
    for (const question of unanswered) question.reject(failure)
  }
}

/** The pipes are sockets at run time, which have `ref` and `unref`; their type omits both. */
type Handle = { ref?(): void; unref?(): void }

function hold(child: ChildProcessWithoutNullStreams): void {
  child.ref()
  for (const pipe of [child.stdin, child.stdout, child.stderr] as Handle[]) pipe.ref?.()
}

function release(child: ChildProcessWithoutNullStreams): void {
  child.unref()
  for (const pipe of [child.stdin, child.stdout, child.stderr] as Handle[]) pipe.unref?.()
}
