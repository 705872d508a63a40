import type { ReadContext } from '../core/context.ts'
import type { EntityRow } from '../entity/store.ts'
import { toExcerpt } from '../message/excerpt.ts'
import { answerIn } from '../message/note-answer.ts'
import { parseWords } from '../search/text/query.ts'
import { searchText } from '../search/text-search.ts'
import { withCurrentIndex } from '../search/upkeep.ts'
import { type About, describe } from './knowledge.ts'
import type { BriefParts } from './operations.ts'
import { authorOf } from './work.ts'
import { toEntityId } from '../entity/entity-id.ts'

const MOST_NOTES = 6
/** Among as many matches the dead ends and gotchas come first. */
const MOST_MATCHES = 15

/** Share of the best match below which a note is about something else. */
const LIKELY = 0.4

/** Kinds of notes that prevent a mistake. */
const HARD_LEARNED: ReadonlySet<string> = new Set(['dead_end', 'gotcha'])

/** Notes about the query and those that the annotations of the paths belong to; none without a query. */
export async function findNotes(context: ReadContext, about: About): Promise<BriefParts['notes']> {
  const text = await describe(context, about)
  const linked = await Promise.all(about.linked.map((id) => context.store.entities.byId(id)))
  const matching = text === '' ? [] : await searchNotes(context, text)
  const rows = [...linked, ...matching].filter((row) => row?.type === 'note' && !isQuestion(row))
  const unique = new Map(rows.flatMap((row) => (row === undefined ? [] : [[row.id, row]])))
  return [...unique.values()]
    .map((row) => ({ row, kind: kindOf(row) }))
    .toSorted((a, b) => rank(a.kind) - rank(b.kind))
    .slice(0, MOST_NOTES)
    .map(({ row, kind }) => ({
      number: row.number,
      title: row.title,
      ...(kind !== undefined && { kind }),
      ...toAnswer(row),
      ...authorOf(row),
    }))
}

/** What was answered, if the note is a question: without it the note would be no knowledge. */
function toAnswer({ tags, content }: EntityRow): { readonly answer?: string } {
  const answer = tags.includes('question') ? answerIn(content) : undefined
  return answer === undefined ? {} : { answer: toExcerpt({ subject: null, body: answer }) }
}

/** By words alone: a note that only resembles the query would take the room of a decision. */
async function searchNotes(
  context: ReadContext,
  text: string,
): Promise<readonly (EntityRow | undefined)[]> {
  const { store } = await withCurrentIndex(context)
  const filter = { kinds: ['entity'], type: 'note' }
  const { ranked } = await searchText(store, parseWords(text), {
    filter,
    now: context.now(),
  })
  const least = LIKELY * (ranked[0]?.score ?? 0)
  const ids = ranked
    .slice(0, MOST_MATCHES)
    .filter(({ score }) => score >= least)
    .map(({ id }) => id)
  const documents = ids.length === 0 ? [] : await store.search.documents(ids)
  return await Promise.all(documents.map(({ ref }) => store.entities.byId(toEntityId(ref))))
}

/** The kind of a note, which is also written as a tag. */
function kindOf({ properties, tags }: EntityRow): string | undefined {
  const { note_type: type } = properties
  const names = [...(typeof type === 'string' ? [type] : []), ...tags].map(toKind)
  return (
    names.find((name) => HARD_LEARNED.has(name)) ?? (typeof type === 'string' ? type : undefined)
  )
}

function toKind(name: string): string {
  return name.toLowerCase().replaceAll(/[\s-]+/g, '_')
}

function rank(kind: string | undefined): number {
  return kind !== undefined && HARD_LEARNED.has(kind) ? 0 : 1
}

/** Open questions have a part of their own. */
function isQuestion({ tags }: EntityRow): boolean {
  return tags.includes('question') && !tags.includes('answered')
}
