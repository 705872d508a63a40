import * as z from 'zod'
import type { Context } from '../context.ts'
import type { Incoming } from './merge.ts'

const count = z.int().min(0)

/** How much came in, whichever way. */
export const takenCounts = {
  created: count,
  updated: count,
  deleted: count,
  purged: count,
  relations: count.describe('Relations that came or went'),
}

/** What those who took it in have to know of it besides. */
export const takenRemarks = {
  renumbered: z
    .array(z.object({ id: z.string(), from: z.int(), to: z.int() }))
    .describe('Entities that share their number with an older one and got another'),
  waiting: count.describe('Changes that build on others which have not arrived'),
  damaged: count.describe('Lines that cannot be read'),
  not_understood: z.array(z.string()).describe('Entities that a newer version wrote'),
}

/** What an import, unlike sync, has left as it is. */
export const leftAlone = {
  left_alone: z
    .array(z.string())
    .describe('Entities left as they are because another agent holds a task; import them later'),
}

export function toTakenCounts({ created, updated, deleted, purged, relations }: Incoming) {
  return { created, updated, deleted, purged, relations }
}

/** After everything has come. */
export async function toTakenRemarks({ store }: Pick<Context, 'store'>, incoming: Incoming) {
  const notUnderstood: string[] = []
  for (const id of new Set(incoming.notUnderstood)) {
    // Perhaps it only waited for something that came later.
    const [found] = await store.replica.named({ prefix: id.replaceAll('-', '') })
    if (found === undefined) notUnderstood.push(id)
  }
  return {
    renumbered: [...incoming.renumbered],
    waiting: await store.replica.countStrays(),
    damaged: incoming.damaged,
    not_understood: notUnderstood,
  }
}
