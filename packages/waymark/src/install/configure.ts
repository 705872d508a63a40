import { relative } from 'node:path'
import { Failure } from '../error.ts'
import { install, type InstallState, uninstall, type UninstallState } from './change.ts'
import { type ConfigFile, readConfigFile } from './config-file.ts'
import { commit, type ConfiguredFile, openConfiguredFile } from './configured-file.ts'
import { runsWaymark } from './entry.ts'
import { FORMATS, type FormatName } from './format/formats.ts'
import type { Host } from './host.ts'
import type { Ledger, Part } from './ledger.ts'
import type { Situation } from './situation.ts'
import { type Target, targetOf, type Wish } from './target.ts'

export type PartName = Part['part']

export const PARTS: readonly PartName[] = ['server', 'hook', 'instructions']

/** `unavailable`: the host has nothing of the kind. */
export type State = InstallState | UninstallState | 'refused' | 'unavailable'

/** What came of one part of one host. */
export interface Outcome {
  readonly host: string
  readonly part: PartName
  /** Undefined where there is no such file. */
  readonly path: string | undefined
  readonly state: State
  readonly failure?: Failure
}

/** What a file was and what it has become, or would become. */
export interface FileChange {
  readonly path: string
  readonly before: Buffer | undefined
  readonly after: Buffer | undefined
}

export interface Result {
  readonly outcomes: readonly Outcome[]
  readonly changes: readonly FileChange[]
}

export interface Options {
  readonly wish: Wish
  readonly ledger: Ledger
  readonly parts: readonly PartName[]
  readonly isDryRun: boolean
  /** Replace what others have put under our name. */
  readonly force?: boolean
}

/** Configures hosts. What one of them refuses keeps none of the others from being configured. */
export async function installHosts(hosts: readonly Host[], options: Options): Promise<Result> {
  const others: Outcome[] = []
  const targets: Target[] = []
  for (const host of hosts) {
    for (const part of options.parts) {
      try {
        const target = targetOf(host, part, options.wish)
        if (target !== undefined) targets.push(target)
        else others.push({ host: host.name, part, path: undefined, state: 'unavailable' })
      } catch (error) {
        others.push(toRefusal({ host, part }, error))
      }
    }
  }
  const rules = { isOurs: runsWaymark, force: options.force === true }
  const { outcomes, changes } = await eachFile(options, targets, (format, situation, target) =>
    install(format, situation, { ...target, host: target.host.name }, rules),
  )
  return { outcomes: [...outcomes, ...others], changes }
}

/** Undoes what was done for these hosts: by the ledger where it knows, else by what is recognisably ours. */
export async function uninstallHosts(hosts: readonly Host[], options: Options): Promise<Result> {
  const targets = hosts.flatMap((host) =>
    options.parts.flatMap((part) => [
      ...recordedTargets(host, part, options),
      ...likelyTargets(host, part, options),
    ]),
  )
  return await eachFile(options, targets, (format, situation, { host, part, edits }) =>
    uninstall(format, situation, {
      matches: (known) => known.host === host.name && known.part === part,
      candidates: edits,
      isOurs: runsWaymark,
    }),
  )
}

/** A file may have moved since: a host may read another one first by now. */
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

/** Where our things would be if the ledger has been lost, or a colleague has added them. */
function likelyTargets(host: Host, part: PartName, options: Options): readonly Target[] {
  const isRecorded = recordedTargets(host, part, options).length > 0
  if (isRecorded) return []
  try {
    const target = targetOf(host, part, { ...options.wish, http: undefined })
    return target === undefined ? [] : [target]
  } catch {
    // A host that cannot be configured here has nothing that could be removed.
    return []
  }
}

type Step = (
  format: (typeof FORMATS)[FormatName],
  situation: Situation,
  target: Target,
) => { readonly situation: Situation; readonly state: State }

/** Takes the targets file by file, so that each file is read once and written once. */
async function eachFile(
  { wish, ledger, isDryRun }: Options,
  targets: readonly Target[],
  step: Step,
): Promise<Result> {
  const { files, refused } = readFiles(targets, wish)
  const outcomes: Outcome[] = [...refused]
  const changes: FileChange[] = []
  for (const { file, targets: group } of files) {
    try {
      const opened = openConfiguredFile(file, group[0].format, ledger)
      const { situation, states } = foldTargets(opened, group, step)
      if (!isDryRun) await commit(opened, situation, ledger)
      outcomes.push(...group.map((target, at) => toOutcome(target, states[at])))
      changes.push({ path: group[0].path, before: file.bytes, after: situation.bytes })
    } catch (error) {
      outcomes.push(...group.map((target) => toRefusal(target, error)))
    }
  }
  return { outcomes, changes: changes.filter(({ before, after }) => !isSame(before, after)) }
}

interface TargetFile {
  readonly file: ConfigFile
  readonly targets: [Target, ...Target[]]
}

function readFiles(targets: readonly Target[], { scope, root }: Wish) {
  const files = new Map<string, TargetFile>()
  const refused: Outcome[] = []
  for (const target of targets) {
    try {
      const file = readConfigFile(target.path, scope === 'project' ? root : undefined)
      const known = files.get(file.path)
      if (known === undefined) files.set(file.path, { file, targets: [target] })
      else known.targets.push(target)
    } catch (error) {
      refused.push(toRefusal(target, error))
    }
  }
  return { files: [...files.values()], refused }
}

function foldTargets(opened: ConfiguredFile, targets: readonly Target[], step: Step): Folded {
  let { situation } = opened
  const states: (State | Failure)[] = []
  for (const target of targets) {
    try {
      const next = step(FORMATS[opened.format], situation, target)
      situation = next.situation
      states.push(next.state)
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      states.push(error)
    }
  }
  return { situation, states }
}

interface Folded {
  readonly situation: Situation
  readonly states: readonly (State | Failure)[]
}

function toOutcome(target: Target, state: State | Failure | undefined): Outcome {
  if (state instanceof Failure) return toRefusal(target, state)
  const { host, part, path } = target
  return { host: host.name, part, path, state: state ?? 'unchanged' }
}

function toRefusal(
  { host, part, path }: Pick<Target, 'host' | 'part'> & { readonly path?: string | undefined },
  error: unknown,
): Outcome {
  if (!(error instanceof Failure)) throw error
  return { host: host.name, part, path, state: 'refused', failure: error }
}

function isInside(root: string | undefined, path: string): boolean {
  return root !== undefined && !relative(root, path).startsWith('..')
}

function isSame(before: Buffer | undefined, after: Buffer | undefined): boolean {
  return before === undefined || after === undefined ? before === after : before.equals(after)
}
