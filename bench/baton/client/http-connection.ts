import { connect } from 'node:net'
import type { Socket } from 'node:net'
import { parseAnswer } from './http-answer.ts'
import type { HttpAnswer } from './http-answer.ts'

/** Gets the answer to a request, or why there is none. */
export type AnswerListener = (answer: HttpAnswer | Error) => void

/** One keep-alive connection that carries one request at a time. */
export class HttpConnection {
  readonly #socket: Socket
  #held: Buffer = Buffer.alloc(0)
  #listener: AnswerListener | undefined

  constructor(port: number) {
    this.#socket = connect({ port, host: '127.0.0.1', noDelay: true })
    this.#socket.on('data', (chunk: Buffer) => this.#receive(chunk))
    this.#socket.on('close', () => this.#settle(new Error('the server closed the connection')))
    this.#socket.on('error', (error) => this.#settle(error))
  }

  /** Sends one whole request; the connection must be idle. */
  send(text: string, listener: AnswerListener): void {
    this.#listener = listener
    this.#socket.write(text)
  }

  close(): void {
    this.#listener = undefined
    this.#socket.destroy()
  }

  #receive(chunk: Buffer): void {
    this.#held = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk])
    const found = parseAnswer(this.#held)
    if (found === undefined) return
    this.#held = this.#held.subarray(found.end)
    this.#settle(found.answer)
  }

  #settle(answer: HttpAnswer | Error): void {
    const listener = this.#listener
    this.#listener = undefined
    listener?.(answer)
  }
}
