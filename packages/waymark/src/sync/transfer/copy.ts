import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { MACHINE_CLOCK } from '../../core/clock/machine-clock.ts'
import { createContext } from '../../core/context.ts'
import type { Remote } from '../../core/remote.ts'
import { createDatabase } from '../../core/sqlite/create.ts'
import { openStore } from '../../core/store/open.ts'
import { createStateFolder, databasePath, writeMarker } from '../../core/store/state-folder.ts'
import type { Store } from '../../core/store/store.ts'
import { putFile } from '../../support/files/put-file.ts'
import { readRegularFile } from '../../support/files/regular-file.ts'
import type { Logger } from '../../support/logger.ts'

/** Entities of a team server as they were, for a clone that cannot reach it. */
export interface TeamCopy extends AsyncDisposable {
  readonly store: Store
  /** When it was last brought up to date, by the clock of this machine. */
  readonly at: number
}

interface CopyState {
  readonly url: string
  readonly project: string
  readonly at: number
  /** The server's time up to which it has everything. */
  readonly since: string
}

const LARGEST_FILE = 4096
/** What was being written while the last pull was answered is read again. */
const OVERLAP_MS = 60_000

/** Undefined where there is none yet, or one of another project. */
export async function openCopy(stateDir: string, remote: Remote): Promise<TeamCopy | undefined> {
  const state = readState(stateDir, remote)
  if (state === undefined) return undefined
  const store = await openStore(folderOf(stateDir))
  return { store, at: state.at, [Symbol.asyncDispose]: () => store.close() }
}

interface Refresh {
  readonly logger: Logger
  readonly signal: AbortSignal
  /** Nothing is done if the copy is younger. */
  readonly olderThanMs?: number
}

/** Brings the copy of a joined clone up to date; the first time it reads everything. */
export async function refreshCopy(
  stateDir: string,
  remote: Remote,
  { logger, signal, olderThanMs = 0 }: Refresh,
): Promise<void> {
  const state = readState(stateDir, remote)
  const at = MACHINE_CLOCK.now()
  if (state !== undefined && at - state.at < olderThanMs && at >= state.at) return
  const folder = folderOf(stateDir)
  if (state === undefined) await createCopy(folder)
  const { pull } = await import('./transfer.ts')
  await using store = await openStore(folder)
  const agent = { name: null, surface: 'cli', assumed: true } as const
  const context = createContext({ store, agent, logger, signal })
  const since = state && new Date(Date.parse(state.since) - OVERLAP_MS).toISOString()
  const pulled = await pull(context, remote, { since, acceptsPurges: true })
  const { url, project } = remote
  const text = JSON.stringify({ url, project, at, since: pulled.at } satisfies CopyState)
  await putFile(statePath(folder), (file) => file.writeFile(text), { mode: 0o600 })
}

export function forgetCopy(stateDir: string): void {
  rmSync(folderOf(stateDir), { recursive: true, force: true })
}

/** Always in SQLite, also where the environment names a database for projects. */
async function createCopy(folder: string): Promise<void> {
  rmSync(folder, { recursive: true, force: true })
  createStateFolder(folder)
  const project = { projectId: crypto.randomUUID(), createdAt: MACHINE_CLOCK.now() }
  writeMarker(folder, await createDatabase(databasePath(folder), project))
}

function readState(stateDir: string, { url, project }: Remote): CopyState | undefined {
  const folder = folderOf(stateDir)
  if (!existsSync(statePath(folder))) return undefined
  try {
    const text = readRegularFile(statePath(folder), LARGEST_FILE) ?? ''
    const state = JSON.parse(text) as CopyState
    return state.url === url && state.project === project ? state : undefined
  } catch {
    return undefined
  }
}

function folderOf(stateDir: string): string {
  return join(stateDir, 'team-copy')
}

function statePath(folder: string): string {
  return join(folder, 'copy.json')
}
