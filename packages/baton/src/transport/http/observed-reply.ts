import type { EventSink, HttpAnswer, HttpReply } from './http-message.ts'

/** A reply that reports the status of its response when the response starts. */
export class ObservedReply implements HttpReply {
  readonly #reply: HttpReply
  #onStart: ((status: number) => void) | undefined

  constructor(reply: HttpReply, onStart: (status: number) => void) {
    this.#reply = reply
    this.#onStart = onStart
  }

  setHeader(name: string, value: string): void {
    this.#reply.setHeader(name, value)
  }

  send(answer: HttpAnswer): void {
    this.#report(answer.status)
    this.#reply.send(answer)
  }

  stream(): EventSink {
    this.#report(200)
    return this.#reply.stream()
  }

  onDisconnect(listener: () => void): void {
    this.#reply.onDisconnect(listener)
  }

  /** Once: an endpoint that fails after its response has started causes a second `send`, which only ends it. */
  #report(status: number): void {
    this.#onStart?.(status)
    this.#onStart = undefined
  }
}
