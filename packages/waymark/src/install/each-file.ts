import { Failure } from '../core/error.ts'
import type { ApplyState } from './apply.ts'
import { type ConfigFile, readConfigFile } from './config-file.ts'
import { commit, type ConfiguredFile, openConfiguredFile } from './configured-file.ts'
import type { Format } from './format/edit.ts'
import { FORMATS } from './format/formats.ts'
import type { Ledger, Part } from './ledger/ledger.ts'
import type { Changed, FileState } from './file-state.ts'
import type { RevertState } from './revert.ts'
import type { Target, Wish } from './target.ts'

/** `unavailable`: the host does not support this part. */
export type State = ApplyState | RevertState | 'refused' | 'unavailable'

/** The result for one part of one host. */
export interface Outcome {
  readonly host: string
  readonly part: Part['part']
  /** Undefined where there is no such file. */
  readonly path: string | undefined
  readonly state: State
  readonly failure?: Failure
}

/** A file before and after the change; with a dry run, after the planned change. */
export interface FileChange {
  readonly path: string
  readonly before: Buffer | undefined
  readonly after: Buffer | undefined
}

export interface Result {
  readonly outcomes: readonly Outcome[]
  readonly changes: readonly FileChange[]
}

type Step = (format: Format, fileState: FileState, target: Target) => Changed<State>

export interface FileOptions {
  readonly wish: Wish
  readonly ledger: Ledger
  readonly isDryRun: boolean
}

/** Groups the targets by file, so that each file is read once and written once. */
export async function eachFile(
  { wish, ledger, isDryRun }: FileOptions,
  targets: readonly Target[],
  step: Step,
): Promise<Result> {
  const { files, refused } = readFiles(targets, wish)
  const outcomes: Outcome[] = [...refused]
  const changes: FileChange[] = []
  for (const { file, targets: group } of files) {
    try {
      const opened = openConfiguredFile(file, group[0].format, ledger)
      const { fileState, states } = foldTargets(opened, group, step)
      if (!isDryRun) await commit(opened, fileState, ledger)
      outcomes.push(...group.map((target, at) => toOutcome(target, states[at])))
      changes.push({ path: group[0].path, before: file.bytes, after: fileState.bytes })
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
  let { fileState } = opened
  const states: (State | Failure)[] = []
  for (const target of targets) {
    try {
      const next = step(FORMATS[opened.format], fileState, target)
      fileState = next.fileState
      states.push(next.state)
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      states.push(error)
    }
  }
  return { fileState, states }
}

interface Folded {
  readonly fileState: FileState
  readonly states: readonly (State | Failure)[]
}

function toOutcome(target: Target, state: State | Failure | undefined): Outcome {
  if (state instanceof Failure) return toRefusal(target, state)
  const { host, part, path } = target
  return { host: host.name, part, path, state: state ?? 'unchanged' }
}

export function toRefusal(
  { host, part, path }: Pick<Target, 'host' | 'part'> & { readonly path?: string | undefined },
  error: unknown,
): Outcome {
  if (!(error instanceof Failure)) throw error
  return { host: host.name, part, path, state: 'refused', failure: error }
}

function isSame(before: Buffer | undefined, after: Buffer | undefined): boolean {
  return before === undefined || after === undefined ? before === after : before.equals(after)
}
