import { arch, cpus, loadavg, platform } from 'node:os'
import { sum } from '../statistics.ts'
import type { GeneratedHistory } from './generated.ts'
import type { HookTimes } from './hooks.ts'
import type { Figures } from './measure.ts'
import { type Server, SERVERS, type Times } from './times.ts'
import type { TruthFigures } from './truth.ts'

export interface Section {
  readonly title: string
  readonly lines: readonly string[]
}

interface RealRun {
  readonly name: string
  readonly annotated: number
  readonly misplaced: readonly string[]
  readonly figures: readonly { readonly by: string; readonly figures: Figures }[]
}

export function describeFigures(run: RealRun, isVerbose: boolean): Section {
  const { name, annotated, misplaced, figures } = run
  const rows = figures.map(({ by, figures: one }) => {
    const { answers, inBlame, inLog } = one
    const precision = share(inBlame + inLog, answers)
    const all = `${one.found} of ${one.expected}`
    const strong = `${one.strongFound} of ${one.strong}`
    return `| ${by} | ${one.functions} | ${answers} | ${inBlame} | ${inLog} | ${one.rewritten.length} | ${one.aboutAnother.length} | ${precision} | ${all} | ${strong} |`
  })
  const details = figures.flatMap(({ by, figures: one }) => [
    ...one.rewritten.map((pair) => `    ${by}, same name only: ${pair}`),
    ...one.aboutAnother.map((pair) => `    ${by}, another: ${pair}`),
    ...one.missed.map((pair) => `    ${by}, missed: ${pair}`),
  ])
  return {
    title: `## ${name}: ${annotated} functions annotated, ${misplaced.length} anchors stored otherwise than asked`,
    lines: [
      '| asked by | functions | answers | in blame | in log -L | same name only | of another function | precision | found of all that blame names | found where a third is left |',
      '|---|---|---|---|---|---|---|---|---|---|',
      ...rows,
      ...(isVerbose ? ['', ...misplaced.map((each) => `    ${each}`), ...details] : []),
    ],
  }
}

interface TruthRow {
  readonly seed: number
  readonly language: string
  readonly history: GeneratedHistory
  readonly figures: TruthFigures
}

/** A row for each seed, and all together. */
export function describeTruth(rows: readonly TruthRow[], isVerbose: boolean): Section {
  const tell = (name: string, own: readonly TruthRow[]) => {
    const total = (count: (row: TruthRow) => number) => sum(own.map(count))
    const [answers, wrong] = [
      total(({ figures }) => figures.answers),
      total(({ figures }) => figures.wrong.length),
    ]
    const [found, expected] = [
      total(({ figures }) => figures.found),
      total(({ figures }) => figures.expected),
    ]
    const steps = (...names: readonly string[]) =>
      total(({ history }) => sum(names.map((step) => history.steps[step] ?? 0)))
    const made = `${steps('move', 'split')} | ${steps('rename', 'rename file')} | ${steps('delete', 'rewrite')} | ${steps('reformat')}`
    const annotations = total(({ history }) => history.touches.length)
    return `| ${name} | ${made} | ${annotations} | ${answers} | ${wrong} | ${share(answers - wrong, answers)} | ${found} of ${expected} | ${share(found, expected)} |`
  }
  const details = rows.flatMap(({ figures }) => [
    ...figures.wrong.map((pair) => `    wrong: ${pair}`),
    ...figures.missed.map((pair) => `    missed: ${pair}`),
  ])
  return {
    title: '## Generated histories, every function annotated whenever it was written',
    lines: [
      'Each seed is a story of 120 commits in one language.',
      '',
      '| seed | moves, splits | renames | deletions, rewrites | reformats | annotations | answers | wrong | precision | found where a third is left | recall |',
      '|---|---|---|---|---|---|---|---|---|---|---|',
      ...rows.map((row) => tell(`${row.seed} (${row.language})`, [row])),
      tell('all', rows),
      ...(isVerbose ? ['', ...details] : []),
    ],
  }
}

