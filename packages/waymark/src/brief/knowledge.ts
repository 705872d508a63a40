import type { ReadContext } from '../core/context.ts'
import { parseWords } from '../search/text/query.ts'
import type { BriefParts } from './operations.ts'
import type { EntityRow } from '../entity/store.ts'
import { authorOf } from './work.ts'
import { toTime } from '../entity/view.ts'
import { findBest, findByFilter } from '../search/modes.ts'
import { withCurrentIndex } from '../search/upkeep.ts'
import { receivedIn, type Trust, trustIn } from '../agent/trust.ts'
import type { EntityId } from '../entity/entity-id.ts'

const MOST_DECISIONS = 6
const MOST_QUESTIONS = 6
const LONGEST_TOPIC = 400

/** Decisions with these statuses are excluded, however well they match. */
const INACTIVE_STATUSES: ReadonlySet<string> = new Set(['superseded', 'deprecated'])

export interface About {
  readonly paths: readonly string[]
  readonly topic: string | undefined
  /** Number of the task that is being worked on. */
  readonly task: number | undefined
  /** Ids of what the annotations of the paths belong to. */
  readonly linked: readonly EntityId[]
}

/** Decisions relevant to the query; without one, the newest accepted decisions. */
export async function findDecisions(
  context: ReadContext,
  about: About,
): Promise<BriefParts['decisions']> {
  const linked = await decisionsOf(context, about.linked)
  const found = await searchDecisions(context, about)
  const byNumber = new Map([...found, ...linked].map((each) => [each.number, each]))
  const numbers = new Set([...linked, ...found].map(({ number }) => number))
  return [...numbers].flatMap((number) => byNumber.get(number) ?? []).slice(0, MOST_DECISIONS)
}

/** Those that the code at hand was written for. */
async function decisionsOf(
  context: ReadContext,
  ids: readonly EntityId[],
): Promise<BriefParts['decisions']> {
  const rows = await Promise.all(ids.map((id) => context.store.entities.byId(id)))
  const decisions = rows.filter((row) => row?.type === 'decision') as EntityRow[]
  const trusts = await trustIn(
    context,
    decisions.map((entity) => ({ entity })),
  )
  return decisions.flatMap((row, at) => {
    const trust = trusts[at]
    if (!isActive(row.status ?? undefined, trust)) return []
    return {
      number: row.number,
      title: row.title,
      ...(row.status !== null && { status: row.status }),
      ...authorOf(row),
      ...(trust?.code !== undefined && { code: trust.code }),
      updated: toTime(row.updatedAt),
    }
  })
}

/** Neither its status nor a relation says that it no longer holds. */
function isActive(status: string | undefined, trust: Trust | undefined): boolean {
  return !INACTIVE_STATUSES.has(status ?? '') && trust?.superseded_by === undefined
}

async function searchDecisions(
  context: ReadContext,
  about: About,
): Promise<BriefParts['decisions']> {
  const indexed = await withCurrentIndex(context)
  const text = await describe(context, about)
  const page = { limit: 2 * MOST_DECISIONS, from: 0, whole: true }
  const filter = { kinds: ['entity' as const], type: 'decision' }
  const { results: matching } =
    text === ''
      ? { results: [] }
      : await findBest(indexed, text, parseWords(text), { ...page, filter })
  const { results } =
    matching.length > 0
      ? { results: matching }
      : await findByFilter(indexed, { ...page, filter: { ...filter, statuses: ['accepted'] } })
  return results
    .filter(({ status, trust }) => isActive(status, trust))
    .flatMap(({ number, title, status, created_by, updated_at, trust }) =>
      number === undefined
        ? []
        : [
            {
              number,
              title,
              ...(status !== undefined && { status }),
              ...(created_by !== undefined && { by: created_by }),
              ...receivedIn(trust),
              ...(trust.code !== undefined && { code: trust.code }),
              updated: updated_at,
            },
          ],
    )
}

/** Notes marked as a question and not yet as answered, and proposed decisions. */
export async function findQuestions({
  store: { entities },
}: ReadContext): Promise<{ readonly questions: BriefParts['questions']; readonly total: number }> {
  const limit = MOST_QUESTIONS
  const asked = { type: 'note', tag: 'question', exceptTag: 'answered', limit }
  const notes = await entities.latest(asked)
  const proposed = await entities.latest({ type: 'decision', statuses: ['proposed'], limit })
  const questions = [...notes.entities, ...proposed.entities]
    .toSorted((a, b) => b.updatedAt - a.updatedAt)
    .slice(0, MOST_QUESTIONS)
    .map((row) => ({ number: row.number, title: row.title, ...authorOf(row) }))
  return { questions, total: notes.total + proposed.total }
}

/** The query in words; empty without topic, paths and task. */
export async function describe(
  { store }: ReadContext,
  { paths, topic, task }: About,
): Promise<string> {
  const row = topic === undefined && task !== undefined ? await store.entities.byNumber(task) : null
  const words = paths.map((path) => path.replaceAll(/[^\p{L}\p{N}]+/gu, ' '))
  return [topic, row?.title, row?.content?.slice(0, LONGEST_TOPIC), ...words]
    .filter((part) => part !== undefined && part !== null && part.trim() !== '')
    .join(' ')
}
