import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe } from 'vitest'
import { MemorySessionStore } from '../../src/session/memory/session-store.ts'
import type { SessionState } from '../../src/session/session.ts'
import type { SessionStoreOptions } from '../../src/session/session-limits.ts'
import type { SessionStore } from '../../src/session/session-store.ts'
import { openSqliteSessionStore } from '@waymark/baton/node'
import { createSessionSchema } from './postgres-schema.ts'

/** A store under test; SQLite gets a folder of its own that goes away with the store. */
export type OpenStore = (options?: SessionStoreOptions) => Promise<SessionStore>

const openMemory: OpenStore = (options) => Promise.resolve(new MemorySessionStore(options))

const openSqlite: OpenStore = async (options) => {
  const folder = await createFolder()
  const store = await openSqliteSessionStore({ path: join(folder.path, 'sessions.db'), ...options })
  const closeStore = store[Symbol.asyncDispose].bind(store)
  store[Symbol.asyncDispose] = async () => {
    await closeStore()
    await folder[Symbol.asyncDispose]()
  }
  return store
}

const openPostgres: OpenStore = async (options) => {
  const schema = await createSessionSchema()
  const store = await schema.open(options)
  const closeStore = store[Symbol.asyncDispose].bind(store)
  store[Symbol.asyncDispose] = async () => {
    await closeStore()
    await schema[Symbol.asyncDispose]()
  }
  return store
}

const IMPLEMENTATIONS: readonly { readonly name: string; readonly open: OpenStore }[] =
  process.env['TEST_POSTGRES_URL'] === undefined
    ? [
        { name: 'memory', open: openMemory },
        { name: 'sqlite', open: openSqlite },
      ]
    : [{ name: 'postgres', open: openPostgres }]

/** Runs the same claims on every implementation; on PostgreSQL where the tests have a server. */
export function describeStores(title: string, claims: (open: OpenStore) => void): void {
  describe.each(IMPLEMENTATIONS)(`${title} ($name)`, ({ open }) => claims(open))
}

export interface Folder extends AsyncDisposable {
  readonly path: string
}

export async function createFolder(): Promise<Folder> {
  const path = await mkdtemp(join(tmpdir(), 'baton-session-'))
  return {
    path,
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true, maxRetries: 10 }),
  }
}

/** A clock that moves only when told. */
export function createClock(start = 1_800_000_000_000): {
  now: () => number
  advance: (ms: number) => void
} {
  let time = start
  return {
    now: () => time,
    advance: (ms) => {
      time += ms
    },
  }
}

export const STATE: SessionState = {
  protocolVersion: '2025-11-25',
  clientInfo: { name: 'test-client', version: '1.0.0' },
  clientCapabilities: { elicitation: {} },
  initialized: false,
  subscriptions: [],
}

export const ALICE = 'https://issuer.test alice'
export const BOB = 'https://issuer.test bob'
