import { arch, cpus, loadavg, platform, release } from 'node:os'
import { ORDINARY_TESTS, type OrdinaryTest } from './ordinary-tests.ts'
import type { Verdict } from './run.ts'

export interface Report {
  readonly made: string
  readonly command: string
  readonly machine: Readonly<Record<string, string>>
  readonly verdicts: readonly Verdict[]
}

export function createReport(
  verdicts: readonly Verdict[],
  command: string,
  versions: Readonly<Record<string, string>>,
): Report {
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
  }
}

export function toMarkdown({ made, command, machine, verdicts }: Report): string {
  return [
    '# What was proved',
    '',
    `Written by \`${command}\` on ${made}; do not edit. ${describe(machine)}.`,
    '',
    'A count of 0 in N means: with 95 % confidence it happens in fewer than 3 of N. Each line was tried again with known',
    'mistakes planted, and counts only because the same test found every one of them.',
    '',
    '| Id | Promise | Tried | Violations | Also seen | Planted mistakes found |',
    '|---|---|---|---|---|---|',
    ...verdicts.map(toRow),
    '',
    'One promise alone: `npm run prove -- --only <id>`; the same run again: add `--seed <seed>`.',
    '',
    '## What the ordinary tests try',
    '',
    'They are part of every check (`npm test`). How much they try stands in their title or beside it; where two counts',
    'stand there, the first is that of the full level.',
    '',
    '| What | File | Test | How much |',
    '|---|---|---|---|',
    ...ORDINARY_TESTS.map(toTestRow),
    '',
  ].join('\n')
}

function toTestRow({ what, file, title, count }: OrdinaryTest): string {
  return `| ${what} | \`${file}\` | ${title} | ${count === undefined ? '' : `\`${count}\``} |`
}

function toRow(verdict: Verdict): string {
  const { id, promise, unit, tried, goal, violations, counts, figures, faults, outcome, note } =
    verdict
  if (outcome === 'untried') return `| ${id} | ${promise} | not here: ${note} | | | |`
  const found = faults.map(
    ({ name, foundAfter }) => `${name}${foundAfter === null ? ' MISSED' : ''}`,
  )
  const cells = [
    id,
    promise,
    `${count(tried)} ${unit}${goal > 0 ? ` (goal ${count(goal)})` : ''}`,
    list(violations),
    list({ ...counts, ...figures }),
    found.join(', '),
  ]
  return `| ${cells.join(' | ')} |`
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
