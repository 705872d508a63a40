import { arch, cpus, loadavg, platform } from 'node:os'
import type { Figures, Latency } from './figures.ts'

export interface Section {
  readonly title: string
  readonly lines: readonly string[]
}

export function toFiguresTable(
  rows: readonly { readonly name: string; readonly figures: Figures }[],
): readonly string[] {
  return [
    '| | hit@1 | hit@3 | hit@5 | hit@10 | MRR | nDCG@10 | tokens |',
    '|---|---|---|---|---|---|---|---|',
    ...rows.map(({ name, figures: { hit1, hit3, hit5, hit10, mrr, ndcg10, tokens } }) => {
      const shares = [hit1, hit3, hit5, hit10, mrr, ndcg10].map((share) => share.toFixed(3))
      return `| ${[name, ...shares, tokens].join(' | ')} |`
    }),
  ]
}

export function toLatencyTable(
  rows: readonly (Latency & { readonly name: string; readonly size: number })[],
): readonly string[] {
  return [
    '| | memories | p50 | p95 | p95 of CPU |',
    '|---|---|---|---|---|',
    ...rows.map(({ name, size, p50, p95, cpu95 }) => {
      const times = [p50, p95, cpu95].map((time) => `${time.toFixed(1)} ms`)
      return `| ${[name, size, ...times].join(' | ')} |`
    }),
  ]
}

export function toPage(sections: readonly Section[]): string {
  const machine = `${platform()} ${arch()}, ${cpus().length} cores, Node ${process.version}`
  const load = (loadavg()[0] ?? 0).toFixed(1)
  return `# What recall finds

Written by \`npm run bench:recall -- --peers --report docs/proof/recall.md\` on ${new Date().toISOString().slice(0, 10)}; do not
edit. ${machine}, load after it ${load}. No model is involved. All contenders answer the same questions in the same run.

hit@n: share of the questions with a relevant memory among the first n results. MRR: mean of 1 / rank of the first relevant
one. nDCG@10 also counts grades and the others. Tokens: median of what is read until the first relevant memory.
Questions are what a colleague who knows the code would ask, and share many words with the memories; situations tell the same needs
in everyday words. The constants of the ranking were chosen on one half of the needs, by a hash of their ids; the other half is only
reported. Memories of the latency table are sentences of the real ones, so that words stay as common as they are there. [How the ranking works](../guides/recall.md)

${sections.map(({ title, lines }) => `## ${title}\n\n${lines.join('\n')}\n`).join('\n')}`
}
