import { relative } from 'node:path'
import { Failure } from '../core/error.ts'
import { applyPart } from './apply.ts'
import { eachFile, type FileOptions, type Outcome, type Result, toRefusal } from './each-file.ts'
import { runsWaymark } from './ledger/entry.ts'
import type { Host } from './hosts/host.ts'
import type { Part } from './ledger/ledger.ts'
import { revertPart } from './revert.ts'
import { type Target, targetsOf } from './target.ts'

export type PartName = Part['part']

export const PARTS: readonly PartName[] = ['server', 'hook', 'instructions']

export interface Options extends FileOptions {
  readonly parts: readonly PartName[]
  /** Replace what others have put under our name. */
  readonly force?: boolean
}

/** Configures hosts. A failure of one host does not affect the others. */
export async function installHosts(hosts: readonly Host[], options: Options): Promise<Result> {
  const others: Outcome[] = []
  const targets: Target[] = []
  for (const host of hosts) {
    for (const part of options.parts) {
      try {
        const found = targetsOf(host, part, options.wish)
        targets.push(...found)
        if (found.length === 0)
          others.push({ host: host.name, part, path: undefined, state: 'unavailable' })
      } catch (error) {
        others.push(toRefusal({ host, part }, error))
      }
    }
  }
  const rules = { isOurs: runsWaymark, force: options.force === true }
  const { outcomes, changes } = await eachFile(options, targets, (format, fileState, target) =>
    applyPart(format, fileState, { ...target, host: target.host.name }, rules),
  )
  return { outcomes: [...outcomes, ...others], changes }
}

/** Removes our configuration from these hosts: by the ledger where it has a record, else by recognising our entries. */
export async function uninstallHosts(hosts: readonly Host[], options: Options): Promise<Result> {
  const targets = hosts.flatMap((host) =>
    options.parts.flatMap((part) => [
      ...recordedTargets(host, part, options),
      ...likelyTargets(host, part, options),
    ]),
  )
  return await eachFile(options, targets, (format, fileState, { host, part, edits }) =>
    revertPart(format, fileState, {
      matches: (known) => known.host === host.name && known.part === part,
      candidates: edits,
      isOurs: runsWaymark,
    }),
  )
}

/** By the recorded path, because the host may prefer another file by now. */
function recordedTargets(host: Host, part: PartName, { ledger, wish }: Options): readonly Target[] {
  return (
    ledger
      .list()
      .filter((record) =>
        record.parts.some((known) => known.host === host.name && known.part === part),
      )
      // All worktrees share a ledger; this is about one of them.
      .filter(({ file }) => wish.scope === 'global' || isInside(wish.root, file))
      .map(({ file, format }) => ({ host, part, path: file, format, edits: [] }))
  )
}

/** Where our entries would be if the ledger was lost, or a colleague added them. */
function likelyTargets(host: Host, part: PartName, options: Options): readonly Target[] {
  const isRecorded = recordedTargets(host, part, options).length > 0
  if (isRecorded) return []
  try {
    return targetsOf(host, part, { ...options.wish, http: undefined })
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    // A host that cannot be configured here has nothing to remove.
    return []
  }
}

function isInside(root: string | undefined, path: string): boolean {
  return root !== undefined && !relative(root, path).startsWith('..')
}
