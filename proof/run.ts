import { inspect } from 'node:util'
import { countViolations, type Findings, type Level, type Proof, type Trial } from './proof.ts'

export interface Verdict {
  readonly id: string
  readonly promise: string
  readonly unit: string
  readonly outcome: 'held' | 'broken' | 'untried' | 'unfinished'
  readonly runs: number
  readonly seconds: number
  readonly tried: number
  readonly goal: number
  readonly violations: Readonly<Record<string, number>>
  readonly counts: Readonly<Record<string, number>>
  readonly figures: Readonly<Record<string, number>>
  /** Every planted mistake, and with the how-manieth attempt it was found. */
  readonly faults: readonly { readonly name: string; readonly foundAfter: number | null }[]
  /** Replays the last run, which is the one that failed if any did. */
  readonly seed: number
  readonly note?: string | undefined
}

export interface RunOptions {
  readonly seed: number
  /** `full` goes on with new seeds until the proof has reached its goal. */
  readonly level: Level
  /** Goes on with new seeds for so long. Once at least. */
  readonly milliseconds: number
  /** Told how far it has come after every run. */
  readonly onRun: (verdict: Verdict) => void
  /** What an earlier process has tried; it goes on from there. */
  readonly earlier?: Verdict | undefined
  /** Stops after so many runs, also short of the goal. */
  readonly mostRuns?: number | undefined
}

/** A planted mistake may need the right moment to show; it gets so many. */
const ATTEMPTS = 8

/** Tries a promise until it was tried enough or breaks, then every planted mistake until it is found. */
export async function prove(proof: Proof, options: RunOptions): Promise<Verdict> {
  const began = performance.now()
  const note = proof.obstacle?.()
  if (note !== undefined) return { ...start(proof, options), outcome: 'untried', note }
  const { earlier, mostRuns = Infinity } = options
  let verdict = earlier ?? start(proof, options)
  const secondsSoFar = (): number => (earlier?.seconds ?? 0) + (performance.now() - began) / 1000
  const isDue = (): boolean =>
    verdict.outcome === 'held' &&
    (verdict.tried < verdict.goal || performance.now() - began < options.milliseconds)
  for (let runs = 0; (runs === 0 && earlier === undefined) || isDue(); runs += 1) {
    if (runs === mostRuns) return { ...verdict, outcome: 'unfinished', seconds: secondsSoFar() }
    const seed = options.seed + verdict.runs
    verdict = add(verdict, await runOnce(proof, { seed, level: options.level }), seed)
    options.onRun({ ...verdict, seconds: secondsSoFar() })
  }
  const faults = []
  for (const name of proof.faults) {
    faults.push({ name, foundAfter: await findFault(proof, name, options.seed) })
  }
  const missed = faults.filter(({ foundAfter }) => foundAfter === null).map(({ name }) => name)
  const seconds = secondsSoFar()
  if (missed.length === 0) return { ...verdict, faults, seconds }
  const blind = `a planted mistake was not found: ${missed.join(', ')}`
  const notes = [verdict.note, blind].filter((text) => text !== undefined).join('\n')
  return { ...verdict, faults, seconds, outcome: 'broken', note: notes }
}

const UNFINISHED = 'unfinished'

/** A proof that ends in an error has proved nothing; the others go on, and it can be replayed like any other failure. */
async function runOnce(proof: Proof, trial: Trial): Promise<Findings> {
  try {
    return await proof.run(trial)
  } catch (error) {
    return { tried: 0, violations: { [UNFINISHED]: 1 }, example: inspect(error).slice(0, 3000) }
  }
}

async function findFault(proof: Proof, fault: string, seed: number): Promise<number | null> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    const findings = await runOnce(proof, { seed: seed + attempt, level: 'short', fault })
    const isFinished = !(UNFINISHED in findings.violations)
    if (!isFinished) console.error(`${proof.id} with ${fault}: ${findings.example}`)
    // An error of the proof itself is no finding.
    if (isFinished && countViolations(findings) > 0) return attempt
  }
  return null
}

function start({ id, promise, unit, goal }: Proof, { seed, level }: RunOptions): Verdict {
  return {
    id,
    promise,
    unit,
    outcome: 'held',
    runs: 0,
    seconds: 0,
    tried: 0,
    goal: level === 'full' ? goal : 0,
    violations: {},
    counts: {},
    figures: {},
    faults: [],
    seed,
  }
}

function add(verdict: Verdict, findings: Findings, seed: number): Verdict {
  const isBroken = countViolations(findings) > 0
  return {
    ...verdict,
    outcome: isBroken ? 'broken' : verdict.outcome,
    runs: verdict.runs + 1,
    tried: verdict.tried + findings.tried,
    violations: sum(verdict.violations, findings.violations),
    counts: sum(verdict.counts, findings.counts ?? {}),
    figures: worst(verdict.figures, findings.figures ?? {}),
    seed,
    ...(isBroken && { note: findings.example }),
  }
}

function sum(known: Readonly<Record<string, number>>, seen: Readonly<Record<string, number>>) {
  const all = { ...known }
  for (const [name, value] of Object.entries(seen)) all[name] = (all[name] ?? 0) + value
  return all
}

/** Of each figure the largest that was seen in any run. */
function worst(
  known: Readonly<Record<string, number>>,
  seen: Readonly<Record<string, number>>,
): Record<string, number> {
  const all = { ...known }
  for (const [name, value] of Object.entries(seen)) all[name] = Math.max(all[name] ?? value, value)
  return all
}
