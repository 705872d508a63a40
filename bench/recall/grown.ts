import type { Memory } from './corpus.ts'

const SENTENCES = 4

/**
 * As many memories as wanted, of sentences of real ones. Words are as common among them as in the real ones, however
 * many there are, which is harder than a project that grows: there, new texts bring new words.
 */
export function grow(memories: readonly Memory[], count: number): readonly Memory[] {
  const random = createRandom(count)
  const sentences = memories.flatMap(({ body }) => body.split(/(?<=[.!?]) /))
  const titles = memories.map(({ title }) => title)
  const pick = (from: readonly string[]): string => from[Math.floor(random() * from.length)] ?? ''
  return Array.from({ length: count }, (_, at) => ({
    id: `grown-${at}`,
    kind: (['decision', 'note', 'task', 'gotcha'] as const)[at % 4] ?? 'note',
    title: `${pick(titles)} ${at}`,
    body: Array.from({ length: SENTENCES }, () => pick(sentences)).join(' '),
    tags: [],
    links: [],
  }))
}

/** Numbers from 0 to 1, the same ones for a seed. */
export function createRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff
    return state / 0x7fffffff
  }
}

const TYPED = [3, 5, 8, 12, 17, 24]

/** What is in a search field while titles are being typed. */
export function beginningsOf(memories: readonly Memory[]): readonly string[] {
  return memories
    .slice(0, 60)
    .flatMap(({ title }) => TYPED.map((length) => title.slice(0, length).trim()))
}
