import { cpus } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { openProject } from '../../packages/waymark/src/core/project/project.ts'
import type { Findings, Proof, Trial } from '../proof.ts'
import { buildProgram, Program } from '../system/program.ts'
import { createProject } from '../system/repository.ts'
import type { BusyAssignment } from './fairness.program.ts'

const WRITERS = 16
/** It is over when one of them has written so much. */
const WRITES = { short: 60, full: 400 }
/** Whoever gets less than this part of an even share is starved. */
const LEAST_SHARE = 1 / 16

/** Sixteen processes want to write all the time. */
export const fairness: Proof = {
  id: 'fairness',
  promise: 'Of sixteen processes that write without a pause none is starved, and nothing is lost',
  unit: 'writes',
  goal: 5000,
  faults: ['backs_off_alone'],
  run: tryFairness,
}

/** What a person at an idle machine may expect, in milliseconds; on a busy one it says nothing about Waymark. */
const EXPECTED = { p99: 250, longest: 2000, unevenness: 0.2 }

async function tryFairness({ level, fault }: Trial): Promise<Findings> {
  const wasIdle = level === 'full' && (await isIdle())
  using project = await createProject()
  const script = await buildProgram(new URL('fairness.program.ts', import.meta.url))
  const programs = Array.from({ length: WRITERS }, (_, at) => {
    const assignment: BusyAssignment = {
      directory: project.path,
      name: `writer ${at}`,
      ...(at === 0 && { fault }),
    }
    return new Program(script, assignment)
  })
  await Promise.all(programs.map((program) => program.untilReports(1)))
  for (const program of programs) program.go()
  await Promise.race(programs.map((program) => program.untilReports(1 + WRITES[level])))
  for (const program of programs) program.stop()
  await Promise.all(programs.map((program) => program.finish()))
  const waits = programs.map((program) =>
    program.reports<{ wait?: number }>().flatMap(({ wait }) => wait ?? []),
  )
  const all = waits.flat().toSorted((one, other) => one - other)
  const even = all.length / WRITERS
  await using open = await openProject(project.path)
  const { total } = await open.store.entities.list({ limit: 1, offset: 0 })
  const squares = waits.reduce((sum, { length }) => sum + length ** 2, 0)
  const figures = {
    p50_ms: at(all, 0.5),
    p99_ms: at(all, 0.99),
    longest_ms: at(all, 1),
    unevenness: 1 - all.length ** 2 / (WRITERS * squares),
  }
  const isTooSlow =
    figures.p99_ms > EXPECTED.p99 ||
    figures.longest_ms > EXPECTED.longest ||
    figures.unevenness > EXPECTED.unevenness
  const hadItAlone = wasIdle && (await isIdle())
  return {
    tried: all.length,
    violations: {
      starved: waits.filter(({ length }) => length < even * LEAST_SHARE).length,
      lost: Math.max(0, all.length - total),
      doubled: Math.max(0, total - all.length),
      too_slow_when_idle: Number(hadItAlone && isTooSlow),
    },
    counts: { runs_on_an_idle_machine: Number(hadItAlone) },
    figures,
  }
}

function at(sorted: readonly number[], part: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0
}

/** Whether nobody else uses the processors, as far as one second tells. */
async function isIdle(): Promise<boolean> {
  const before = processorTimes()
  await sleep(1000)
  const after = processorTimes()
  return after.idle - before.idle > 0.9 * (after.all - before.all)
}

function processorTimes(): { idle: number; all: number } {
  const times = cpus().map(({ times }) => times)
  return {
    idle: times.reduce((sum, { idle }) => sum + idle, 0),
    all: times.flatMap((one) => Object.values(one)).reduce((sum, time) => sum + time, 0),
  }
}
