import { isDeepStrictEqual } from 'node:util'
import type { Client } from './client/load.ts'
import { big, echo } from './servers/answers.ts'
import { ECHO_TEXT, toBigCall, toEchoCall } from './wire.ts'
import type { RequestTemplate, Wire } from './wire.ts'

/** How long right answers are, without the digits of their ids. */
export interface AnswerLengths {
  readonly echo: number
  readonly big: number
}

interface Answer {
  readonly jsonrpc?: unknown
  readonly id?: unknown
  readonly result?: { readonly resultType?: unknown; readonly _meta?: unknown }
}

/** Checks the answers of a contender before it is measured. */
export async function verifyAnswers(client: Client, wire: Wire): Promise<AnswerLengths> {
  return {
    echo: await verify(client, wire, { request: toEchoCall(wire), expected: echo(ECHO_TEXT) }),
    big: await verify(client, wire, { request: toBigCall(wire), expected: big() }),
  }
}

async function verify(
  client: Client,
  wire: Wire,
  { request, expected }: { readonly request: RequestTemplate; readonly expected: object },
): Promise<number> {
  const text = await client.ask(request)
  const { jsonrpc, id, result } = JSON.parse(text) as Answer
  const { resultType, _meta: _, ...own } = result ?? {}
  const isRight =
    jsonrpc === '2.0' &&
    Number.isInteger(id) &&
    resultType === (wire === '2026' ? 'complete' : undefined) &&
    isDeepStrictEqual(own, expected)
  if (!isRight) throw new Error(`wrong answer to ${request.name}: ${text.slice(0, 500)}`)
  return Buffer.byteLength(text) - String(id).length
}
