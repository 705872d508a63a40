import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { showBrief } from '../../src/brief/operations.ts'
import { createEntity, getEntity, updateEntity } from '../../src/entity/operations.ts'
import { showStatus } from '../../src/project/status.ts'
import { AddedLines } from '../../src/sync/document/concurrent/contradicting-lines.ts'
import { mergeTexts } from '../../src/sync/document/concurrent/merge-texts.ts'
import { showHistory } from '../../src/sync/history/operations.ts'
import { resolveEntity } from '../../src/sync/history/resolve.ts'
import { type Clone, createTeam, type Team } from './clones.ts'

type Fields = Parameters<typeof edit>[2]

async function edit(
  clone: Clone,
  id: string,
  fields: { title?: string; content?: string; properties?: Record<string, unknown> },
): Promise<void> {
  clone.tick(1000)
  await clone.run(updateEntity, { id, ...fields })
}

const MEETING = 'We met.\n\nThe cache lives in Redis.\n\nNo objections.'

/** Two clones that have changed one decision apart, bob later. */
async function changedApart(
  team: Team,
  byAda: Fields,
  byBob: Fields,
): Promise<{ ada: Clone; bob: Clone; id: string }> {
  const ada = await team.clone('ada')
  const bob = await team.clone('bob')
  const decision = { type: 'decision', title: 'Cache', content: MEETING } as const
  const { id } = await ada.run(createEntity, decision)
  await ada.sync()
  await bob.sync()
  await edit(ada, id, byAda)
  bob.tick(60_000)
  await edit(bob, id, byBob)
  await ada.sync()
  return { ada, bob, id }
}

const REDIS = { content: MEETING.replace('Redis', 'Valkey') }
const SQLITE = { content: MEETING.replace('Redis', 'SQLite') }

describe('a sentence that two clones have replaced', () => {
  test('stands as the later one says; both are told, and both texts are in the log [changed-twice]', async () => {
    await using team = createTeam()
    const { ada, bob, id } = await changedApart(team, REDIS, SQLITE)
    const told = { number: 1, title: 'Cache', field: 'content', contradiction: true }
    expect((await bob.sync()).changed_twice).toMatchObject([told])
    expect((await ada.sync()).changed_twice).toMatchObject([told])
    for (const clone of [ada, bob]) {
      expect((await clone.run(getEntity, { id })).content).toBe(SQLITE.content)
      const wanted = [{ number: 1, title: 'Cache', fields: ['content'] }]
      expect((await clone.run(showStatus, {})).changed_twice).toEqual(wanted)
      expect((await clone.run(showBrief, {})).changed_twice).toEqual(wanted)
      const { changes } = await clone.run(showHistory, { id, full: true })
      const texts = changes.flatMap(({ changes }) => changes.map(({ to }) => to))
      expect(texts).toEqual(expect.arrayContaining([REDIS.content, SQLITE.content]))
      // Told once; it waits in the status.
      expect((await clone.sync()).changed_twice).toEqual([])
    }
    expect(await bob.snapshot()).toEqual(await ada.snapshot())
  })

  test.each([
    ['keep', SQLITE.content],
    ['other', REDIS.content],
    [
      'both',
      MEETING.replace('Redis', 'Valkey').replace('\n\nNo', '\nThe cache lives in SQLite.\n\nNo'),
    ],
  ] as const)('is settled in every clone by one who chooses %s', async (choice, content) => {
    await using team = createTeam()
    const { ada, bob, id } = await changedApart(team, REDIS, SQLITE)
    await bob.sync()
    const { resolved } = await bob.run(resolveEntity, { id, choice })
    expect(resolved).toEqual(['content'])
    await expect(bob.run(resolveEntity, { id, choice })).rejects.toMatchObject({
      details: { reason: 'nothing_to_resolve' },
    })
    await bob.sync()
    expect((await ada.sync()).changed_twice).toEqual([])
    for (const clone of [ada, bob]) {
      const lines = (await clone.run(getEntity, { id })).content?.split('\n').toSorted()
      expect(lines).toEqual(content.split('\n').toSorted())
      expect((await clone.run(showStatus, {})).changed_twice).toEqual([])
    }
    expect(await bob.snapshot()).toEqual(await ada.snapshot())
  })
})

test('titles and single values changed on both sides are told and can be chosen too', async () => {
  await using team = createTeam()
  const { ada, bob, id } = await changedApart(
    team,
    { title: 'Valkey', content: MEETING },
    { title: 'SQLite', properties: { status: 'accepted' } },
  )
  expect((await bob.sync()).changed_twice).toMatchObject([{ field: 'title', contradiction: true }])
  await ada.sync()
  for (const clone of [ada, bob]) {
    expect((await clone.run(getEntity, { id })).title).toBe('SQLite')
  }
  await expect(ada.run(resolveEntity, { id, choice: 'both' })).rejects.toThrow(
    /must be keep or other/,
  )
  expect(await ada.run(resolveEntity, { id, choice: 'other' })).toMatchObject({ title: 'Valkey' })
  await ada.sync()
  await bob.sync()
  expect(await bob.snapshot()).toEqual(await ada.snapshot())
})

test('paragraphs changed apart are both kept, told as merged, and need no choice', async () => {
  await using team = createTeam()
  const { ada, bob, id } = await changedApart(
    team,
    { content: MEETING.replace('We met.', 'We met on Monday.') },
    { content: MEETING.replace('No objections.', 'Kim objected.') },
  )
  expect((await bob.sync()).changed_twice).toMatchObject([
    { field: 'content', contradiction: false },
  ])
  await ada.sync()
  const merged = 'We met on Monday.\n\nThe cache lives in Redis.\n\nKim objected.'
  for (const clone of [ada, bob]) {
    expect((await clone.run(getEntity, { id })).content).toBe(merged)
    expect((await clone.run(showStatus, {})).changed_twice).toEqual([])
  }
})

