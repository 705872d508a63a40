import type { OutgoingFrame, Outlet } from '../outlet.ts'

/** Collects the answers to a batch, because they must go out together; other messages pass at once. */
export class BatchOutlet implements Outlet {
  readonly #outlet: Outlet
  readonly #answers: string[] = []
  #missing: number

  constructor(outlet: Outlet, expected: number) {
    this.#outlet = outlet
    this.#missing = expected
  }

  send(frame: OutgoingFrame): void {
    if (frame.kind !== 'response') {
      this.#outlet.send(frame)
      return
    }
    this.#answers.push(frame.text)
    this.#countDown()
  }

  withdraw(): void {
    this.#countDown()
  }

  #countDown(): void {
    if (--this.#missing > 0) return
    if (this.#answers.length === 0) this.#outlet.withdraw?.()
    else this.#outlet.send({ kind: 'response', text: `[${this.#answers.join(',')}]` })
  }
}
