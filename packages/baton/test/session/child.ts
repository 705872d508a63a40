import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { bundleProgram } from '../../../../scripts/vitest/bundle-program.ts'

/** A test program in a process of its own. */
export interface Child {
  readonly pid: number
  /** The complete lines it has printed so far. */
  readonly lines: readonly string[]
  /** Resolves when it has printed that many lines, or has ended. */
  printed(count: number): Promise<void>
  /** Ends it as a power cut would: no handler runs. */
  kill(): Promise<void>
  /** Resolves with its exit code. */
  ended(): Promise<number | null>
}

export function startChild(program: URL, ...args: readonly string[]): Child {
  const child = spawn(process.execPath, [bundleProgram(program), ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  return new RunningChild(child)
}

class RunningChild implements Child {
  readonly lines: string[] = []
  readonly #child: ChildProcessByStdio<null, Readable, null>
  readonly #exit: Promise<unknown>
  #onLine: () => void = () => {}

  constructor(child: ChildProcessByStdio<null, Readable, null>) {
    this.#child = child
    this.#exit = once(child, 'close')
    createInterface(child.stdout).on('line', (line) => {
      this.lines.push(line)
      this.#onLine()
    })
  }

  get pid(): number {
    return this.#child.pid ?? 0
  }

  printed(count: number): Promise<void> {
    const reached = new Promise<void>((resolve) => {
      this.#onLine = () => this.lines.length >= count && resolve()
      this.#onLine()
    })
    return Promise.race([reached, this.#exit.then(() => {})])
  }

  async kill(): Promise<void> {
    this.#child.kill('SIGKILL')
    await this.#exit
  }

  async ended(): Promise<number | null> {
    await this.#exit
    return this.#child.exitCode
  }
}
