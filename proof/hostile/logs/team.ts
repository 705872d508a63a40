import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Findings } from '../../proof.ts'
import { buildProgram, Program } from '../../system/program.ts'
import type { Reportable } from './attacker.ts'
import { SOURCE_FAULTS } from './faults.ts'
import type { Ground, Honest } from './ground.ts'
import type { VictimAssignment, VictimReport } from './victim.program.ts'

const MOST_MEMORY = 512 * 1024 * 1024
const DEADLINE_MS = 300_000

const NO_VIOLATIONS = {
  died: 0,
  hung: 0,
  lost: 0,
  changed: 0,
  renumbered: 0,
  annotations_lost: 0,
  unreported: 0,
  over_limit: 0,
  checks_failed: 0,
  diverged: 0,
  too_much_memory: 0,
}
type Violation = keyof typeof NO_VIOLATIONS

/** The honest clones, and all that they have ever been told was done. */
export class Team {
  readonly #ground: Ground
  readonly #script: string
  readonly #directories = new Map<string, string>()
  readonly #expected = new Map<string, Honest>()
  readonly #annotations = new Set<string>()
  /** Numbers of entities that have been sent. */
  readonly #numbers = new Map<string, number>()
  readonly #own = new Map<string, Honest>()
  /** What a clone has: an attacker may take away what another one has sent, before it comes here. */
  readonly #seen = new Map<string, Set<string>>()
  readonly #violations = { ...NO_VIOLATIONS }
  readonly #counts = { set_aside: 0, notes_set_aside: 0, damaged: 0, processes: 0 }
  readonly #figures = { megabytes: 0, slowest_seconds: 0, entities: 0 }
  #reportable: Reportable = { lines: [], notes: [] }
  /** The first of each kind. */
  readonly #examples = new Map<Violation, string>()
  #round = 0

  private constructor(ground: Ground, script: string) {
    this.#ground = ground
    this.#script = script
    for (const each of ground.honest) this.#expected.set(each.id, each)
    for (const id of ground.annotations) this.#annotations.add(id)
    for (const { id, number } of [...ground.targets.kept, ...ground.targets.purged]) {
      this.#numbers.set(id, number)
    }
    this.#seen.set('ada', new Set([...this.#expected.keys(), ...this.#annotations]))
  }

  static async create(
    ground: Ground,
    others: readonly string[],
    fault: string | undefined,
  ): Promise<Team> {
    const found = fault === undefined ? undefined : SOURCE_FAULTS[fault]
    const planted = found && fault !== undefined ? { name: fault, ...found } : undefined
    const script = await buildProgram(new URL('victim.program.ts', import.meta.url), planted)
    const team = new Team(ground, script)
    team.#directories.set('ada', ground.ada)
    for (const name of others) team.#directories.set(name, await ground.clone(name))
    return team
  }

