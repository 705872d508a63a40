import { median, quantile } from '../statistics.ts'
import type { Contender, Found } from './contenders.ts'
import type { Question } from './corpus.ts'

export interface Figures {
  readonly hit1: number
  readonly hit3: number
  readonly hit5: number
  readonly hit10: number
  /** Mean of one divided by the rank of the first relevant memory. */
  readonly mrr: number
  readonly ndcg10: number
  /** Median of the tokens read until the first relevant memory; all of them where there is none. */
  readonly tokens: number
}

/** What a contender answered to a question. */
export interface Answer {
  readonly found: readonly Found[]
  readonly question: Question
}

export async function answersOf(
  contender: Contender,
  questions: readonly Question[],
): Promise<readonly Answer[]> {
  const answers: Answer[] = []
  for (const question of questions) {
    answers.push({ found: (await contender.search(question.question)).slice(0, 10), question })
  }
  return answers
}

export function toFigures(answers: readonly Answer[]): Figures {
  const ranks = answers.map(({ found, question }) =>
    found.findIndex(({ id }) => (question.relevant[id] ?? 0) > 0),
  )
  const share = (values: readonly number[]): number =>
    values.reduce((sum, value) => sum + value, 0) / values.length
  const hits = (depth: number): number =>
    share(ranks.map((rank) => (rank >= 0 && rank < depth ? 1 : 0)))
  return {
    hit1: hits(1),
    hit3: hits(3),
    hit5: hits(5),
    hit10: hits(10),
    mrr: share(ranks.map((rank) => (rank < 0 ? 0 : 1 / (rank + 1)))),
    ndcg10: share(answers.map(({ found, question }) => gainOf(found, question))),
    tokens: median(
      answers.map(({ found }, at) => {
        const rank = ranks[at] ?? -1
        const read = rank < 0 ? found : found.slice(0, rank + 1)
        return read.reduce((sum, { tokens }) => sum + tokens, 0)
      }),
    ),
  }
}

/** Normalised discounted cumulative gain of ten results. */
function gainOf(found: readonly Found[], { relevant }: Question): number {
  const gain = (grades: readonly number[]): number =>
    grades.reduce((sum, grade, at) => sum + (2 ** grade - 1) / Math.log2(at + 2), 0)
  const ideal = Object.values(relevant).toSorted((a, b) => b - a)
  return gain(found.map(({ id }) => relevant[id] ?? 0)) / gain(ideal.slice(0, 10))
}

export interface Latency {
  readonly p50: number
  readonly p95: number
  /** Of the processor time of this process. */
  readonly cpu95: number
}

export async function measureLatency(
  contender: Pick<Contender, 'search'>,
  queries: readonly string[],
): Promise<Latency> {
  const took: number[] = []
  const cpu: number[] = []
  // The first ones fill caches and compile code.
  for (const [at, query] of [...queries.slice(0, 20), ...queries].entries()) {
    const [start, before] = [performance.now(), process.cpuUsage()]
    await contender.search(query)
    const { user, system } = process.cpuUsage(before)
    if (at < 20) continue
    took.push(performance.now() - start)
    cpu.push((user + system) / 1000)
  }
  return { p50: median(took), p95: quantile(took, 0.95), cpu95: quantile(cpu, 0.95) }
}
