import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'

export interface ReplicaOptions {
  /** The script of the command. */
  readonly command: string
  readonly directory: string
  readonly databaseUrl: string
  /** By how much its clock is wrong. */
  readonly skewMs: number
}

/** `waymark serve --http --database` in a process of its own, killed and started again at the same port. */
export class Replica implements AsyncDisposable {
  readonly #options: ReplicaOptions
  #child: ChildProcess | undefined
  #errors = ''
  /** The first error that it logged: why a request ended in one. */
  firstError: string | undefined
  port = 0

  constructor(options: ReplicaOptions) {
    this.#options = options
  }

  async start(): Promise<void> {
    const { command, directory, databaseUrl, skewMs } = this.#options
    const words = ['serve', '--http', String(this.port), '--database', '--json']
    const child = spawn(process.execPath, ['--import', skewing(skewMs), command, ...words], {
      cwd: directory,
      env: {
        ...process.env,
        WAYMARK_DATABASE_URL: databaseUrl,
        WAYMARK_RATE_LIMIT: '0',
        WAYMARK_LOG_LEVEL: 'error',
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    this.#child = child
    this.#errors = ''
    child.stderr.on('data', (text: Buffer) => {
      this.#errors = `${this.#errors}${text.toString()}`.slice(-2000)
      this.firstError ??= / ERROR .*/.exec(this.#errors)?.[0]
    })
    const ended = once(child, 'exit')
    const line = once(createInterface(child.stdout), 'line') as Promise<[string]>
    const said = await Promise.race([line, ended.then(() => undefined)])
    if (said === undefined) throw new Error(`a replica did not start: ${this.#errors}`)
    this.port = (JSON.parse(said[0]) as { port: number }).port
  }

  /** Ends it without a word. */
  async kill(): Promise<void> {
    const child = this.#child
    this.#child = undefined
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    child.kill('SIGKILL')
    await ended
  }

  /** What it said last if it ended by itself. */
  lastWords(): string | undefined {
    const { exitCode = null } = this.#child ?? {}
    return exitCode === null ? undefined : `a replica ended with ${exitCode}: ${this.#errors}`
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill()
  }
}

/** A module that sets the clock of the process that loads it first. */
function skewing(milliseconds: number): string {
  const code = `const Right = Date
    globalThis.Date = class Date extends Right {
      constructor(...given) { given.length === 0 ? super(Right.now() + ${milliseconds}) : super(...given) }
      static now() { return Right.now() + ${milliseconds} }
    }`
  return `data:text/javascript,${encodeURIComponent(code)}`
}
