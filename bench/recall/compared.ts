import { type Half, nameOfDialogues } from './corpus.ts'
import { type Answer, type Figures, toFigures } from './figures.ts'
import { type Section, toFiguresTable } from './report.ts'

/** What every contender answered to half of the questions of a set. */
export interface Comparison {
  readonly name: string
  readonly half: Half
  /** How many there are to find; undefined for several sets together. */
  readonly memories?: number
  /** By the name of the contender. Ours are first. */
  readonly answers: ReadonlyMap<string, readonly Answer[]>
}

const LEFT_OUT = nameOfDialogues('whole')

/** All sets as one, in which every question counts alike; those about dialogues count once, not in both forms. */
export function pool(compared: readonly Comparison[]): Comparison {
  const answers = new Map<string, readonly Answer[]>()
  for (const { name, answers: some } of compared) {
    if (name === LEFT_OUT) continue
    for (const [contender, more] of some) {
      answers.set(contender, [...(answers.get(contender) ?? []), ...more])
    }
  }
  return { name: 'all together', half: compared[0]?.half ?? 'held out', answers }
}

export function toFiguresSection({ name, half, memories, answers }: Comparison): Section {
  const rows = [...answers].map(([contender, each]) => ({
    name: contender,
    figures: toFigures(each),
  }))
  const count = [...answers.values()][0]?.length ?? 0
  const among = memories === undefined ? '' : ` to ${memories} memories`
  return { title: `${name}, ${half}: ${count} questions${among}`, lines: toFiguresTable(rows) }
}

const OURS = 'waymark recall'
const BASELINE = 'FTS5 bm25, porter, OR'

/** How far ahead of plain BM25 the ranking is. */
export function toSummary(compared: readonly Comparison[]): Section {
  return {
    title: `Held out: waymark recall against ${BASELINE}`,
    lines: [
      '| | questions | hit@1 | MRR | hit@10 |',
      '|---|---|---|---|---|',
      ...compared.map(({ name, answers }) => {
        const [ours, theirs] = [OURS, BASELINE].map((each) => toFigures(answers.get(each) ?? []))
        if (ours === undefined || theirs === undefined) return ''
        const count = answers.get(OURS)?.length
        const gains = [gain(ours, theirs, 'hit1'), gain(ours, theirs, 'mrr')]
        const points = (ours.hit10 - theirs.hit10) * 100
        return `| ${[name, count, ...gains, `${signed(points)} points`].join(' | ')} |`
      }),
    ],
  }
}

function gain(ours: Figures, theirs: Figures, figure: 'hit1' | 'mrr'): string {
  return `${signed((ours[figure] / theirs[figure] - 1) * 100)} %`
}

function signed(value: number): string {
  return `${value < 0 ? '−' : '+'}${Math.abs(value).toFixed(1)}`
}