  get hasFailed(): boolean {
    return Object.values(this.#violations).some((count) => count > 0)
  }

  /** From now on every clone has to have reported these. */
  expectReported(reportable: Reportable): void {
    this.#reportable = reportable
  }

  /** Each clone writes, synchronises and goes on, one after the other. */
  async work(): Promise<void> {
    this.#round += 1
    for (const name of this.#directories.keys()) await this.#visit(name, false)
  }

  /** All that the last one wrote comes to the others; then they know the same. */
  async agree(): Promise<void> {
    const names = [...this.#directories.keys()]
    for (const name of [...names, ...names.slice(0, 1)]) await this.#visit(name, true)
    if (this.hasFailed) return
    const [first, ...others] = names.map((name) => this.#snapshotOf(name))
    for (const other of others) {
      const differing = firstDifference(first ?? [], other)
      if (differing !== undefined) this.#violate('diverged', differing)
    }
  }

  /** One more clone that sees everything for the first time. */
  async join(name: string): Promise<void> {
    this.#directories.set(name, await this.#ground.clone(name))
    await this.agree()
  }

  findings(): Omit<Findings, 'tried'> {
    return {
      violations: this.#violations,
      counts: this.#counts,
      figures: this.#figures,
      example: [...this.#examples].map((pair) => pair.join(': ')).join('\n') || undefined,
    }
  }

  async #visit(name: string, isQuiet: boolean): Promise<void> {
    if (this.#violations.died + this.#violations.hung > 0) return
    const seen = this.#seen.get(name) ?? new Set()
    const isDue = (id: string): boolean => isQuiet || seen.has(id)
    const assignment: VictimAssignment = {
      directory: this.#directories.get(name) ?? '',
      name,
      round: this.#round,
      isQuiet,
      expected: [...this.#expected.values()].filter(({ id }) => isDue(id)),
      annotations: [...this.#annotations].filter(isDue),
      refused: this.#reportable.lines,
      purged: this.#ground.targets.purged.map(({ id }) => id),
      own: this.#own.get(name),
      snapshot: this.#snapshotPath(name),
    }
    const began = performance.now()
    const report = await this.#run(assignment)
    const seconds = (performance.now() - began) / 1000
    this.#counts.processes += 1
    if (report === undefined) return
    this.#figures.slowest_seconds = Math.max(this.#figures.slowest_seconds, seconds)
    this.#add(name, report)
    if (!isQuiet && name === 'ada') this.#checkNotes(report)
    const due = [...assignment.expected.map(({ id }) => id), ...assignment.annotations]
    const own = [...report.wrote.map(({ id }) => id), ...report.annotated]
    this.#seen.set(name, new Set([...seen, ...due, ...own]))
  }

  async #run(assignment: VictimAssignment): Promise<VictimReport | undefined> {
    const program = new Program(this.#script, assignment)
    const late = new AbortController()
    const ended = program.finish().then(
      () => 'ended' as const,
      (error: unknown) => ({ error }),
    )
    const outcome = await Promise.race([
      ended,
      sleep(DEADLINE_MS, 'late' as const, { signal: late.signal }),
    ])
    late.abort()
    if (outcome === 'late') {
      await program.kill()
      this.#violate('hung', `${assignment.name} in round ${assignment.round}`)
    } else if (outcome !== 'ended') {
      this.#violate(
        'died',
        `${assignment.name} in round ${assignment.round}: ${String(outcome.error)}`,
      )
    }
    return program.reports<VictimReport>()[0]
  }

  #add(name: string, report: VictimReport): void {
    for (const each of report.wrote) {
      this.#expected.set(each.id, each)
      this.#own.set(name, each)
    }
    for (const id of report.annotated) this.#annotations.add(id)
    for (const [id, number] of Object.entries(report.numbers)) {
      const known = this.#numbers.get(id)
      if (known !== undefined && known !== number) {
        this.#violate('renumbered', `${name} says ${number} in place of ${known} for ${id}`)
      }
      this.#numbers.set(id, number)
    }
    const groups = {
      lost: report.lost,
      changed: report.changed,
      annotations_lost: report.lostAnnotations,
      unreported: report.unreported,
      over_limit: report.overLimit,
      checks_failed: report.failedChecks,
    } as const
    for (const [kind, found] of Object.entries(groups)) {
      for (const each of found) this.#violate(kind as keyof typeof groups, `${name}: ${each}`)
    }
    if (report.peakMemory > MOST_MEMORY)
      this.#violate('too_much_memory', `${name}: ${report.peakMemory}`)
    const megabytes = Math.round(report.peakMemory / 1024 / 1024)
    this.#figures.megabytes = Math.max(this.#figures.megabytes, megabytes)
    this.#figures.entities = Math.max(this.#figures.entities, report.entities)
    this.#counts.set_aside = Math.max(this.#counts.set_aside, report.setAside)
    this.#counts.damaged = Math.max(this.#counts.damaged, report.damaged)
    this.#counts.notes_set_aside += report.notesSetAside.length
  }

  /** The first clone that meets them names the notes that are not read; for the others they are out of the way. */
  #checkNotes({ notesSetAside }: VictimReport): void {
    const named = new Set(notesSetAside)
    for (const commit of this.#reportable.notes) {
      if (!named.has(commit)) this.#violate('unreported', `the note of ${commit}`)
    }
  }

  #violate(kind: Violation, example: string): void {
    this.#violations[kind] += 1
    if (!this.#examples.has(kind)) this.#examples.set(kind, example)
  }

  #snapshotPath(name: string): string {
    return `${this.#directories.get(name)}.snapshot`
  }

  /** What is restored after a purge is not sent, so each clone says of it when it was restored there. */
  #snapshotOf(name: string): readonly string[] {
    const purged = new Set(this.#ground.targets.purged.map(({ id }) => id))
    return readFileSync(this.#snapshotPath(name), 'utf8')
      .split('\n')
      .map((line) => {
        const {
          updated_at: _at,
          updated_by: _by,
          ...rest
        } = JSON.parse(line) as { id: string; updated_at?: string; updated_by?: string }
        return purged.has(rest.id) ? JSON.stringify(rest) : line
      })
  }
}

function firstDifference(ours: readonly string[], theirs: readonly string[]): string | undefined {
  const known = new Set(ours)
  const added = theirs.filter((line) => !known.has(line))
  const kept = new Set(theirs)
  const gone = ours.filter((line) => !kept.has(line))
  if (added.length + gone.length === 0) return undefined
  return `${gone.length} of ${ours.length} differ; ${gone[0]?.slice(0, 700)} is ${added[0]?.slice(0, 700)}`
}
