// How well `recall` finds what a question is about, beside others in the same run, and how that takes longer as a
// project grows. `--report <file>` writes a page; `--peers` installs MiniSearch into a temporary folder.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import {
  type Contender,
  installMiniSearch,
  startFts,
  startMiniSearch,
  startSubstring,
} from './recall/contenders.ts'
import { type Corpus, readCommits, readCorpus, readPages, split } from './recall/corpus.ts'
import { measure, measureLatency } from './recall/figures.ts'
import { grow } from './recall/grown.ts'
import { toPage, toFiguresTable, toLatencyTable, type Section } from './recall/report.ts'
import { startWaymark } from './recall/waymark.ts'

const SIZES = (process.env['WAYMARK_SIZES'] ?? '1000,10000,100000').split(',').map(Number)

const { values } = parseArgs({
  options: { report: { type: 'string' }, peers: { type: 'boolean', default: false } },
})

const folder = mkdtempSync(join(tmpdir(), 'waymark-recall-'))
try {
  const sections = [...(await compare()), await measureGrowth()]
  for (const { title, lines } of sections) console.log(`\n${title}\n${lines.join('\n')}`)
  if (values.report !== undefined) writeFileSync(values.report, toPage(sections))
} finally {
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
}

async function compare(): Promise<readonly Section[]> {
  const miniSearch = values.peers ? installMiniSearch(join(folder, 'peers')) : undefined
  const halves = (['questions', 'situations'] as const).map((wording) => {
    const corpus = readCorpus(wording)
    return { corpus, ...split(corpus.questions) }
  })
  const parts: readonly Corpus[] = [
    ...halves.map(({ corpus, 'held out': questions }) => ({
      ...corpus,
      name: `${corpus.name}, held out`,
      questions,
    })),
    ...halves.map(({ corpus, tuned: questions }) => ({
      ...corpus,
      name: `${corpus.name}, used for tuning`,
      questions,
    })),
    readCommits(),
    readPages(),
  ]
  const sections: Section[] = []
  for (const part of parts.filter(({ questions }) => questions.length > 0)) {
    sections.push(await compareOn(part, miniSearch))
  }
  return sections
}

async function compareOn(
  { name, memories, questions }: Corpus,
  miniSearch: string | undefined,
): Promise<Section> {
  const { words, approximate } = await startWaymark(join(folder, name), memories)
  const contenders: readonly Contender[] = [
    words,
    approximate,
    startFts(memories),
    ...(miniSearch === undefined ? [] : [await startMiniSearch(miniSearch, memories)]),
    startSubstring(memories),
  ]
  const rows = []
  for (const contender of contenders) {
    rows.push({ name: contender.name, figures: await measure(contender, questions) })
  }
  for (const contender of contenders) await contender.close()
  const title = `${name}: ${questions.length} questions to ${memories.length} memories`
  return { title, lines: toFiguresTable(rows) }
}

async function measureGrowth(): Promise<Section> {
  const { memories, questions } = readCorpus('questions')
  const rows = []
  for (const size of SIZES) {
    const grown = grow(memories, size)
    const { words } = await startWaymark(join(folder, String(size)), grown)
    const fts = startFts(grown)
    for (const contender of [words, fts]) {
      rows.push({ name: contender.name, size, ...(await measureLatency(contender, questions)) })
      await contender.close()
    }
  }
  return {
    title: 'Latency of the same questions as the project grows',
    lines: toLatencyTable(rows),
  }
}
