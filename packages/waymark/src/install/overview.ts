import { isDeepStrictEqual } from 'node:util'
import { Failure } from '../core/error.ts'
import { readConfigFile } from './config-file.ts'
import { findSign } from './machine/detect.ts'
import { runsWaymark } from './ledger/entry.ts'
import type { Json } from './format/edit.ts'
import { FORMATS } from './format/formats.ts'
import type { Host, Scope } from './hosts/host.ts'
import { entryOf, locate, serverEdit, type Wish } from './target.ts'
import { decode } from './text.ts'

/**
 * `current`: equal to what `install` would write. `outdated`: a waymark entry that differs. `foreign`: another program's
 * entry under our name. `unreadable`: the file cannot be parsed.
 */
type EntryState = 'current' | 'outdated' | 'foreign' | 'absent' | 'unreadable'

/** Our entry in a host's configuration. */
export interface FoundEntry {
  readonly host: Host
  readonly scope: Scope
  readonly path: string
  readonly state: EntryState
  readonly entry?: Json
  /** Why it is unreadable. */
  readonly failure?: Failure
}

export interface HostOverview {
  readonly host: Host
  /** Evidence that the host is in use, if any. */
  readonly sign: string | undefined
  readonly entries: readonly FoundEntry[]
}

export function overviewOf(host: Host, wish: Wish): HostOverview {
  const scopes = ['project', 'global'] as const
  return {
    host,
    sign: findSign(host, wish.machine, wish.root),
    entries: scopes.flatMap((scope) => findEntry(host, { ...wish, scope })),
  }
}

/** Nothing where the host has no file in this scope. */
function findEntry(host: Host, wish: Wish): readonly FoundEntry[] {
  const { scope, root } = wish
  const path = tryTo(() => locate(host.files, wish))
  if (path === undefined) return []
  try {
    const { bytes } = readConfigFile(path, scope === 'project' ? root : undefined)
    const entry = FORMATS[host.format].find(decode(bytes).text, serverEdit(host, null))
    const found = { host, scope, path, state: stateOf(entry, host, wish) }
    return [entry === undefined ? found : { ...found, entry }]
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    return [{ host, scope, path, state: 'unreadable', failure: error }]
  }
}

function stateOf(entry: Json | undefined, host: Host, wish: Wish): EntryState {
  if (entry === undefined) return 'absent'
  if (
    isDeepStrictEqual(
      entry,
      tryTo(() => entryOf(host, wish)),
    )
  )
    return 'current'
  return runsWaymark(entry) ? 'outdated' : 'foreign'
}

/** Undefined on a Failure, such as a missing home or project. */
function tryTo<T>(action: () => T): T | undefined {
  try {
    return action()
  } catch (error) {
    if (error instanceof Failure) return undefined
    throw error
  }
}
