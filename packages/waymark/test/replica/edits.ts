import fc from 'fast-check'
import { expect } from 'vitest'
import { Failure } from '../../src/core/error.ts'
import { createEntity, deleteEntity, updateEntity } from '../../src/entity/operations.ts'
import { purgeEntity, showHistory } from '../../src/sync/history/operations.ts'
import { createRelation, deleteRelation } from '../../src/relation/operations.ts'
import type { EntityRow } from '../../src/entity/store.ts'
import type { TestReplica } from './replicas.ts'
import { toEntityId } from '../../src/entity/entity-id.ts'

/** What somebody does to whatever is there: `pick` and `other` choose among the entities that they can see. */
export interface Edit {
  readonly kind:
    | 'create'
    | 'title'
    | 'content'
    | 'lists'
    | 'status'
    | 'relate'
    | 'unrelate'
    | 'delete'
    | 'purge'
  readonly pick: number
  readonly other: number
  readonly word: string
  readonly lines: readonly string[]
  readonly wait: number
}

const word = fc.constantFrom('alpha', 'beta', 'gamma', 'δελτα', '🙂🙃', 'a "quoted" \\ one')

export const edit: fc.Arbitrary<Edit> = fc.record({
  kind: fc.oneof(
    { weight: 4, arbitrary: fc.constant('create' as const) },
    { weight: 3, arbitrary: fc.constant('content' as const) },
    {
      weight: 8,
      arbitrary: fc.constantFrom(
        'title',
        'lists',
        'status',
        'relate',
        'unrelate',
        'delete',
        'purge',
      ),
    },
  ),
  pick: fc.nat(20),
  other: fc.nat(20),
  word,
  lines: fc.array(word, { maxLength: 5 }),
  wait: fc.nat(3),
})

const TYPES = ['decision', 'task', 'note', 'prompt', 'component'] as const
const RELATIONS = ['blocks', 'references', 'subtask_of']
const STATUSES: Readonly<Record<string, readonly string[]>> = {
  task: ['todo', 'in_progress', 'blocked', 'done', 'cancelled'],
  decision: ['proposed', 'accepted', 'deprecated', 'superseded'],
  component: ['active', 'deprecated', 'planned'],
}

/** What must be true in the end of everything that was done. */
export interface Expected {
  readonly deleted: Set<string>
  /** Lines that somebody added to an entity's text and nobody took away. */
  readonly marks: Map<string, string[]>
  readonly purged: Set<string>
  /** Every title and text that was acknowledged, by entity. */
  readonly texts: Map<string, Set<string>>
}

export function expectNothing(): Expected {
  return { deleted: new Set(), marks: new Map(), purged: new Set(), texts: new Map() }
}

/** Does it as any caller would, through operations. */
export async function applyEdit(
  replica: TestReplica,
  edit: Edit,
  expected: Expected,
): Promise<void> {
  replica.tick(edit.wait)
  const seen = await replica.store.entities.after(0, 100)
  const target = choose(seen, edit.pick)
  try {
    const isNew = edit.kind === 'create' || target === undefined
    const id = isNew ? await create(replica, edit) : target.id
    if (!isNew) {
      const other = choose(seen, edit.other) ?? target
      await change(replica, edit, { target, other, expected })
    }
    await noteTexts(replica, { id, kind: isNew ? 'create' : edit.kind }, expected)
  } catch (error) {
    // A circle or an edge to itself is refused, here as anywhere.
    if (!(error instanceof Failure) || error.code === 'internal') throw error
  }
}

/** What the caller wrote, as the answer has shown it. */
async function noteTexts(
  { store }: TestReplica,
  { id, kind }: { readonly id: string; readonly kind: Edit['kind'] },
  { texts }: Expected,
): Promise<void> {
  const row = await store.entities.byId(toEntityId(id))
  if (row === undefined) return
  const written = [
    ...(kind === 'create' || kind === 'title' ? [`title ${row.title}`] : []),
    ...(kind === 'create' || kind === 'content' ? [`content ${row.content ?? ''}`] : []),
  ]
  texts.set(id, new Set([...(texts.get(id) ?? []), ...written]))
}

async function create(replica: TestReplica, { pick, word, lines }: Edit): Promise<string> {
  const { id } = await replica.run(createEntity, {
    type: choose(TYPES, pick) ?? 'note',
    title: word,
    ...(lines.length > 0 && { content: lines.join('\n') }),
    tags: [...lines],
  })
  return id
}

