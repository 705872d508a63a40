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
one. nDCG@10 also counts grades and the others. Tokens: median of what is read until the first relevant memory. [How the ranking works](../guides/recall.md)

The sets:

- **Situations** are needs told in everyday words, apart from the memories, so that words are not shared on purpose. This set
  is what the ranking is to be judged by: at least 15 % more hit@1 and MRR than BM25, and 5 points more hit@10.
  The first table also says where the other sets do not reach that.
- **Questions** are the same needs as a colleague who knows the code would ask, and share many words with the memories. Plain BM25
  already puts the right one first in about four of five. Most of the rest name it in no common word, or in another language,
  so there is little left for words to gain.
- **Dialogues** are turns of conversations between friends over months, with questions about who did what, and when. *Titled* keeps
  speaker and date as the title, *whole* all of it in one text.
- **Commit messages** and **pages** are this repository's own: the subject asks for the body, and the last sentence of a paragraph for
  the rest of it. Many such sentences tell nothing about their paragraph, which no ranking can mend.

Each set is split by a hash of the ids. Constants of the ranking, its word lists and which mechanisms it has were chosen on the half
called *used for tuning*: figures of that half flatter it. The half called *held out* is only reported, and its questions are not
looked at one by one. *All together* counts every question alike, those about dialogues once. In brackets: what 95 of 100 other
sets of such questions would show, by a bootstrap over the questions; where that reaches below zero, the set is too small to tell.
Memories of the code bases are in no order, so that neighbours tell nothing; turns, commits and paragraphs are in theirs. basic-memory is
not among the contenders: it is no npm package. server-memory looks for the whole question as it is written.
Memories of the latency table are sentences of the real ones, so that words stay as common as they are there. *As you type*
is asked with the first 3 to 24 characters of titles.

${sections.map(({ title, lines }) => `## ${title}\n\n${lines.join('\n')}\n`).join('\n')}`
}
