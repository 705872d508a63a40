import { join } from 'node:path'
import { openProject } from '../../packages/waymark/src/project.ts'
import { locateProject } from '../../packages/waymark/src/store/project.ts'
import { findDamage } from '../../packages/waymark/src/store/inspect.ts'
import type { Findings, Proof, Trial } from '../proof.ts'
import { readJournal, shimObstacle, type ShimOptions, withShim } from '../system/disk-shim.ts'
import { createFolder } from '../system/folder.ts'
import { buildProgram, Program } from '../system/program.ts'
import { createRandom } from '../../packages/baton/test/support/random.ts'
import { createProject } from '../system/repository.ts'
import {
  type Acknowledgement,
  findLost,
  isAcknowledgement,
  type Refusal,
} from './acknowledgement.ts'
import type { DurabilityFault } from './faults.ts'

const WRITES = 24
const RUNS = { short: 20, full: 60 }
const RUNS_WITH_FAULT = 6
/** As long as a full disk lasts in the scenario. */
const FULL_FOR = 6

/** One disk call of a fixed scenario fails, or several in a row as on a full disk; in each run another one. */
export const diskErrors: Proof = {
  id: 'disk-errors',
  promise: 'A disk error or a full disk is reported, loses nothing, and the next write works',
  unit: 'writes on a failing disk',
  goal: 1000,
  faults: ['error_ignored'],
  obstacle: shimObstacle,
  run: tryDiskErrors,
}

async function tryDiskErrors({ seed, level, fault }: Trial): Promise<Findings> {
  const random = createRandom(seed)
  const calls = await countCalls(seed)
  const found = { tried: 0, lost: 0, damaged: 0, stuck: 0, refused: 0 }
  let example: string | undefined
  const runs = fault === undefined ? RUNS[level] : RUNS_WITH_FAULT
  for (let run = 0; run < runs; run += 1) {
    // Early enough that writes are left for when the disk works again.
    const from = 1 + random.below(Math.floor(calls / 3))
    const fail = random.pick([
      { from, to: from, error: 'EIO' },
      { from, to: from + FULL_FOR, error: 'ENOSPC' },
    ] as const)
    const outcome = await scenario(seed, { fail, fault: fault as DurabilityFault | undefined })
    found.tried += outcome.tried
    found.lost += outcome.lost.length
    found.damaged += outcome.damaged
    found.refused += outcome.refused
    found.stuck += outcome.isStuck ? 1 : 0
    example ??=
      outcome.lost[0] && `${JSON.stringify(fail)}: lost ${JSON.stringify(outcome.lost[0])}`
    if (outcome.isStuck) example ??= `${JSON.stringify(fail)}: no write worked afterwards`
  }
  const { tried, refused, ...violations } = found
  return { tried, violations, counts: { runs, refused }, figures: { disk_calls: calls }, example }
}

interface ScenarioOptions {
  readonly fail?: ShimOptions['fail']
  readonly fault?: DurabilityFault | undefined
  readonly journal?: string
}

async function scenario(seed: number, { fail, fault, journal }: ScenarioOptions) {
  using project = await createProject()
  const root = locateProject(project.path)?.stateDir ?? ''
  const script = await buildProgram(new URL('writer.program.ts', import.meta.url))
  const writer = new Program(
    script,
    { directory: project.path, name: 'writer', seed, writes: WRITES, notes: false, fault },
    withShim({ root, ...(journal !== undefined && { journal }), ...(fail && { fail }) }),
  )
  // A disk that fails while the store is opened may end the program; what it said before counts all the same.
  await writer.finish().catch(() => {})
  const lines = writer.reports<Acknowledgement | Refusal>()
  const acknowledged = lines.filter(isAcknowledgement)
  await using open = await openProject(project.path)
  const last = lines.at(-1)
  return {
    tried: lines.length,
    refused: lines.length - acknowledged.length,
    lost: await findLost(open.store, acknowledged, { state: open.state }),
    damaged: (await findDamage(open.state)).length,
    isStuck: lines.length === WRITES && last !== undefined && !isAcknowledgement(last),
  }
}

async function countCalls(seed: number): Promise<number> {
  using scratch = createFolder()
  const journal = join(scratch.path, 'journal')
  await scenario(seed, { journal })
  return readJournal(journal).filter(({ kind }) => kind !== 'answer').length
}
