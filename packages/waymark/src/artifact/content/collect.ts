import * as z from 'zod'
import type { Context } from '../../core/context.ts'
import { defineOperation } from '../../core/operation.ts'
import { withContentFailures } from './store.ts'
import { answeredBefore, change } from '../../core/change.ts'
import { collectUnneeded } from './collect-unneeded.ts'
import { contentsOf } from './open-contents.ts'
import { type Block, counted, line, own } from '../../core/show.ts'
import { toSize } from '../show.ts'

/** How many contents are looked at under one write lock, so that others get their turn. */
const BATCH_SIZE = 50
const SHOWN = 20
/** An upload that was written down so long ago and never finished belongs to a process that is gone. */
const UPLOAD_MS = 60 * 60 * 1000

interface Entry {
  readonly hash: string
  readonly size: number
}

const collection = z.object({
  dry_run: z.boolean(),
  removed: z.int().describe('Contents'),
  bytes: z.int().describe('What they took up'),
  kept: z.int().describe('Referenced contents'),
  leftovers: z.int().describe('Temp files of aborted uploads'),
  hashes: z.array(z.string()).describe('The first of the removed'),
})
type Collection = z.output<typeof collection>

export const collectArtifacts = defineOperation({
  name: 'artifact.collect',
  summary: 'Delete unreferenced contents',
  example: '--dry-run',
  effect: 'write',
  input: z.object({
    dry_run: z.boolean().default(false).describe('Only print what would be deleted'),
  }),
  output: collection,
  async run(context, { dry_run }) {
    const earlier = await answeredBefore(context)
    if (earlier !== undefined) return earlier.output
    const contents = contentsOf(context)
    const leftovers = dry_run ? 0 : await withContentFailures(() => contents.sweep())
    if (!dry_run) await forgetUploads(context)
    const removed: Entry[] = []
    let seen = 0
    for await (const batch of inBatches(contents.list())) {
      context.signal.throwIfAborted()
      seen += batch.length
      const hashes = batch.map(({ hash }) => hash)
      const gone = new Set(
        dry_run
          ? await unneeded(context, hashes)
          : await collectUnneeded(context.store, contents, hashes),
      )
      removed.push(...batch.filter(({ hash }) => gone.has(hash)))
    }
    const result = {
      dry_run,
      removed: removed.length,
      bytes: removed.reduce((sum, { size }) => sum + size, 0),
      kept: seen - removed.length,
      leftovers,
      hashes: removed.slice(0, SHOWN).map(({ hash }) => hash),
    }
    if (dry_run) return result
    return await change(context, async (change) => {
      const { removed: count, bytes } = result
      if (count > 0) {
        await change.announce('artifact.collected', 'artifacts', { removed: count, bytes })
      }
      return result
    })
  },
  show: showCollection,
})

async function forgetUploads(context: Context): Promise<void> {
  await context.store.write(async (tx) => {
    await tx.artifacts.forgetUploads((await tx.now(context)) - UPLOAD_MS)
  }, context)
}

async function unneeded({ store }: Context, hashes: readonly string[]): Promise<readonly string[]> {
  const needed = await store.artifacts.needed(hashes)
  return hashes.filter((hash) => !needed.has(hash))
}

async function* inBatches(entries: AsyncIterable<Entry>): AsyncGenerator<readonly Entry[]> {
  let batch: Entry[] = []
  for await (const entry of entries) {
    batch.push(entry)
    if (batch.length < BATCH_SIZE) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}

function showCollection(view: Collection): readonly Block[] {
  const verb = own(view.dry_run ? 'would remove' : 'removed')
  const leftovers = counted(view.leftovers, 'file')
  return [
    line`${verb} ${counted(view.removed, 'content')} (${toSize(view.bytes)}), kept ${view.kept}`,
    ...view.hashes.map((hash) => line`  ${hash}`),
    ...(view.leftovers > 0 ? [line`removed ${leftovers} of aborted uploads`] : []),
  ]
}
