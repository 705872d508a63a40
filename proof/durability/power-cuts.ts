import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { locateProject } from '../../packages/waymark/src/core/project/locate-project.ts'
import { openStore } from '../../packages/waymark/src/core/store/open.ts'
import { findDamage } from '../../packages/waymark/src/core/sqlite/inspect.ts'
import type { Findings, Proof, Trial } from '../proof.ts'
import { DiskModel } from '../system/disk-model.ts'
import { shimObstacle } from '../system/disk-shim.ts'
import { createFolder } from '../system/folder.ts'
import { createRandom } from '../../packages/baton/test/support/random.ts'
import { createProject } from '../system/repository.ts'
import { type Acknowledgement, findLost } from './acknowledgement.ts'
import { acknowledgedIn, recordWriters } from './record-writers.ts'
import { withoutFlushes } from './without-flushes.ts'

const WRITERS = 2
const WRITES = 40
const CUTS = { short: 40, full: 100 }
const CUTS_WITH_FAULT = 20

/** Everything two writers do to the disk is recorded; then the power fails at many moments of the record. */
export const powerCuts: Proof = {
  id: 'power-cuts',
  promise: 'What was acknowledged is on the disk when the power fails',
  unit: 'acknowledged writes at the moment of a cut',
  goal: 20_000,
  faults: ['flush_without_effect', 'folders_not_flushed'],
  obstacle: shimObstacle,
  run: tryPowerCuts,
}

async function tryPowerCuts({ seed, level, fault }: Trial): Promise<Findings> {
  using project = await createProject()
  using scratch = createFolder()
  const state = locateProject(project.path)?.stateDir ?? ''
  const model = new DiskModel(readFiles(state))
  const recorded = await recordWriters({
    directory: project.path,
    state,
    journal: join(scratch.path, 'journal'),
    writers: WRITERS,
    writes: WRITES,
    seed,
  })
  const calls = fault === undefined ? recorded : withoutFlushes(recorded, fault)

  const random = createRandom(seed)
  const cuts = fault === undefined ? CUTS[level] : CUTS_WITH_FAULT
  const moments = new Set(Array.from({ length: cuts }, () => random.below(calls.length)))
  const acknowledged: Acknowledgement[] = []
  const found = { tried: 0, lost: 0, damaged: 0, example: undefined as string | undefined }
  for (const [at, call] of calls.entries()) {
    model.apply(call)
    if (call.kind === 'answer') acknowledged.push(...acknowledgedIn(call.text))
    if (!moments.has(at)) continue
    const outcome = await look(
      model.cut(random),
      state,
      join(scratch.path, String(at)),
      acknowledged,
    )
    found.tried += acknowledged.length
    found.lost += outcome.lost.length
    found.damaged += outcome.damaged
    found.example ??=
      outcome.lost[0] && `cut at call ${at}: lost ${JSON.stringify(outcome.lost[0])}`
  }
  return {
    tried: found.tried,
    violations: { lost: found.lost, damaged: found.damaged },
    counts: { cuts: moments.size, disk_calls: calls.length },
    example: found.example,
  }
}

/** Writes the files as the cut left them, opens the store and looks for what was acknowledged. */
async function look(
  files: ReadonlyMap<string, Buffer>,
  state: string,
  folder: string,
  acknowledged: readonly Acknowledgement[],
): Promise<{ lost: readonly Acknowledgement[]; damaged: number }> {
  for (const [path, content] of files) {
    const target = join(folder, relative(state, path))
    mkdirSync(dirname(target), { recursive: true })
    writeFileSync(target, content)
  }
  try {
    await using store = await openStore(folder)
    const lost = await findLost(store, acknowledged, { state: folder })
    return { lost, damaged: (await findDamage(folder)).length }
  } catch {
    return { lost: acknowledged, damaged: 1 }
  }
}

function readFiles(folder: string): Map<string, Buffer> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
  return new Map(
    entries
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name))
      .map((path) => [path, readFileSync(path)]),
  )
}