export function toTimesTable(rows: readonly Times[]): Section {
  const told = (row: Times, server: Server) => {
    const { ms, ratio, cpuRatio, untraced, tracedAfter } = row.servers[server]
    const file = `${row.annotations} | ${row.lines} | ${row.commits} | ${row.blame.toFixed(0)} ms | ${row.blameCpu.toFixed(0)} ms`
    const first = `${ms.toFixed(0)} ms | ${ratio.toFixed(1)} | ${cpuRatio.toFixed(1)} | ${untraced} | ${tracedAfter.toFixed(0)} ms`
    const warm = `${row.warm.toFixed(1)} ms | ${row.warmRatio.toFixed(2)}`
    return `| ${file} | ${server} | ${first} | ${server === 'running' ? warm : ' | '} |`
  }
  return {
    title: '## Time to read, beside `git blame` of the same file in turns',
    lines: [
      'Forty lines of a file are asked for over MCP, with nothing cached: in a server that was started and is asked at once; in',
      'one that has listed its tools a second ago, as hosts ask before their model makes its first call; and in one that has been',
      'asked about another file. Untraced: annotations that the answer says are still being traced; traced after: the time from',
      'that answer until none is left. Files of this size are answered about soon after 1.1 times of what git took: with what blame',
      'alone says, if nothing more is known by then. CPU time is that of the server and its git processes.',
      '',
      '| annotations on the file | lines | commits | git blame | CPU | server | first read | × | × CPU | untraced | traced after | warm read | × |',
      '|---|---|---|---|---|---|---|---|---|---|---|---|---|',
      ...rows.flatMap((row) => SERVERS.map((server) => told(row, server))),
    ],
  }
}

export function toHooksTable(rows: readonly HookTimes[]): Section {
  return {
    title: '## Hooks with nothing to do, beside a clone without hooks in turns',
    lines: [
      '| what | without | with hooks | × | × CPU |',
      '|---|---|---|---|---|',
      ...rows.map(
        ({ what, plain, hooked, ratio, cpuRatio }) =>
          `| ${what} | ${plain.toFixed(1)} ms | ${hooked.toFixed(1)} ms | ${ratio.toFixed(2)} | ${cpuRatio.toFixed(2)} |`,
      ),
    ],
  }
}

function share(part: number, whole: number): string {
  return whole === 0 ? '-' : (part / whole).toFixed(3)
}

/** A page with these sections, and those of the page before that are not among them. */
export function toPage(sections: readonly Section[], before: string): string {
  const machine = `${platform()} ${arch()}, ${cpus().length} cores, Node ${process.version}, load ${loadavg()[0]?.toFixed(1)}`
  const command = `npm run bench:why -- ${process.argv.slice(2).join(' ')}`
  const texts = new Map(
    before
      .split(/^(?=## )/m)
      .slice(1)
      .map((text) => [keyOf(text), text.trim()]),
  )
  for (const { title, lines } of sections) {
    texts.set(keyOf(title), `${title}\n\n${lines.join('\n')}\n\n\`${command}\`; ${machine}.`)
  }
  const ordered = [...texts].toSorted(([one], [other]) => rankOf(one) - rankOf(other))
  return `# What annotations are told of

Written by \`npm run bench:why\`; do not edit. Below each section is the command that measured it.

A script annotates functions that commits of a clone touched, half of them commits that still own lines. Then functions of
today are asked for. In blame: \`git blame -w -M -C\` traces a line of the function to the annotated lines. In log -L:
\`git log -L\` of the function passes them. Same name only: neither, but the name is the same. A third is left: at least three
lines and a third of the function come from the annotated one. In generated histories it is known which function is which,
and out of which one its lines were taken.
[How evidence and confidence are meant](../guides/annotations.md)

${ordered.map(([, text]) => `${text}\n`).join('\n')}`
}

const ORDER = ['## Hooks', '## Time', '## Generated']

function rankOf(key: string): number {
  const rank = ORDER.findIndex((start) => key.startsWith(start))
  return rank === -1 ? ORDER.length : rank
}

/** The title without its figures. */
function keyOf(text: string): string {
  return text.split(/[:,\n]/, 1)[0] ?? ''
}
