import { Failure } from '../core/error.ts'
import type { AddState } from './add-part.ts'
import { type ConfigFile, readConfigFile } from './config-file.ts'
import { commit, type ConfiguredFile, openConfiguredFile } from './configured-file.ts'
import type { Format } from './format/edit.ts'
import { FORMATS } from './format/formats.ts'
import type { Ledger, Part } from './ledger/ledger.ts'
import type { Changed, Situation } from './situation.ts'
import type { TakeState } from './take-part.ts'
import type { Target, Wish } from './target.ts'

/** `unavailable`: the host has nothing of the kind. */
export type State = AddState | TakeState | 'refused' | 'unavailable'

/** What came of one part of one host. */
export interface Outcome {
  readonly host: string
  readonly part: Part['part']
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

type Step = (format: Format, situation: Situation, target: Target) => Changed<State>

export interface FileOptions {
  readonly wish: Wish
  readonly ledger: Ledger
  readonly isDryRun: boolean
}

/** Takes the targets file by file, so that each file is read once and written once. */
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
