import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { bundleProgram } from '../../../../scripts/vitest/bundle-program.ts'

export interface ChildOptions {
  readonly uid?: number
}

/** A program of `processes/` that runs in its own process. It talks by lines on stdout, which outlive a kill. */
export class Child {
  readonly #process: ChildProcess
  readonly #lines: string[] = []
  readonly #exited: Promise<unknown>
  #wake: () => void = () => {}
  #errors = ''

  constructor(program: string, args: readonly string[], options: ChildOptions = {}) {
    const file = bundleProgram(new URL(`processes/${program}.ts`, import.meta.url))
    this.#process = fork(file, args, {
      ...options,
      execArgv: [],
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    })
    const { stdout, stderr } = this.#process
    if (!stdout || !stderr) throw new Error('no pipes')
    createInterface(stdout).on('line', (line) => {
      this.#lines.push(line)
      this.#wake()
    })
    stderr.on('data', (text: Buffer) => (this.#errors += text.toString()))
    this.#exited = once(this.#process, 'close').then(() => this.#wake())
  }

  get lines(): readonly string[] {
    return this.#lines
  }

  /** Waits for the n-th line and returns it. */
  async line(n: number): Promise<string> {
    for (;;) {
      const line = this.#lines[n - 1]
      if (line !== undefined) return line
      if (this.#process.exitCode !== null) throw new Error(`ended early: ${this.#errors}`)
      await new Promise<void>((resolve) => (this.#wake = resolve))
    }
  }

  send(message: string): void {
    this.#process.send(message)
  }

  async kill(): Promise<void> {
    this.#process.kill('SIGKILL')
    await this.#exited
  }

  /** Waits for the end, which has to be a good one. */
  async finish(): Promise<readonly string[]> {
    await this.#exited
    if (this.#process.exitCode !== 0) throw new Error(`failed: ${this.#errors}`)
    return this.#lines
  }
}