interface Ends {
  readonly target: EntityRow
  readonly other: EntityRow
  readonly expected: Expected
}

async function change(
  replica: TestReplica,
  { kind, pick, word, lines }: Edit,
  { target, other, expected }: Ends,
): Promise<void> {
  const { id } = target
  const ends = { source: id, target: other.id, type: choose(RELATIONS, pick) ?? 'blocks' }
  switch (kind) {
    case 'create':
      return
    case 'title':
      await replica.run(updateEntity, { id, title: `${word} ${pick}` })
      return
    case 'content':
      await addMarked(replica, target, { at: pick, lines, expected })
      return
    case 'lists':
      await replica.run(updateEntity, { id, tags: [...lines], properties: toLists(target, lines) })
      return
    case 'status':
      await replica.run(updateEntity, { id, properties: toStatus(target, pick) })
      return
    case 'relate':
      await replica.run(createRelation, ends)
      return
    case 'unrelate':
      await replica.run(deleteRelation, ends)
      return
    case 'purge':
      await replica.run(purgeEntity, { id, confirm: true })
      expected.deleted.add(id)
      expected.purged.add(id)
      return
    case 'delete':
      await replica.run(deleteEntity, { id })
      expected.deleted.add(id)
  }
}

function toLists({ type }: EntityRow, lines: readonly string[]): Record<string, unknown> {
  switch (type) {
    case 'decision':
      return { consequences: [...lines], context: lines.join('\n') || null }
    case 'task':
      return { acceptance_criteria: lines.length === 0 ? null : [...lines, ...lines] }
    case 'prompt':
      return { variables: [...lines], template: lines.toReversed().join('\n') || null }
    default:
      return {}
  }
}

function toStatus({ type }: EntityRow, pick: number): Record<string, unknown> {
  const status = choose(STATUSES[type] ?? [], pick)
  return { ...(status !== undefined && { status }), ...(type === 'task' && { priority: pick }) }
}

interface Addition {
  readonly at: number
  readonly lines: readonly string[]
  readonly expected: Expected
}

/** Adds lines, one of which there is only once; takes away others now and then. */
async function addMarked(
  replica: TestReplica,
  { id, content }: EntityRow,
  { at, lines, expected: { marks } }: Addition,
): Promise<void> {
  const known = marks.get(id) ?? []
  const mark = `mark ${[...marks.values()].flat().length}`
  const before = (content ?? '').split('\n')
  const place = at % (before.length + 1)
  const removed = at % 2 === 1 && !(before[place]?.startsWith('mark') ?? false) ? 1 : 0
  const after = before.toSpliced(place, removed, ...lines, mark).join('\n')
  await replica.run(updateEntity, { id, content: after })
  marks.set(id, [...known, mark])
}

/** Nothing that was deleted is back, and nothing that was added is lost or doubled. */
export async function expectKept(replica: TestReplica, expected: Expected): Promise<void> {
  const { deleted, marks } = expected
  for (const id of deleted)
    expect(await replica.store.entities.byId(toEntityId(id))).toBeUndefined()
  for (const [id, wanted] of marks) {
    if (deleted.has(id)) continue
    const { content } = (await replica.store.entities.byId(toEntityId(id))) ?? expect.unreachable()
    const found = (content ?? '').split('\n').filter((line) => line.startsWith('mark'))
    expect(found.toSorted()).toEqual(wanted.toSorted())
  }
}

/** Every version that an answer has ever shown is in the history, however it was merged, except of what was purged. */
export async function expectLogged(
  replica: TestReplica,
  { texts, purged }: Expected,
): Promise<void> {
  for (const [id, wanted] of texts) {
    if (purged.has(id)) continue
    const logged = new Set(['content '])
    for (let before: number | undefined; before === undefined || before > 1;) {
      const { changes } = await replica.run(showHistory, { id, limit: 100, full: true, before })
      for (const { field, to } of changes.flatMap((entry) => entry.changes))
        logged.add(`${field} ${typeof to === 'string' ? to : ''}`)
      before = changes.at(-1)?.version ?? 1
    }
    expect([...wanted].filter((text) => !logged.has(text))).toEqual([])
  }
}

function choose<T>(from: readonly T[], at: number): T | undefined {
  return from[at % Math.max(from.length, 1)]
}
