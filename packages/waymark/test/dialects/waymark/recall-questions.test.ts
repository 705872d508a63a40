import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { connect } from '../client.ts'

interface Memory {
  readonly id: string
  readonly project: string
  readonly kind: string
  readonly title: string
  readonly body: string
}

interface Question {
  readonly project: string
  readonly question: string
  readonly relevant: Readonly<Record<string, number>>
}

function read<T extends { readonly project: string }>(name: string): T[] {
  const file = new URL(`../../../../../bench/recall/${name}.jsonl`, import.meta.url)
  const lines = readFileSync(file, 'utf8').trim().split('\n')
  return lines.map((line) => JSON.parse(line) as T).filter(({ project }) => project === 'webshop')
}

it('a question in whole sentences finds its answer first, mostly [recall-answers-questions]', async () => {
  await using client = await connect('waymark')
  const memories = read<Memory>('a-entries')
  for (const { kind, title, body } of memories)
    await client.call('remember', {
      type: kind === 'decision' ? 'decision' : 'note',
      title,
      content: body,
    })
  const questions = read<Question>('questions')
  const ranks: number[] = []
  for (const { question, relevant } of questions) {
    const wanted = memories.filter(({ id }) => relevant[id] === 3).map(({ title }) => title)
    const { results } = (await client.call('recall', { query: question })) as {
      results: readonly { title: string }[]
    }
    ranks.push(results.findIndex(({ title }) => wanted.includes(title)))
  }
  const share = (places: number) =>
    ranks.filter((rank) => rank !== -1 && rank < places).length / questions.length
  expect(questions.length).toBeGreaterThan(50)
  expect(share(1)).toBeGreaterThanOrEqual(0.8)
  expect(share(3)).toBeGreaterThanOrEqual(0.9)
})
