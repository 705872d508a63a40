import { join } from 'node:path'
import { createRandom } from '../../../packages/baton/test/support/random.ts'
import type { Context } from '../../../packages/waymark/src/core/context.ts'
import { Failure } from '../../../packages/waymark/src/core/error.ts'
import { execute } from '../../../packages/waymark/src/core/execute.ts'
import { openRepository } from '../../../packages/waymark/src/git/repository.ts'
import { annotateCode } from '../../../packages/waymark/src/annotation/write/annotate.ts'
import { createEntity } from '../../../packages/waymark/src/entity/operations.ts'
import { runSync } from '../../../packages/waymark/src/sync/operations.ts'
import { openProject } from '../../../packages/waymark/src/core/project/project.ts'
import type { Findings, Proof, Trial } from '../../proof.ts'
import { contextOf } from '../../system/agent.ts'
import { FAULTY_STARTS, startFaulty } from './faulty-starts.ts'
import {
  chooseConfiguration,
  type Configuration,
  createGround,
  type Ground,
  plant,
} from './ground.ts'

const CONFIGURATIONS = { short: 8, full: 100 }
const CONFIGURATIONS_WITH_FAULT = 6

/** A repository whose configuration names programs wherever it can is read, annotated and synchronised. */
export const plantedConfigurations: Proof = {
  id: 'configurations',
  promise:
    'No configuration of a repository runs a program when it is read, annotated or synchronised',
  unit: 'planted configurations',
  goal: 1000,
  faults: Object.keys(FAULTY_STARTS),
  run: tryConfigurations,
}

async function tryConfigurations({ seed, level, fault }: Trial): Promise<Findings> {
  const count = fault === undefined ? CONFIGURATIONS[level] : CONFIGURATIONS_WITH_FAULT
  using ground = await createGround(count)
  await using project = await openProject(ground.root)
  const context = contextOf(project, 'proof')
  const random = createRandom(seed)
  const found = { programs_run: 0, failed: 0 }
  const counts = { settings: 0, synchronised: 0, refused: 0 }
  let example: string | undefined
  for (let at = 0; at < count; at += 1) {
    const configuration = chooseConfiguration(ground, random)
    plant(ground, configuration)
    counts.settings += configuration.settings.length
    const before = { ...found }
    if (fault !== undefined) await startFaulty(fault, ground, configuration)
    else if (await use(context, ground, at)) counts.synchronised += 1
    else if (configuration.isHonest) found.failed += 1
    else counts.refused += 1
    if (haveRun(ground)) found.programs_run += 1
    if (JSON.stringify(found) !== JSON.stringify(before)) example ??= describe(configuration)
  }
  return { tried: count, violations: found, counts, example }
}

/** Whether everything worked. What is refused is fine, as long as nothing has run. */
async function use(context: Context, { root }: Ground, at: number): Promise<boolean> {
  const outcomes = [
    await settle(() => read(root, `HEAD:f${at}`)),
    await settle(() => execute(context, createEntity, { type: 'note', title: `note ${at}` })),
    await settle(() => execute(context, annotateCode, { summary: `why ${at}` })),
    await settle(() => execute(context, runSync, {})),
  ]
  return outcomes.every((isDone) => isDone)
}

async function read(root: string, name: string): Promise<void> {
  await using repository = openRepository(root, join(root, '.git', 'waymark'))
  await repository.objects.read(name)
}

async function settle(work: () => Promise<unknown>): Promise<boolean> {
  try {
    await work()
    return true
  } catch (error) {
    if (error instanceof Failure) return false
    throw error
  }
}

/** Also forgets it. */
function haveRun({ program, inner }: Ground): boolean {
  return [program, inner].some(({ calls, forget }) => {
    const isRun = calls() !== ''
    forget()
    return isRun
  })
}

function describe({ way, name, address, settings }: Configuration): string {
  return `${JSON.stringify({ way, name, address, settings }).slice(0, 1500)}`
}
