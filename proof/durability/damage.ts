import { copyFileSync, cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { SqliteError } from '@waymark/sqlite'
import { Failure } from '../../packages/waymark/src/core/error.ts'
import { execute } from '../../packages/waymark/src/core/execute.ts'
import { addArtifact } from '../../packages/waymark/src/artifact/operations.ts'
import { createEntity } from '../../packages/waymark/src/entity/operations.ts'
import { sendMessage } from '../../packages/waymark/src/message/operations.ts'
import { createRelation } from '../../packages/waymark/src/relation/operations.ts'
import { checkStore } from '../../packages/waymark/src/integrity/operations.ts'
import { createTask } from '../../packages/waymark/src/task/operations.ts'
import {
  initialiseProject,
  openProject,
  type OpenProject,
} from '../../packages/waymark/src/core/project/project.ts'
import { findDamage } from '../../packages/waymark/src/core/sqlite/inspect.ts'
import { locateProject } from '../../packages/waymark/src/core/project/locate-project.ts'
import { databasePath } from '../../packages/waymark/src/core/store/state-folder.ts'
import type { Findings, Proof, Trial } from '../proof.ts'
import { contextOf } from '../system/agent.ts'
import { createRandom } from '../../packages/baton/test/support/random.ts'
import { createProject } from '../system/repository.ts'
import {
  describeDifference,
  differingTables,
  type Dump,
  dumpTables,
  emptyLog,
  isEarlier,
  KEPT_TWICE,
} from './dump.ts'
import { harm } from './harm.ts'

const ENTITIES = 40
/** As many of them are in the log alone, not yet in the database. */
const ENTITIES_IN_LOG = 10
const DAMAGES = { short: 60, full: 500 }
const DAMAGES_WITH_FAULT = 12

/** A store is damaged in one of many ways, and opened and read as if nothing had happened. */
export const damage: Proof = {
  id: 'damage',
  promise:
    'Damaged knowledge is refused, found by the check, or still what it was at one moment; it is never begun anew',
  unit: 'damaged stores',
  goal: 2000,
  faults: ['begins_anew', 'check_is_blind'],
  run: tryDamage,
}

async function tryDamage({ seed, level, fault }: Trial): Promise<Findings> {
  using project = await createProject()
  using other = await createProject()
  const state = locateProject(project.path)?.stateDir ?? ''
  const good = await fill(project.path, `${state}-kept`)
  await fill(other.path, `${state}-foreign`, 2 * ENTITIES_IN_LOG)
  const random = createRandom(seed)
  const found = {
    refused: 0,
    found_by_check: 0,
    harmless: 0,
    earlier: 0,
    unnoticed: 0,
    wrong: 0,
    crashed: 0,
  }
  const counts = { flips: 0, of_the_log: 0 }
  let example: string | undefined
  const damages = fault === undefined ? DAMAGES[level] : DAMAGES_WITH_FAULT
  for (let n = 0; n < damages; n += 1) {
    rmSync(state, { recursive: true })
    cpSync(`${state}-kept`, state, { recursive: true })
    const what = harm(state, `${state}-foreign`, random)
    counts.flips += what.startsWith('flip') ? 1 : 0
    counts.of_the_log += what.includes('log') ? 1 : 0
    if (fault === 'begins_anew') await beginAnew(project.path, state)
    const outcome = await look(project.path, good, fault === 'check_is_blind')
    found[outcome.kind] += 1
    if (outcome.kind === 'wrong' || outcome.kind === 'crashed')
      example ??= `${what}: ${outcome.difference}`
  }
  const { wrong, crashed, ...seen } = found
  return { tried: damages, violations: { wrong, crashed }, counts: { ...counts, ...seen }, example }
}

/** Fills a store, keeps a copy of its folder as it is while it is open, and says what is in it. */
async function fill(directory: string, copy: string, entities = ENTITIES): Promise<Dump> {
  await using project = await openProject(directory)
  const context = contextOf(project, 'writer')
  let last: string | undefined
  for (let n = 0; n < entities; n += 1) {
    if (n === entities - 2 * ENTITIES_IN_LOG) {
      emptyLog(project.state)
      copyFileSync(databasePath(project.state), join(project.state, 'older.db'))
    }
    if (n === entities - ENTITIES_IN_LOG) emptyLog(project.state)
    const content = `Text number ${n}. `.repeat(20)
    const note = { type: 'note', title: `note ${n}`, content, tags: [`tag ${n % 5}`] } as const
    const { id } = await execute(context, createEntity, note)
    if (last !== undefined) {
      await execute(context, createRelation, { source: id, target: last, type: 'references' })
    }
    last = id
    if (n % 4 === 0) await execute(context, createTask, { title: `task ${n}`, labels: ['red'] })
    if (n % 4 === 1) await execute(context, sendMessage, { body: `message ${n} to everybody` })
    if (n % 4 === 2) await execute(context, addArtifact, { text: `bytes ${n}`, name: `${n}.txt` })
  }
  cpSync(project.state, copy, { recursive: true })
  return dumpTables(project.state)
}

type Kind =
  | 'crashed'
  | 'refused'
  | 'found_by_check'
  | 'harmless'
  | 'earlier'
  | 'unnoticed'
  | 'wrong'

interface Outcome {
  readonly kind: Kind
  readonly difference: string
}

async function look(directory: string, good: Dump, isBlind: boolean): Promise<Outcome> {
  try {
    await using project = await openProject(directory)
    const seen = dumpTables(project.state)
    const tables = differingTables(good, seen)
    const difference = tables.map((table) => describeDifference(good, seen, table)).join('; ')
    if (tables.length === 0) return { kind: 'harmless', difference }
    if (!isBlind && (await isFound(project))) return { kind: 'found_by_check', difference }
    // The last writes were in the log alone, and it was damaged: what was before them is whole.
    if (isEarlier(good, seen)) return { kind: 'earlier', difference }
    const isKeptTwice = tables.some((table) => KEPT_TWICE.has(table))
    return { kind: isKeptTwice ? 'wrong' : 'unnoticed', difference }
  } catch (error) {
    const isRefusal =
      error instanceof SqliteError || (error instanceof Failure && error.code !== 'internal')
    return { kind: isRefusal ? 'refused' : 'crashed', difference: inspect(error).slice(0, 2000) }
  }
}

async function isFound(project: OpenProject): Promise<boolean> {
  if ((await findDamage(project.state)).length > 0) return true
  const { ok } = await execute(contextOf(project, 'doctor'), checkStore, {})
  return !ok
}

/** What a program does that takes an unreadable store for a missing one. */
async function beginAnew(directory: string, state: string): Promise<void> {
  try {
    await using project = await openProject(directory)
    if (!(await isFound(project))) return
  } catch {
    // That is what this mistake is about.
  }
  rmSync(state, { recursive: true })
  await initialiseProject(directory)
}
