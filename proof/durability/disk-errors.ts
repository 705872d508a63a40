import { cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { execute } from '../../packages/waymark/src/core/execute.ts'
import { createEntity } from '../../packages/waymark/src/entity/operations.ts'
import { openProject } from '../../packages/waymark/src/core/project/project.ts'
import { locateProject } from '../../packages/waymark/src/core/project/locate-project.ts'
import { findDamage } from '../../packages/waymark/src/core/sqlite/inspect.ts'
import type { Findings, Proof, Trial } from '../proof.ts'
import { contextOf } from '../system/agent.ts'
import { type DiskFault, readJournal, shimObstacle, withShim } from '../system/disk-shim.ts'
import { createFolder } from '../system/folder.ts'
import { buildProgram, Program } from '../system/program.ts'
import { createRandom, type Random } from '../../packages/baton/test/support/random.ts'
import { createProject } from '../system/repository.ts'
import {
  type Acknowledgement,
  findLost,
  isAcknowledgement,
  type Refusal,
} from './acknowledgement.ts'
import type { DurabilityFault } from './faults.ts'

const WRITES = 12
const RUNS = 12
const RUNS_WITH_FAULT = 6
/** How far apart the calls are that fail at the full level, one in each run. */
const DISTANCE = 7
/** As long as a full disk lasts in the scenario. */
const FULL_FOR = 6

/** What may happen to which calls, and for how many calls in a row. */
const WAYS = [
  { calls: 'wstn', error: 'EIO', lasting: 0 },
  { calls: 'wstn', error: 'ENOSPC', lasting: FULL_FOR },
  { calls: 'wstn', error: 'EDQUOT', lasting: FULL_FOR },
  { calls: 'wstn', error: 'EINTR', lasting: 0 },
  { calls: 'w', error: 'SHORT', lasting: 0 },
  { calls: 'o', error: 'EIO', lasting: 0 },
  { calls: 'o', error: 'EMFILE', lasting: FULL_FOR },
  { calls: 'l', error: 'ENOLCK', lasting: 0 },
] as const satisfies readonly (Omit<DiskFault, 'from' | 'to'> & { lasting: number })[]

type Way = (typeof WAYS)[number]

/** One disk call of a fixed scenario fails, or several in a row as on a full disk; in each run another one. */
export const diskErrors: Proof = {
  id: 'disk-errors',
  promise:
    'A disk error or a full disk is reported, loses nothing, ends nothing, and the next write works',
  unit: 'runs with a failing disk',
  goal: 1,
  faults: ['error_ignored', 'breaks_down', 'gives_up'],
  obstacle: shimObstacle,
  run: tryDiskErrors,
}

async function tryDiskErrors({ seed, level, fault }: Trial): Promise<Findings> {
  const random = createRandom(seed)
  using scenario = await Scenario.create(seed)
  const countsByCalls = await scenario.countCalls()
  const chosen =
    level === 'full' && fault === undefined
      ? callsApart(countsByCalls, seed)
      : someCalls(countsByCalls, random, fault === undefined ? RUNS : RUNS_WITH_FAULT)
  const found = { lost: 0, damaged: 0, stuck: 0, crashed: 0 }
  const counts = { writes: 0, refused: 0 }
  let example: string | undefined
  for (const fail of chosen) {
    const outcome = await scenario.run(fail, fault as DurabilityFault | undefined)
    counts.writes += outcome.writes
    counts.refused += outcome.refused
    found.lost += outcome.lost.length
    found.damaged += outcome.damaged
    found.stuck += outcome.isStuck ? 1 : 0
    found.crashed += outcome.crash === undefined ? 0 : 1
    if (outcome.lost.length + outcome.damaged > 0 || outcome.isStuck || outcome.crash)
      example ??= `${JSON.stringify(fail)}: ${JSON.stringify(outcome)}`
  }
  const calls = Object.fromEntries(
    [...countsByCalls].map(([kinds, count]) => [`calls_${kinds}`, count]),
  )
  return {
    tried: chosen.length,
    violations: found,
    counts,
    figures: calls,
    example,
  }
}

/** Calls at even distances, each in another of the ways that can happen to it; as many seeds as the distance try them all. */
function callsApart(countsByCalls: ReadonlyMap<string, number>, seed: number): DiskFault[] {
  return [...countsByCalls].flatMap(([calls, count]) => {
    const ways = WAYS.filter((way) => way.calls === calls)
    const all = Array.from({ length: count }, (_, at) =>
      toFault(ways[(Math.floor(at / DISTANCE) + seed) % ways.length] ?? WAYS[0], at + 1),
    )
    return all.filter((_, at) => at % DISTANCE === seed % DISTANCE)
  })
}

function someCalls(
  countsByCalls: ReadonlyMap<string, number>,
  random: Random,
  runs: number,
): DiskFault[] {
  return Array.from({ length: runs }, (_, at) => {
    const way = WAYS[at % WAYS.length] ?? WAYS[0]
    return toFault(way, 1 + random.below(countsByCalls.get(way.calls) ?? 1))
  })
}

function toFault({ calls, error, lasting }: Way, from: number): DiskFault {
  return { calls, error, from, to: from + lasting }
}

/** A writer that does the same each time, on a copy of the same new project. */
class Scenario implements Disposable {
  readonly #seed: number
  readonly #original: { readonly path: string } & Disposable
  readonly #folder = createFolder()
  readonly #script: string
  #runs = 0

  static async create(seed: number): Promise<Scenario> {
    const script = await buildProgram(new URL('writer.program.ts', import.meta.url))
    return new Scenario(seed, await createProject(), script)
  }

  private constructor(
    seed: number,
    original: { readonly path: string } & Disposable,
    script: string,
  ) {
    this.#seed = seed
    this.#original = original
    this.#script = script
  }

  /** How many calls of each kind there are when nothing fails. */
  async countCalls(): Promise<ReadonlyMap<string, number>> {
    const counts = new Map<string, number>()
    for (const { calls } of WAYS) {
      if (counts.has(calls)) continue
      const journal = join(this.#folder.path, `journal of ${calls}`)
      const { writer } = this.#start({ journal, count: calls })
      await writer.finish()
      counts.set(calls, readJournal(journal).filter(({ kind }) => kind === 'counted').length)
    }
    return counts
  }

  async run(fail: DiskFault, fault: DurabilityFault | undefined) {
    const { writer, directory } = this.#start({ fail }, fault)
    const crash = await writer.finish().then(
      () => undefined,
      (error: Error) => error.message.slice(0, 1000),
    )
    const lines = writer.reports<Acknowledgement | Refusal>()
    const acknowledged = lines.filter(isAcknowledgement)
    using _ = { [Symbol.dispose]: () => rmSync(directory, { recursive: true, force: true }) }
    await using open = await openProject(directory)
    // Whatever it was, the next one who writes can.
    const context = contextOf(open, 'next')
    await execute(context, createEntity, { type: 'note', title: 'afterwards' })
    return {
      crash,
      writes: lines.length,
      refused: lines.length - acknowledged.length,
      lost: await findLost(open.store, acknowledged, { state: open.state }),
      damaged: (await findDamage(open.state)).length,
      isStuck: countRefusedAtEnd(lines) > fail.to - fail.from + 2,
    }
  }

  #start(
    options: { fail?: DiskFault; journal?: string; count?: string },
    fault?: DurabilityFault,
  ): { readonly writer: Program; readonly directory: string } {
    const directory = join(this.#folder.path, String((this.#runs += 1)))
    cpSync(this.#original.path, directory, { recursive: true })
    const root = locateProject(directory)?.stateDir ?? ''
    const writer = new Program(
      this.#script,
      { directory, name: 'writer', seed: this.#seed, writes: WRITES, notes: false, fault },
      withShim({ root, ...options }),
    )
    return { writer, directory }
  }

  [Symbol.dispose](): void {
    this.#folder[Symbol.dispose]()
    this.#original[Symbol.dispose]()
  }
}

function countRefusedAtEnd(lines: readonly (Acknowledgement | Refusal)[]): number {
  const last = lines.findLastIndex(isAcknowledgement)
  return lines.length - 1 - last
}
