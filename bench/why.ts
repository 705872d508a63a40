// Whether annotations are told of the right code. Real histories are annotated by a script, functions of today are asked
// for, and the answers compared with `git blame -w -M -C` and `git log -L`; in generated histories the truth is known. The
// given repositories are cloned and never written to. `--report <file>` writes a page; sections of it that this run has not
// measured stay.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { annotateHistory } from './why/annotate.ts'
import { generate } from './why/generated.ts'
import { timeHooks } from './why/hooks.ts'
import { askFunctions } from './why/measure.ts'
import {
  describeFigures,
  describeTruth,
  toHooksTable,
  toPage,
  toTimesTable,
  type Section,
} from './why/report.ts'
import { cloneInto } from './why/scratch.ts'
import { timeReads } from './why/times.ts'
import { compareWithTruth } from './why/truth.ts'

const LANGUAGES = ['ts', 'py', 'go', 'js', 'rs', 'c', 'java'] as const
/** Files that are asked about; blame of the last one takes several times as long. */
const MEASURED = [
  { annotations: 25, commits: 400 },
  { annotations: 200, commits: 400 },
  { annotations: 350, commits: 400 },
  { annotations: 1000, commits: 400 },
  { annotations: 1000, commits: 1200 },
] as const
const PARTS = ['real', 'generated', 'times', 'hooks'] as const

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    commits: { type: 'string', default: '100' },
    functions: { type: 'string', default: '150' },
    seed: { type: 'string', default: '1' },
    seeds: { type: 'string', default: '10' },
    only: { type: 'string', default: PARTS.join(',') },
    report: { type: 'string' },
    verbose: { type: 'boolean', default: false },
  },
})
const here = fileURLToPath(new URL('..', import.meta.url))
const parent = mkdtempSync(join(tmpdir(), 'waymark-why-'))
const seed = Number(values.seed)
const parts = values.only.split(',')

try {
  const sections: Section[] = []
  const add = (section: Section) => {
    sections.push(section)
    console.log(`\n${section.title}\n\n${section.lines.join('\n')}`)
  }
  const sources = positionals.length > 0 ? positionals : [here]
  if (parts.includes('hooks')) {
    add(toHooksTable(await timeHooks(parent, resolve(sources[0] ?? here))))
  }
  if (parts.includes('times')) add(await measureTimes())
  if (parts.includes('generated')) add(await measureGenerated())
  if (parts.includes('real')) {
    for (const [at, source] of sources.entries()) add(await measureReal(source, at))
  }
  if (values.report !== undefined) {
    const before = existsSync(values.report) ? readFileSync(values.report, 'utf8') : ''
    writeFileSync(values.report, toPage(sections, before))
  }
} finally {
  rmSync(parent, { recursive: true, force: true, maxRetries: 10 })
}

async function measureReal(source: string, at: number): Promise<Section> {
  const name = positionals.length > 0 ? basename(resolve(source)) : 'this repository'
  const directory = await cloneInto(parent, `${at}`, resolve(source))
  const commits = Number(values.commits)
  const { functions: annotated, misplaced } = await annotateHistory(directory, { commits, seed })
  const functions = Number(values.functions)
  const figures = await Promise.all(
    (['lines', 'anchor'] as const).map(async (by) => ({
      by,
      figures: await askFunctions(directory, annotated, { functions, seed, by }),
    })),
  )
  return describeFigures({ name, annotated: annotated.length, misplaced, figures }, values.verbose)
}

async function measureGenerated(): Promise<Section> {
  const rows = []
  for (let at = 0; at < Number(values.seeds); at += 1) {
    const own = seed + at
    // The story does not depend on the language, so each seed is told in one.
    const language = LANGUAGES[at % LANGUAGES.length] ?? 'ts'
    const name = `generated-${language}-${own}`
    const history = await generate(parent, { language, commits: 120, seed: own, name })
    rows.push({ seed: own, language, history, figures: await compareWithTruth(history) })
  }
  return describeTruth(rows, values.verbose)
}

async function measureTimes(): Promise<Section> {
  const rows = []
  for (const { annotations, commits } of MEASURED) {
    const history = await generate(parent, {
      language: 'ts',
      commits,
      seed: seed + annotations,
      name: `times-${annotations}-${commits}`,
      isOneFile: true,
    })
    rows.push(await timeReads(history.directory, 'src/file1.ts', annotations))
  }
  return toTimesTable(rows)
}
