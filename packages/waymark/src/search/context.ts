import * as z from 'zod'
import { parseWords } from './text/query.ts'
import { defineOperation } from '../core/operation.ts'
import { entityView, showEntities, toEntityView } from '../entity/view.ts'
import { findBest } from './modes.ts'
import { searchPage } from './page.ts'
import { withCurrentIndex } from './upkeep.ts'
import { toEntityId } from '../entity/entity-id.ts'

export const gatherContext = defineOperation({
  name: 'search.context',
  summary: 'Gather the entities that bear on a topic, whole, those that matter most first',
  example: '"connection handling"',
  effect: 'read',
  input: z.object({
    topic: z.string().trim().min(1).max(1000).describe('A few words or a question'),
    limit: z.int().min(1).max(100).default(10).describe('How many at most'),
    offset: z.int().min(0).default(0).describe('How many to skip'),
  }),
  output: searchPage
    .pick({ mode: true, model: true, note: true, total: true, total_is_minimum: true })
    .extend({ topic: z.string(), entities: z.array(entityView.extend({ score: z.number() })) }),
  positional: ['topic'],
  async run(context, { topic, limit, offset }) {
    const page = await findBest(await withCurrentIndex(context), topic, parseWords(topic), {
      filter: { kinds: ['entity'] },
      limit,
      from: offset,
      whole: true,
    })
    const { mode, model, note, total, total_is_minimum, results } = page
    const rows = await context.store.graph.entities(results.map(({ id }) => toEntityId(id)))
    const rowsById = new Map(rows.map((row) => [row.id, row]))
    return {
      topic,
      mode,
      ...(model !== undefined && { model }),
      ...(note !== undefined && { note }),
      entities: results.flatMap(({ id, score = 0 }) => {
        const row = rowsById.get(toEntityId(id))
        return row === undefined ? [] : [{ ...toEntityView(row), score }]
      }),
      total,
      ...(total_is_minimum !== undefined && { total_is_minimum }),
    }
  },
  show: showEntities,
})
