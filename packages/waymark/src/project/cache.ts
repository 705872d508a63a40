import * as z from 'zod'
import { defineOperation } from '../core/operation.ts'
import { Progress } from '../core/progress.ts'
import { readIndexState } from '../search/index/index-state.ts'
import { describeModel } from '../search/semantic-search.ts'
import { rebuildIndex } from '../search/upkeep.ts'
import { type Block, line, own } from '../core/show.ts'

const cacheView = z.object({
  documents: z.int().describe('Texts that can be found'),
  words: z.int().describe('Different words in them'),
  is_current: z.boolean().describe('Whether the index was made by the rules of this version'),
  model: z.string().describe('What judges how similar texts are'),
  vectors: z.int().describe('Texts that the model has seen'),
  pending: z.int().describe('Texts that it has not seen yet'),
})
type CacheView = z.output<typeof cacheView>

export const showCache = defineOperation({
  name: 'cache.stats',
  summary: 'Show how large the search index is and whether it is up to date',
  example: '',
  effect: 'read',
  input: z.object({}),
  output: cacheView,
  async run(context) {
    return { ...(await readIndexState(context)), model: describeModel(context) }
  },
  show: showCacheView,
})

export const rebuildCache = defineOperation({
  name: 'cache.rebuild',
  summary: 'Make the search index anew from what is stored, and embed what is missing',
  example: '',
  effect: 'write',
  input: z.object({}),
  output: cacheView,
  async run(context) {
    const { store, semantic } = context
    const progress = new Progress(context)
    await rebuildIndex(context, progress)
    await store.write((tx) => tx.vectors.restart(semantic.embedder.model), context)
    const pending = await store.vectors.pending(semantic.embedder.model)
    const advance = progress.phase('embedding texts', pending)
    await semantic.catchUp(context, Number.MAX_SAFE_INTEGER, advance)
    return await showCache.run(context, {})
  },
  show: showCacheView,
})

function showCacheView(view: CacheView): readonly Block[] {
  return [
    line`${view.documents} texts, ${view.words} different words`,
    line`index: ${own(view.is_current ? 'up to date' : 'made anew with the next search')}`,
    line`similarity: ${view.model}, ${view.vectors} texts seen, ${view.pending} waiting`,
  ]
}
