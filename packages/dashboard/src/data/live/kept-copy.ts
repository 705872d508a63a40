import { projectPath } from '../project-path.ts'

const STORE = 'snapshots'

/** The last snapshot of this project, kept by the browser. */
export async function readCopy(): Promise<unknown> {
  try {
    return await withStore('readonly', (store) => store.get(keyOf()))
  } catch {
    // A private window may have no storage; the page works without it.
    return undefined
  }
}

export async function keepCopy(snapshot: object): Promise<void> {
  try {
    await withStore('readwrite', (store) => store.put(snapshot, keyOf()))
  } catch {
    // As above.
  }
}

export async function forgetCopies(): Promise<void> {
  await withStore('readwrite', (store) => store.clear())
}

function keyOf(): string {
  return projectPath() || '/'
}

async function withStore<T>(
  mode: IDBTransactionMode,
  work: (store: IDBObjectStore) => IDBRequest<T>,
): Promise<T> {
  const database = await toPromise(openDatabase())
  try {
    return await toPromise(work(database.transaction(STORE, mode).objectStore(STORE)))
  } finally {
    database.close()
  }
}

function openDatabase(): IDBOpenDBRequest {
  const request = indexedDB.open('waymark', 1)
  request.onupgradeneeded = () => request.result.createObjectStore(STORE)
  return request
}

function toPromise<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error ?? new Error('storage failed'))
  })
}
