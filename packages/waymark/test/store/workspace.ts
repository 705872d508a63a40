import { randomUUID } from 'node:crypto'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { EntityRow, NewEntity } from '../../src/entity/store.ts'
import { initialiseStore, openStore } from '../../src/core/store/open.ts'
import { Database } from '../../src/core/sqlite/database.ts'
import { bellPath, databasePath, linePath, readMarker } from '../../src/core/store/state-folder.ts'
import type { Store, StoreTransaction } from '../../src/core/store/store.ts'
import { toEntityId } from '../../src/entity/entity-id.ts'

export const NOW = Date.parse('2026-11-15T12:00:00Z')

export interface TemporaryFolder extends Disposable {
  readonly path: string
}

export function createFolder(): TemporaryFolder {
  const path = mkdtempSync(join(tmpdir(), 'waymark-store-'))
  return {
    path,
    [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true, maxRetries: 10 }),
  }
}

/** An initialised state folder. `open` gives another view of it, as another process would have; all are closed at the end. */
export interface Workspace extends AsyncDisposable {
  readonly stateDir: string
  readonly database: string
  open(): Promise<Store>
  openDatabase(patience?: number): Promise<Database>
}

export async function createWorkspace(): Promise<Workspace> {
  const folder = createFolder()
  const stateDir = join(folder.path, 'state')
  await initialiseStore(stateDir, { projectId: randomUUID(), now: NOW })
  const opened: AsyncDisposable[] = []
  const keep = <T extends AsyncDisposable>(thing: T): T => {
    opened.push(thing)
    return thing
  }
  return {
    stateDir,
    database: databasePath(stateDir),
    open: async () => keep(await openStore(stateDir)),
    openDatabase: async (patience = 15_000) =>
      keep(
        await Database.open({
          path: databasePath(stateDir),
          bellPath: bellPath(stateDir),
          linePath: linePath(stateDir),
          projectId: readMarker(stateDir)?.projectId ?? '',
          patience,
        }),
      ),
    [Symbol.asyncDispose]: async () => {
      for (const thing of opened) await thing[Symbol.asyncDispose]()
      if (existsSync(folder.path)) folder[Symbol.dispose]()
    },
  }
}

export function toNewEntity(fields: Partial<NewEntity> = {}): NewEntity {
  return {
    id: toEntityId(randomUUID()),
    type: 'note',
    title: 'a note',
    content: null,
    tags: [],
    status: null,
    properties: {},
    createdAt: NOW,
    createdBy: 'ada',
    ...fields,
  }
}

/** What an operation does: a row and its event in one transaction. */
export async function createEntity(
  store: Store,
  fields: Partial<NewEntity> = {},
): Promise<EntityRow> {
  return store.write((tx) => insertEntity(tx, fields))
}

export async function insertEntity(
  tx: StoreTransaction,
  fields: Partial<NewEntity> = {},
): Promise<EntityRow> {
  const at = await tx.now({ now: () => NOW })
  const entity = await tx.entities.insert(toNewEntity({ createdAt: at, ...fields }))
  await tx.events.append({
    type: 'entity.created',
    subject: entity.id,
    at,
    agent: entity.createdBy,
    data: { number: entity.number },
  })
  return entity
}
