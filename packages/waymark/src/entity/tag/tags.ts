import * as z from 'zod'
import { defineOperation } from '../../core/operation.ts'
import { line, table } from '../../core/show.ts'

const tagCount = z.object({ tag: z.string(), count: z.int() })

export const listTags = defineOperation({
  name: 'entity.tags',
  summary: 'List the tags in use, most used first',
  example: '',
  effect: 'read',
  input: z.object({
    limit: z.int().min(1).max(1000).default(100).describe('How many at most'),
  }),
  output: z.object({ tags: z.array(tagCount) }),
  async run({ store }, { limit }) {
    return { tags: await store.entities.tagCounts(limit) }
  },
  show: ({ tags }) =>
    tags.length === 0
      ? [line`no tags`]
      : [
          table(tags, [
            { head: 'TAG', value: ({ tag }) => tag },
            { head: 'ENTITIES', value: ({ count }) => count },
          ]),
        ],
})
