import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'vitest'
import { createPageSessions } from '../../src/surfaces/page/page-sessions.ts'
import { setup } from '../setup.ts'
import { readFrames } from './event-frames.ts'
import { createTestSite } from './test-site.ts'

export type Fields = Record<string, unknown>
export type Row = readonly unknown[]

/** A site with the person signed in to its page, beside agents that have the secret. */
export async function setupLive() {
  const project = await setup()
  const pages = createPageSessions(mkdtempSync(join(tmpdir(), 'waymark-live-')))
  const site = createTestSite(project.directory, { pages })
  const redeemed = pages.redeem(pages.createCode({ isReadOnly: false }))
  const token = redeemed?.token ?? ''
  const person = { authorization: `Bearer ${token}` }
  const send = async (name: string, input: object, headers: object = person) => {
    const response = await site.ask(`/api/${name}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(input),
    })
    return { status: response.status, body: (await response.json()) as Fields }
  }
  const call = async (name: string, input: object, headers: object = person) => {
    const { status, body } = await send(name, input, headers)
    expect(status, `${name} ${JSON.stringify(body)}`).toBe(200)
    return body
  }
  return {
    pages,
    site,
    token,
    send,
    call,
    agent: (name: string) => ({ authorization: `Bearer ${site.secret}`, 'waymark-agent': name }),
    board: async () => (await call('board.show', {})) as unknown as Board,
    follow: async (query: string) =>
      readFrames(await site.ask(`/api/event.stream?${query}`, { headers: person })),
    [Symbol.asyncDispose]: async () => {
      await site[Symbol.asyncDispose]()
      await project[Symbol.asyncDispose]()
    },
  }
}

export interface Board {
  readonly cursor: number
  readonly columns: readonly string[]
  readonly rows: readonly Row[]
  readonly totals: Readonly<Record<string, number>>
}
