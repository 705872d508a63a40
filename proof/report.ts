import { arch, cpus, loadavg, platform, release } from 'node:os'
import { ORDINARY_TESTS, type OrdinaryTest } from './ordinary-tests.ts'
import { PROOFS } from './proofs.ts'
import { FULL_COUNTS, type TestOutcome, type TestOutcomes } from './run-ordinary-tests.ts'
import type { Verdict } from './run.ts'

export interface Report {
  readonly made: string
  readonly command: string
  readonly machine: Readonly<Record<string, string>>
  readonly verdicts: readonly Verdict[]
  /** What some of the promises were tried with later, one at a time. */
  readonly again?: readonly Attempt[]
  /** With which counts the ordinary tests were run, and what became of them; nothing if they were not. */
  readonly counts?: Readonly<Record<string, string>>
  readonly tests?: readonly { readonly what: string; readonly outcome: TestOutcome }[]
}

type Attempt = Pick<Report, 'made' | 'command'>

interface Material {
  readonly verdicts: readonly Verdict[]
  readonly tests: TestOutcomes | undefined
  readonly command: string
  readonly versions: Readonly<Record<string, string>>
}

export function createReport({ verdicts, tests, command, versions }: Material): Report {
  return {
    made: new Date().toISOString().slice(0, 10),
    command,
    machine: {
      system: `${platform()} ${release()} ${arch()}`,
      cores: String(cpus().length),
      load: loadavg()
        .map((load) => load.toFixed(1))
        .join(' '),
      node: process.version,
      ...versions,
    },
    verdicts,
    ...(tests !== undefined && {
      counts: FULL_COUNTS,
      tests: [...tests].map(([{ what }, outcome]) => ({ what, outcome })),
    }),
  }
}

/** A report in which some promises were tried again: of the others it says what it said before. */
export function withAgain(earlier: Report, later: Report): Report {
  const { made, command, verdicts, ...rest } = later
  const byId = new Map([...earlier.verdicts, ...verdicts].map((verdict) => [verdict.id, verdict]))
  // A run writes after each of its promises, and names itself once.
  const isOther = (run: { readonly made: string; readonly command: string }): boolean =>
    run.made !== made || run.command !== command
  return {
    ...earlier,
    ...rest,
    machine: earlier.machine,
    verdicts: PROOFS.flatMap(({ id }) => byId.get(id) ?? []),
    again: [...(earlier.again ?? []).filter(isOther), { made, command }],
  }
}

export function toMarkdown(report: Report): string {
  const { made, command, machine, verdicts, again = [], counts, tests } = report
  const outcomes = new Map(tests?.map(({ what, outcome }) => [what, outcome]))
  return [
    '# What was proved',
    '',
    `Written by \`${command}\` on ${made}; do not edit. ${describe(machine)}.`,
    ...again.map(({ command, made }) => `Then \`${command}\` on ${made}.`),
    '',
    'A count of 0 in N means: with 95 % confidence it happens in fewer than 3 of N, if each try stands for itself. Writes',
    'that one cut hits together do not: there the number of cuts is N. Each line was tried again with known mistakes',
    'planted, and counts only because the same test found every one of them.',
    '',
    '| Id | Promise | Tried | Seeds | Violations | Also seen | Planted mistakes found |',
    '|---|---|---|---|---|---|---|',
    ...verdicts.map(toRow),
    ...untriedIn(verdicts),
    '',
    'One promise alone: `npm run prove -- --only <id>`. The choices of one run again: add `--seed <seed>`, and',
    '`--level full` if that is how it was made.',
    '',
    '## What the ordinary tests try',
    '',
    'They are part of every check (`npm test`, or `npm run prove` for long ones). How much they try stands in their title',
    'or beside it; where two counts stand there, the first is that of the full level.',
    ...(counts === undefined ? [] : ['', `Here they were run with ${describe(counts)}.`]),
    '',
    '| What | File | Test | How much | Here |',
    '|---|---|---|---|---|',
    ...ORDINARY_TESTS.map((test) => toTestRow(test, outcomes.get(test.what) ?? 'not run')),
    '',
  ].join('\n')
}

function toTestRow({ what, file, id, count }: OrdinaryTest, outcome: string): string {
  const amount = count === undefined ? '' : `\`${count}\``
  return `| ${what} | \`${file}\` | \`${id}\` | ${amount} | ${outcome} |`
}

function toRow(verdict: Verdict): string {
  const { id, promise, unit, tried, goal, violations, counts, figures, faults, outcome, note } =
    verdict
  if (outcome === 'untried') return `| ${id} | ${promise} | not here: ${note} | | | | |`
  const found = faults.map(
    ({ name, foundAfter }) => `${name}${foundAfter === null ? ' MISSED' : ''}`,
  )
  const cells = [
    id,
    promise,
    `${count(tried)} ${unit}${goal > 0 ? ` (goal ${count(goal)})` : ''}`,
    seedsOf(verdict),
    outcome === 'broken' ? `BROKEN: ${list(violations)}` : list(violations),
    list({ ...counts, ...figures }),
    found.join(', '),
  ]
  return `| ${cells.join(' | ')} |`
}

/** A promise that is not in the report must not be overlooked because of that. */
function untriedIn(verdicts: readonly Verdict[]): string[] {
  const tried = new Set(verdicts.map(({ id }) => id))
  return PROOFS.filter(({ id }) => !tried.has(id)).map(
    ({ id, promise }) => `| ${id} | ${promise} | not tried for this report | | | | |`,
  )
}

/** Of the first run and of the last. */
function seedsOf({ seed, runs }: Verdict): string {
  return runs > 1 ? `${seed - runs + 1}–${seed}` : String(seed)
}

function list(figures: Readonly<Record<string, number>>): string {
  return Object.entries(figures)
    .map(([name, value]) => `${name.replaceAll('_', ' ')} ${count(value)}`)
    .join(', ')
}

function count(value: number): string {
  return value.toLocaleString('en', { maximumFractionDigits: 2 })
}

function describe(machine: Readonly<Record<string, string>>): string {
  return Object.entries(machine)
    .map(([name, value]) => `${name} ${value}`)
    .join(', ')
}