test('of sentences that two clones added and that contradict each other the later one stands [added-contradiction]', async () => {
  await using team = createTeam()
  const { ada, bob, id } = await changedApart(
    team,
    { content: `${MEETING}\nUse Redis for sessions.\nKim writes the minutes.` },
    { content: `${MEETING}\nDo not use Redis for sessions.` },
  )
  const told = { number: 1, title: 'Cache', field: 'content', contradiction: true }
  expect((await bob.sync()).changed_twice).toMatchObject([told])
  expect((await ada.sync()).changed_twice).toMatchObject([told])
  for (const clone of [ada, bob]) {
    expect((await clone.run(getEntity, { id })).content).toBe(
      `${MEETING}\nKim writes the minutes.\nDo not use Redis for sessions.`,
    )
    expect((await clone.run(showStatus, {})).changed_twice).toMatchObject([{ number: 1 }])
    const { changes } = await clone.run(showHistory, { id, full: true })
    const texts = changes.flatMap(({ changes }) => changes.map(({ to }) => to)).join('\n')
    expect(texts).toContain('\nUse Redis for sessions.')
  }
  await ada.run(resolveEntity, { id, choice: 'both' })
  await ada.sync()
  await bob.sync()
  const lines = (await bob.run(getEntity, { id })).content?.split('\n')
  expect(lines).toEqual(
    expect.arrayContaining(['Use Redis for sessions.', 'Do not use Redis for sessions.']),
  )
})

test.each([
  ['Use Redis for sessions.', 'Do not use Redis for sessions.', true],
  ['Always sign commits', 'Never sign commits', true],
  ["The cache isn't shared.", 'The cache is shared.', true],
  ['- ship on friday', '- do not ship on Friday', true],
  ['The timeout is 30 s.', 'The timeout is 60 s.', true],
  ['We keep sessions in Redis.', 'We keep sessions in PostgreSQL.', true],
  ['Kim joins on Monday.', 'kim joins on Monday', false],
  ['- add tests for the parser', '- add tests for the lexer', false],
  ['1. Build for the page', '1. Build for the server', false],
  ['Deployed to staging.', 'Deployed to production.', false],
  ['The queue is in Redis.', 'Kim writes the minutes.', false],
  ['No news.', 'Kim writes the minutes.', false],
])('that %j and %j contradict each other is %j', (one, other, contradicting) => {
  expect(new AddedLines([other]).contradict(one)).toBe(contradicting)
  expect(new AddedLines([one]).contradict(other)).toBe(contradicting)
})

test('a line contradicts several lines when it contradicts one of them', () => {
  const word = fc.constantFrom('use', 'redis', 'not', 'never', 'do', 'for', 'sessions', '-', '>')
  const line = fc.array(word, { maxLength: 6 }).map((words) => words.join(' '))
  // Lines that differ in few words, as those that contradict each other do.
  const changed = fc.tuple(line, fc.array(fc.tuple(fc.nat(5), word), { maxLength: 3 }))
  fc.assert(
    fc.property(
      fc.array(line, { maxLength: 6 }),
      changed,
      fc.nat(),
      (lines, [own, edits], from) => {
        const words = (lines[from % (lines.length + 1)] ?? own).split(' ')
        for (const [at, word] of edits) if (at < words.length) words[at] = word
        const said = words.join(' ')
        const one = lines.some((other) => new AddedLines([other]).contradict(said))
        expect(new AddedLines(lines).contradict(said)).toBe(one)
      },
    ),
  )
})

test('texts to which both sides added ten thousand lines are merged in a moment', () => {
  const added = (by: string) =>
    Array.from({ length: 10_000 }, (_, at) => `${by} wrote line ${at} of it\n`).join('')
  const began = process.cpuUsage()
  const { text } = mergeTexts('', added('ada'), added('bob'))
  const { user, system } = process.cpuUsage(began)
  expect(text).toBe(added('ada') + added('bob'))
  // Compared in pairs, they take minutes.
  expect((user + system) / 1e6).toBeLessThan(10)
})

test.each([
  ['a\nb\nc\n', 'a\nX\nc\n', 'a\nY\nc\n', 'a\nY\nc\n', true],
  ['a\nb\nc\n', 'a\nX\nc\n', 'a\nX\nc\n', 'a\nX\nc\n', false],
  ['a\nb\nc\n', 'X\nb\nc\n', 'a\nb\nY\n', 'X\nb\nY\n', false],
  ['a\nb\nc\n', 'a\nc\n', 'a\nY\nc\n', 'a\nY\nc\n', false],
  ['a\nb\nc\n', 'a\nX\nc\n', 'a\nc\n', 'a\nX\nc\n', false],
  ['a\n', 'a\nX\n', 'a\nY\n', 'a\nX\nY\n', false],
  ['a\nb\nc\nd\n', 'X\nd\n', 'a\nb\nY\nd\n', 'a\nb\nY\nd\n', true],
  ['a\nb\n', 'X\nb\nnew\n', 'Y\nb\n', 'Y\nb\nnew\n', true],
  ['', 'X\n', 'Y\n', 'X\nY\n', false],
])(
  'of %j, changed to %j and later to %j, %j stands',
  (base, earlier, later, text, contradiction) => {
    expect(mergeTexts(base, earlier, later)).toEqual({ text, isContradiction: contradiction })
  },
)
