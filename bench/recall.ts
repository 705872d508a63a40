// How well `recall` finds what a question is about, beside others in the same run, and how that takes longer as a
// project grows. `--report <file>` writes a page; `--peers` installs MiniSearch and server-memory into a temporary folder.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import {
  type Contender,
  installPeers,
  startFts,
  startMiniSearch,
  startServerMemory,
} from './recall/contenders.ts'
import {
  type Corpus,
  halfOf,
  HALVES,
  readCommits,
  readCorpus,
  readDialogues,
  readPages,
} from './recall/corpus.ts'
import { answersOf, measureLatency } from './recall/figures.ts'
import { beginningsOf, grow } from './recall/grown.ts'
import { type Comparison, pool, toFiguresSection, toSummary } from './recall/compared.ts'
import { toLatencyTable, toPage, type Section } from './recall/report.ts'
import { startWaymark } from './recall/waymark.ts'

const SIZES = (process.env['WAYMARK_SIZES'] ?? '1000,10000,100000').split(',').map(Number)

const { values } = parseArgs({
  options: { report: { type: 'string' }, peers: { type: 'boolean', default: false } },
})

const folder = mkdtempSync(join(tmpdir(), 'waymark-recall-'))
try {
  const sections = [...(await compareAll()), await measureGrowth()]
  for (const { title, lines } of sections) console.log(`\n${title}\n${lines.join('\n')}`)
  if (values.report !== undefined) writeFileSync(values.report, toPage(sections))
} finally {
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
}

async function compareAll(): Promise<readonly Section[]> {
  const peers = values.peers ? installPeers(join(folder, 'peers')) : undefined
  const corpora: readonly Corpus[] = [
    readCorpus('situations'),
    readCorpus('questions'),
    readDialogues('titled'),
    readDialogues('whole'),
    readCommits(),
    readPages(),
  ]
  const compared: Comparison[] = []
  for (const corpus of corpora.filter(({ questions }) => questions.length > 0)) {
    compared.push(...(await compareOn(corpus, peers)))
  }
  const [heldOut = [], tuned = []] = HALVES.map((each) =>
    compared.filter(({ half }) => half === each),
  )
  const pooled = [heldOut, tuned].map(pool)
  return [
    toSummary('Held out', [...heldOut, ...pooled.slice(0, 1)]),
    toSummary('Used for tuning', [...tuned, ...pooled.slice(1)]),
    ...[...heldOut, ...pooled, ...tuned].map(toFiguresSection),
  ]
}

async function compareOn(
  { name, memories, questions }: Corpus,
  peers: string | undefined,
): Promise<readonly Comparison[]> {
  const { words, spelling } = await startWaymark(join(folder, name), memories)
  const contenders: readonly Contender[] = [
    words,
    spelling,
    startFts(memories),
    ...(peers === undefined
      ? []
      : [
          await startMiniSearch(peers, memories),
          await startServerMemory(peers, memories, join(folder, `${name}.json`)),
        ]),
  ]
  const compared: Comparison[] = []
  for (const half of HALVES) {
    const asked = halfOf(questions, half)
    const answers = new Map<string, Awaited<ReturnType<typeof answersOf>>>()
    for (const contender of contenders) {
      answers.set(contender.name, await answersOf(contender, asked))
    }
    compared.push({ name, half, memories: memories.length, answers })
  }
  for (const contender of contenders) await contender.close()
  return compared
}

async function measureGrowth(): Promise<Section> {
  const { memories, questions } = readCorpus('questions')
  const queries = questions.map(({ question }) => question)
  const beginnings = beginningsOf(memories)
  const rows = []
  for (const size of SIZES) {
    const grown = grow(memories, size)
    const { words, typed } = await startWaymark(join(folder, String(size)), grown)
    const fts = startFts(grown)
    for (const [contender, asked] of [
      [typed, beginnings],
      [words, queries],
      [fts, queries],
    ] as const) {
      rows.push({ name: contender.name, size, ...(await measureLatency(contender, asked)) })
    }
    for (const contender of [words, fts]) await contender.close()
  }
  return {
    title: 'Latency of the same questions as the project grows',
    lines: toLatencyTable(rows),
  }
}
