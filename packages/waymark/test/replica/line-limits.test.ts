import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { checkLine } from '../../src/sync/log/log-line.ts'
import { createTeam } from './clones.ts'
import {
  forgedId,
  forgeLine,
  insertText,
  noteOps,
  pushSegments,
  seal,
  setValue,
} from './hostile-log.ts'

const KIB = 1024
const ID = forgedId(1)

interface ForgedUpdate {
  readonly schema_version: number
  readonly start_version: Readonly<Record<string, number>>
  readonly peers: readonly string[]
  readonly changes: readonly Readonly<Record<string, unknown>>[]
}

/** A line of a note whose update is replaced by another one. */
function withUpdate(change: (update: ForgedUpdate) => ForgedUpdate): string {
  const { u } = JSON.parse(forgeLine(ID, noteOps())) as { u: ForgedUpdate }
  return seal(JSON.stringify({ e: ID, u: change(u) }))
}

function repeatChange(times: number): string {
  return withUpdate((update) => ({
    ...update,
    changes: Array.from({ length: times }, () => update.changes[0] ?? {}),
  }))
}

function withPeers(count: number): string {
  const peers = Array.from({ length: count }, (_, at) => String(at + 1))
  return withUpdate((update) => ({ ...update, peers }))
}

function withDeps(count: number): string {
  const deps = Array.from({ length: count }, () => '0@0')
  return withUpdate((update) => ({
    ...update,
    changes: update.changes.map((change) => ({ ...change, deps })),
  }))
}

/** Short ones, so that the line is not too long before it has too many. */
function withOps(count: number): string {
  const op = { container: 'cid:root-a:Map', content: { type: 'delete', key: '' }, counter: 0 }
  const ops = Array.from({ length: count }, () => op)
  return withUpdate((update) => ({
    ...update,
    changes: update.changes.map((change) => ({ ...change, ops })),
  }))
}

const withValues = (count: number, length: number) =>
  forgeLine(
    ID,
    Array.from({ length: count }, (_, at) => setValue('properties', `x${at}`, 'a'.repeat(length))),
  )

/** Forges a line by its measure; the largest that is taken, and why the next one is not. */
const LIMITS: readonly (readonly [string, (measure: number) => string, number, string])[] = [
  ['values of 200 KiB', (count) => withValues(count, 200 * KIB), 40, 'too_long'],
  ['changes', repeatChange, 2_000, 'too_many'],
  ['operations', withOps, 100_000, 'too_many'],
  ['authors', withPeers, 10_000, 'too_many'],
  ['changes that it builds on', withDeps, 1_000, 'too_many'],
  [
    'characters of a text',
    (length) => forgeLine(ID, [insertText('content', 'a'.repeat(length))]),
    200 * KIB + 1,
    'too_large',
  ],
  ['characters of a value', (length) => withValues(1, length), 256 * KIB, 'too_large'],
  [
    'characters of a list',
    (length) => forgeLine(ID, [setValue('properties', 'x', ['a'.repeat(length - 4)])]),
    256 * KIB,
    'too_large',
  ],
  [
    'characters of a name',
    (length) => forgeLine(ID, [setValue('properties', 'x'.repeat(length), 1)]),
    8 * KIB,
    'too_large',
  ],
  [
    'characters of an author',
    (length) => forgeLine(ID, noteOps(), { msg: 'x'.repeat(length) }),
    KIB,
    'too_large',
  ],
]

describe('a line of the log', () => {
  test.each(LIMITS)('has a limit of %s', (_, forge, most, reason) => {
    expect(checkLine(forge(most))).toHaveProperty('update')
    expect(checkLine(forge(most + 1))).toMatchObject({ reason, entityId: ID })
  })
})

test('a segment larger than any that Waymark writes is set aside unread, and others are merged [segment-too-large]', async () => {
  await using team = createTeam()
  const clone = await team.clone('ada')
  const lines = Array.from({ length: 48 }, (_, at) =>
    forgeLine(forgedId(at + 1), [
      ...noteOps({ title: `flood ${at}` }),
      insertText('content', 'words '.repeat(16_000)),
    ]),
  )
  const honest = forgeLine(forgedId(100), noteOps({ title: 'honest' }))
  // A single line has no lines before it that could be counted.
  const long = [withValues(110, 200 * KIB)]
  pushSegments(team.remote, [lines, long, [honest]].map(toSegment))
  expect(await clone.sync()).toMatchObject({
    received: { created: 1 },
    set_aside: {
      total: 2,
      lines: [{ reason: 'segment_too_large' }, { reason: 'segment_too_large' }],
    },
  })
})

function toSegment(lines: readonly string[]): { readonly name: string; readonly text: string } {
  const text = lines.map((line) => `${line}\n`).join('')
  const hash = createHash('sha256').update(text).digest('hex')
  return { name: `${hash.slice(0, 32)}.jsonl`, text }
}
