import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createContext } from '../../src/core/context.ts'
import { SILENT } from '../../src/support/logger.ts'
import { initialiseProject, openProject } from '../../src/core/project/project.ts'
import { IN_MEMORY } from '../in-memory.ts'
import { START } from '../setup.ts'
import { commands, compareAll, type Real } from './queue-model/commands.ts'
import type { Model } from './queue-model/model.ts'
import { SEED } from '../seed.ts'

/** More for a soak: `WAYMARK_MODEL_RUNS=100000`. */
const RUNS = Number(process.env['WAYMARK_MODEL_RUNS'] ?? 100)

it(`whatever is done in whatever order, the queue shows what a simple model shows, in ${RUNS} runs [queue-model-whatever-done]`, async () => {
  const directory = mkdtempSync(join(IN_MEMORY, 'waymark-model-'))
  try {
    await initialiseProject(directory)
    await using project = await openProject(directory)
    let now = START
    let run = 0
    const setup = (): { model: Model; real: Real } => {
      run += 1
      // Leases of earlier runs are long over.
      now += 24 * 3_600_000
      return {
        model: { tasks: [], now },
        real: {
          label: `run-${run}`,
          as: (name) =>
            createContext({
              store: project.store,
              agent: { name, surface: 'api' },
              logger: SILENT,
              now: () => now,
            }),
          tick: (milliseconds) => (now += milliseconds),
        },
      }
    }
    await fc.assert(
      fc.asyncProperty(fc.commands(commands, { maxCommands: 20, size: 'max' }), async (planned) => {
        const { model, real } = setup()
        await fc.asyncModelRun(() => ({ model, real }), planned)
        await compareAll(model, real)
      }),
      { seed: SEED, numRuns: RUNS },
    )
    expect(await project.store.consistency.indexErrors()).toEqual([])
  } finally {
    rmSync(directory, { recursive: true, force: true, maxRetries: 10 })
  }
}, 600_000)
