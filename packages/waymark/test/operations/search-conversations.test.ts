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

  it('a title that only says who spoke and when names the speaker', async () => {
    await using project = await projectWith(
      ['Ben, 4 March 2026', 'Ada wrote that the certificates of the proxy expire.'],
      ['Ada, 4 March 2026', 'Its certificates have expired, I am afraid, all of them at once.'],
      ['Ben, 5 March 2026', 'I renewed the certificates, Ada.'],
    )
    const found = await titles(project.context, 'what did Ada say about the certificates?')
    expect(found[0]).toBe('Ada, 4 March 2026')
  })

  it('what a speaker says of a thing comes before what others say of it in more words', async () => {
    await using project = await projectWith(
      ['hers', 'Ada: I have seen that the certificates expire.'],
      ['second', 'Ada: The build is green again.'],
      ['third', 'Carl: Lunch is at noon.'],
      ['fourth', 'Carl: The import went well.'],
      ['fifth', 'Carl: It took an hour.'],
      ['his', 'Ben: The certificates of the proxy were renewed, all certificates of the proxy.'],
    )
    const found = await titles(project.context, 'what does Ada say of the proxy certificates')
    expect(found[0]).toBe('hers')
  })

  it.each([
    ['[4 March 2026, 10:30] Ada: '],
    ['(10:30 am on 4 March, 2026) Ada: '],
    ['2026-03-04 10:30 Ada: '],
    ['Ada (4 March 2026): '],
    ['Ada, 4 March 2026: '],
    ['Ada said: '],
  ])('%s names the speaker', async (start) => {
    await using project = await projectWith(
      ['to', 'Ben: Ada, the certificates of the proxy expire.'],
      ['from', `${start}The certificates of the proxy have all expired by now.`],
      ['also to', 'Ben: Ada, the certificates of the proxy expire.'],
    )
    const found = await titles(project.context, 'what did Ada say about the certificates?')
    expect(found[0]).toBe('from')
  })

  it.each([
    ['a time', 'when was the search cluster upgraded', 'on the evening of 12 April'],
    ['a number', 'how many times was the search cluster upgraded', 'twice in one evening'],
    ['a duration', 'how long was the search cluster upgraded', 'for three hours of an evening'],
    ['a place', 'where was the search cluster upgraded', 'in Dublin, all of an evening'],
  ])('a question for %s prefers texts that name one', async (_, query, answer) => {
    await using project = await projectWith(
      ['told', `The search cluster was upgraded ${answer}.`],
      ['silent', 'The search cluster was upgraded.'],
    )
    expect((await titles(project.context, query))[0]).toBe('told')
  })

  it('a question that names a kind finds an example of it, and not the other way round', async () => {
    await using project = await projectWith(
      ['kind', `Nobody has an instrument here. ${LONG.repeat(4)}`],
      ['example', `Ada brought her violin. ${LONG.repeat(4)}`],
    )
    const kind = await titles(project.context, 'which instrument is it')
    expect(kind.toSorted()).toEqual(['example', 'kind'])
    expect(await titles(project.context, 'which violin is it')).toEqual(['example'])
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
