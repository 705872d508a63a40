import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { LineCutter } from '../../support/text/line-cutter.ts'
import {
  type Ask,
  type Probe,
  ProbeError,
  type ProbeOptions,
  resultOf,
  shakeHands,
  toFields,
  toProblem,
} from './probe.ts'

export interface Command {
  readonly words: readonly [string, ...string[]]
  readonly cwd: string
  readonly env: Readonly<Record<string, string | undefined>>
}

const LONGEST_LOG = 4096
const FAREWELL_MS = 2000

/** Starts a command as a host does, runs an MCP handshake and stops it. */
export async function probeCommand(command: Command, { timeoutMs }: ProbeOptions): Promise<Probe> {
  const [program, ...args] = command.words
  const { cwd, env } = command
  const child = spawn(program, args, { cwd, env: { ...env }, windowsHide: true })
  const talk = new Conversation(child)
  try {
    return await Promise.race([
      shakeHands(talk.ask, talk.tell),
      talk.ended,
      expire(timeoutMs, () => talk.waitingFor),
    ])
  } catch (error) {
    return toProblem(error)
  } finally {
    await leave(child)
  }
}

/** Requests and answers on a child's standard streams. */
class Conversation {
  readonly #child: ChildProcessWithoutNullStreams
  readonly #waiting = new Map<number, (message: unknown) => void>()
  #log = ''
  #last = 0
  /** The request that is unanswered. */
  waitingFor = 'initialize'
  /** Rejects when the child exits; never resolves. */
  readonly ended: Promise<never>

  constructor(child: ChildProcessWithoutNullStreams) {
    this.#child = child
    // EPIPE: reported by the exit of the child.
    child.stdin.on('error', () => {})
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.#log = (this.#log + text).slice(-LONGEST_LOG)
    })
    this.ended = new Promise((_, reject) => {
      child.once('error', (error) => reject(new ProbeError(whyNotStarted(error))))
      child.once('close', (code, signal) => reject(new ProbeError(this.#whyEnded(code ?? signal))))
      const read = (line: string): void => {
        const message = parse(line)
        if (message === undefined)
          reject(
            new ProbeError(
              `writes to standard output something other than MCP: ${line.slice(0, 200)}`,
            ),
          )
        else this.#waiting.get(Number(toFields(message)['id']))?.(message)
      }
      const cutter = new LineCutter()
      child.stdout
        .setEncoding('utf8')
        .on('data', (piece: string) => cutter.push(piece).forEach(read))
        .on('end', () => cutter.end().forEach(read))
    })
    // Avoids an unhandled rejection once the handshake is over.
    this.ended.catch(() => {})
  }

  ask: Ask = async (method, params) => {
    this.#last += 1
    this.waitingFor = method
    const id = this.#last
    const answer = new Promise<unknown>((resolve) => this.#waiting.set(id, resolve))
    this.#send({ jsonrpc: '2.0', id, method, params })
    return resultOf(await answer, method)
  }

  tell = async (method: string): Promise<void> => this.#send({ jsonrpc: '2.0', method })

  #send(message: object): void {
    this.#child.stdin.write(`${JSON.stringify(message)}\n`)
  }

  #whyEnded(how: number | string | null): string {
    const lastWords = this.#log.trim().split('\n').at(-1) ?? ''
    const because = lastWords === '' ? '' : `: ${lastWords.slice(0, 300)}`
    return `ended (${how ?? 'without a code'}) before it answered \`${this.waitingFor}\`${because}`
  }
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

function whyNotStarted(error: Error): string {
  const code = 'code' in error ? String(error.code) : ''
  if (code === 'ENOENT') return 'cannot be started: there is no such program, or its folder is gone'
  if (code === 'EACCES') return 'cannot be started: it is not executable'
  // Node refuses to start batch files without a shell, because their quoting is not safe.
  if (code === 'EINVAL') return 'cannot be started without a shell'
  return `cannot be started: ${error.message}`
}

function expire(timeoutMs: number, waitingFor: () => string): Promise<never> {
  return new Promise((_, reject) => {
    const timer = setTimeout(() => {
      reject(new ProbeError(`did not answer \`${waitingFor()}\` within ${timeoutMs / 1000} s`))
    }, timeoutMs)
    timer.unref()
  })
}

/** Stops it like a host: closes its input, and kills it after a timeout. */
async function leave(child: ChildProcessWithoutNullStreams): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
  const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const timer = setTimeout(() => child.kill('SIGKILL'), FAREWELL_MS)
  child.stdin.end()
  await gone
  clearTimeout(timer)
}
