import type { Context } from './context.ts'

/** Says how far a phase has come. */
export type Advance = (done: number) => void

/**
 * Reports the progress of long work. Its phases run one after the other and share one counter, because the protocol
 * requires numbers that increase; the message is about the current phase.
 */
export class Progress {
  readonly #context: Pick<Context, 'progress'>
  #planned = 0

  constructor(context: Pick<Context, 'progress'>) {
    this.#context = context
  }

  /** Begins a phase of so many steps. */
  phase(name: string, steps = 1): Advance {
    const before = this.#planned
    this.#planned += steps
    this.#context.progress(before, before + steps, name)
    return (counted) => {
      // Others may have added to the work since it was counted.
      const done = Math.min(counted, steps)
      const percent = Math.floor((100 * done) / Math.max(steps, 1))
      this.#context.progress(before + done, before + steps, `${name}: ${percent} %`)
    }
  }
}
