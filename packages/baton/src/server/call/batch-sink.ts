import type { OutgoingFrame, MessageSink } from '../message-sink.ts'

/** Collects the responses of a batch, which must be sent as one array; other messages are sent at once. */
export class BatchSink implements MessageSink {
  readonly #sink: MessageSink
  readonly #responses: string[] = []
  #pending: number

  constructor(sink: MessageSink, expected: number) {
    this.#sink = sink
    this.#pending = expected
  }

  send(frame: OutgoingFrame): void {
    if (frame.kind !== 'response') {
      this.#sink.send(frame)
      return
    }
    this.#responses.push(frame.text)
    this.#countDown()
  }

  withdraw(): void {
    this.#countDown()
  }

  #countDown(): void {
    if (--this.#pending > 0) return
    if (this.#responses.length === 0) this.#sink.withdraw?.()
    else this.#sink.send({ kind: 'response', text: `[${this.#responses.join(',')}]` })
  }
}
