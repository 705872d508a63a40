import { realpathSync } from 'node:fs'
import { join } from 'node:path'
import type { Outcome, State } from '../each-file.ts'
import { SERVER_NAME } from '../hosts/host.ts'
import { HOSTS } from '../hosts/hosts.ts'
import { type Ledger, openLedger, type Part } from './ledger.ts'
import { homeOf, type Machine, userFolder } from '../machine/machine.ts'
import { entryOf, type Wish } from '../target.ts'

export function userLedgerFolder(machine: Machine): string {
  return join(userFolder(machine), 'install')
}

/** What this user has installed; undefined if HOME is not set. */
export function openUserLedger(machine: Machine): Ledger | undefined {
  return homeOf(machine) === undefined ? undefined : openLedger(userLedgerFolder(machine))
}

const WRITTEN: ReadonlySet<State> = new Set(['added', 'updated', 'unchanged'])
const GONE: ReadonlySet<State> = new Set(['removed', 'restored', 'absent'])

/**
 * Records in the user's folder which addresses they added to files of a project. Such a file, and the project's own ledger,
 * may come from a clone, so `doctor` sends the user's credential only to addresses recorded here.
 */
export async function recordAddresses(
  ledger: Ledger,
  wish: Wish,
  outcomes: readonly Outcome[],
): Promise<void> {
  for (const { host: name, part, path, state } of outcomes) {
    const host = HOSTS.find((known) => known.name === name)
    if (part !== 'server' || path === undefined || host === undefined) continue
    const isKept = wish.http !== undefined && WRITTEN.has(state)
    if (!isKept && !GONE.has(state)) continue
    const file = realPath(path)
    const others = ledger.get(file)?.parts.filter((known) => known.host !== name)
    const parts: Part[] = [
      ...(others ?? []),
      ...(isKept ? [toPart(name, [host.key], entryOf(host, wish))] : []),
    ]
    const record = { version: 1, file, format: host.format, before: null, after: null } as const
    if (parts.length > 0) await ledger.put({ ...record, folders: [], parts }, undefined)
    else if (others !== undefined) ledger.remove(file)
  }
}

function toPart(
  host: string,
  above: readonly string[],
  value: Part['edits'][number]['value'],
): Part {
  const path = [...above, SERVER_NAME]
  return { host, part: 'server', edits: [{ kind: 'entry', path, value, keep: 0 }] }
}

/** A file that was removed together with what was ours in it is known by its old path. */
function realPath(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}
