import type { Context } from '../context.ts'
import type { UnreadableRow } from '../store/consistency.ts'
import { dropNote } from './code/copy-notes.ts'
import { FIX, type IndexCheck } from './store-index-check.ts'

const SHOWN = 10
const AT_ONCE = 200

/** How to do without a row that only a copy can bring back. */
const OTHERWISE: Readonly<Partial<Record<UnreadableRow['kind'], string>>> = {
  event: 'read events from behind it on: `waymark event list`, with its number as the cursor',
  'pending note': 'forget what was said for the next commit: `waymark code context-clear`',
  answer: 'wait for a day, after which answers are forgotten',
}

/** Annotations are kept in Git; what the store has of them is a copy. */
export async function checkNotes({ store }: Context, repair: boolean): Promise<IndexCheck> {
  const name = 'annotations'
  const damaged = await store.consistency.unreadableNotes()
  if (damaged.length === 0) return { name, status: 'ok', message: 'every annotation can be read' }
  const message = `the copies of ${damaged.length} notes cannot be read`
  if (!repair) return { name, status: 'failed', message, fix: FIX }
  for (let at = 0; at < damaged.length; at += AT_ONCE) {
    const some = damaged.slice(at, at + AT_ONCE)
    await store.write(async (tx) => {
      for (const { ref, commit } of some) await dropNote(tx, ref, commit)
    })
  }
  return { name, status: 'warning', message: `${message}; they are copied again from Git` }
}

/** Whether what is kept once can be read. It breaks whoever reads it, and only a copy has what it said. */
export async function checkReadable({ store }: Context): Promise<IndexCheck> {
  const name = 'readable'
  const damaged = await store.consistency.unreadable()
  if (damaged.length === 0) return { name, status: 'ok', message: 'every row can be read' }
  const named = damaged.slice(0, SHOWN).map(({ kind, ref }) => `${kind} ${ref}`)
  const others = new Set(damaged.flatMap(({ kind }) => OTHERWISE[kind] ?? []))
  return {
    name,
    status: 'failed',
    message: `${damaged.length} rows cannot be read: ${named.join(', ')}`,
    fix: ['restore the database from a backup, which alone has them', ...others].join(', or '),
  }
}
