import { quantile } from '../statistics.ts'
import { type Half, nameOfDialogues } from './corpus.ts'
import { type Answer, type Figures, toFigures } from './figures.ts'
import { createRandom } from './grown.ts'
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

/** How far ahead of plain BM25 the ranking is, and how sure that is. */
export function toSummary(title: string, compared: readonly Comparison[]): Section {
  return {
    title: `${title}: waymark recall against ${BASELINE}`,
    lines: [
      '| | questions | hit@1 | MRR | hit@10 |',
      '|---|---|---|---|---|',
      ...compared.map(({ name, answers }) => {
        const [ours = [], theirs = []] = [OURS, BASELINE].map((each) => answers.get(each))
        const [all, resampled] = [
          [toFigures(ours), toFigures(theirs)] as const,
          resample(ours, theirs),
        ]
        const gains = GAINS.map(([gain, unit]) => {
          const others = resampled.map((pair) => gain(...pair))
          const [low, high] = [quantile(others, 0.025), quantile(others, 0.975)]
          return `${signed(gain(...all))} ${unit} (${signed(low)} to ${signed(high)})`
        })
        return `| ${[name, ours.length, ...gains].join(' | ')} |`
      }),
    ],
  }
}

type Gain = (ours: Figures, theirs: Figures) => number

const GAINS: readonly (readonly [gain: Gain, unit: string])[] = [
  [(ours, theirs) => (ours.hit1 / theirs.hit1 - 1) * 100, '%'],
  [(ours, theirs) => (ours.mrr / theirs.mrr - 1) * 100, '%'],
  [(ours, theirs) => (ours.hit10 - theirs.hit10) * 100, 'points'],
]

const RESAMPLES = 1_000

/** Figures of both for other sets of such questions: a bootstrap, in which both are asked the same ones. */
function resample(
  ours: readonly Answer[],
  theirs: readonly Answer[],
): readonly (readonly [Figures, Figures])[] {
  const random = createRandom(ours.length)
  return Array.from({ length: RESAMPLES }, () => {
    const drawn = ours.map(() => Math.floor(random() * ours.length))
    const figuresOf = (all: readonly Answer[]): Figures =>
      toFigures(drawn.flatMap((at) => all[at] ?? []))
    return [figuresOf(ours), figuresOf(theirs)]
  })
}

function signed(value: number): string {
  return `${value < 0 ? '−' : '+'}${Math.abs(value).toFixed(1)}`
}
