import { describe, expect, it } from 'vitest'
import type { Context } from '../../src/core/context.ts'
import { execute } from '../../src/core/execute.ts'
import { createEntity } from '../../src/entity/operations.ts'
import { searchByQuery } from '../../src/search/operations.ts'
import { setup } from '../setup.ts'

const LONG = 'The nightly import writes its figures into a table that others read in the morning. '

/** Notes that were taken one after the other, each named by its title. */
async function projectWith(...texts: readonly (readonly [title: string, content: string])[]) {
  const project = await setup()
  for (const [title, content] of texts) await note(project.context, title, content)
  return project
}

const note = (context: Context, title: string, content: string, tags: readonly string[] = []) =>
  execute(context, createEntity, { type: 'note', title, content, tags })

const titles = async (context: Context, query: string): Promise<readonly string[]> => {
  const { results } = await execute(context, searchByQuery, { query })
  return results.map(({ title }) => title)
}

describe('conversations [search-conversations]', () => {
  it('an answer is found by the words of what was asked before it', async () => {
    await using project = await projectWith(
      ['one', 'Ada: The build is green again.'],
      ['two', 'Ben: How many replicas does the staging cluster have?'],
      ['three', 'Ada: Three, all in one zone.'],
      ['four', 'Ben: Fine, I will write it down.'],
    )
    const found = await titles(project.context, 'how many replicas are in staging')
    expect(found.slice(0, 2).toSorted()).toEqual(['three', 'two'])
  })

  it('what answers comes before what only asks', async () => {
    await using project = await projectWith(
      ['asked', 'Which port does the metrics endpoint use?'],
      ['told', 'The metrics endpoint of the gateway uses port 9464.'],
    )
    expect(await titles(project.context, 'which port does the metrics endpoint use')).toEqual([
      'told',
      'asked',
    ])
  })

  it('a search that asks nothing finds the question first that has its words', async () => {
    await using project = await projectWith(
      ['asked', 'Which port does the metrics endpoint use?'],
      ['told', 'The metrics of the gateway have a port of their own, and nothing else uses it.'],
    )
    expect((await titles(project.context, 'port metrics endpoint'))[0]).toBe('asked')
  })

  it('who speaks counts more than who is spoken to', async () => {
    await using project = await projectWith(
      ['to', '[4 March 2026] Ben: Ada, the certificates of the proxy expire.'],
      ['from', '[4 March 2026] Ada: The certificates of the proxy have expired.'],
    )
    const found = await titles(project.context, 'what did Ada say about the certificates?')
    expect(found).toEqual(['from', 'to'])
  })

  it('a question for a time prefers texts that name one', async () => {
    await using project = await projectWith(
      ['undated', 'The search cluster was upgraded without any trouble.'],
      ['dated', 'The search cluster was upgraded on the evening of 12 April.'],
    )
    const when = await titles(project.context, 'when was the search cluster upgraded')
    expect(when[0]).toBe('dated')
  })
})

describe('what stands beside a match [search-neighbours]', () => {
  it.each([
    ['a filter', 'tag:ops how many replicas'],
    ['a quotation', 'how "many replicas"'],
    ['a date', 'created:>2020-01-01 how many replicas'],
    ['a search that asks nothing', 'replicas'],
  ])('does not get past %s', async (_, query) => {
    await using project = await setup()
    await note(project.context, 'two', 'How many replicas does the cluster have?', ['ops'])
    await note(project.context, 'three', 'Three, all in one zone.')
    expect(await titles(project.context, query)).toEqual(['two'])
  })

  it('is no match of its own beside a long text', async () => {
    await using project = await projectWith(
      ['long', `How many replicas does it have? ${LONG.repeat(4)}`],
      ['three', 'Three, all in one zone.'],
    )
    expect(await titles(project.context, 'how many replicas')).toEqual(['long'])
  })

  it('is no match when it was written hours later', async () => {
    await using project = await setup()
    await note(project.context, 'two', 'How many replicas does the cluster have?')
    project.tick(3 * 3_600_000)
    await note(project.context, 'three', 'Three, all in one zone.')
    expect(await titles(project.context, 'how many replicas')).toEqual(['two'])
  })
})
