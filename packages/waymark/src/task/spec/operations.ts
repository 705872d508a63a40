import * as z from 'zod'
import type { Context, ReadContext } from '../../core/context.ts'
import { type Change, change } from '../../core/change.ts'
import { Failure } from '../../core/error.ts'
import { unlisted } from '../../core/input/schema.ts'
import { defineOperation } from '../../core/operation.ts'
import { counted, line, own, raw } from '../../core/show.ts'
import type { Store } from '../../core/store/store.ts'
import { findOthers, type Imported, importTask, relateImported } from '../import/import-task.ts'
import { readDocuments } from '../../exchange/import/run-import.ts'
import { SPEC_PATH } from '../import/lodestar.ts'
import { renderTasks, toSpec } from './render-spec.ts'
import { toSpecText } from './spec-text.ts'
import { yieldToEventLoop } from '../../support/yield-to-event-loop.ts'
import type { FileLock } from '../../support/files/file-lock.ts'
import {
  editSpec,
  parseSpec,
  readSpecFile,
  readSpecState,
  replaceSpecFile,
  type SpecFile,
  withSpecLock,
  writeBase,
} from './spec-file.ts'
import { type Arriving, type Bases, planSpec, toBase, toNextBase, toSettled } from './spec-plan.ts'

export const exportSpec = defineOperation({
  name: 'spec.export',
  summary: 'Write all tasks as a spec.yaml that Lodestar understands',
  example: '',
  effect: 'read',
  input: z.object({
    // For a server of that dialect: the file is its specification.
    merged: unlisted(z.boolean().default(false)),
  }),
  output: z.object({ format: z.literal('yaml'), text: z.string(), task_count: z.int() }),
  async run(context, { merged }) {
    const { signal } = context
    const ours = await renderTasks(context.store, {
      ...(await timeOf(context)),
      betweenPages: () => yieldToEventLoop(signal),
    })
    const file = merged ? await readSpecFile(context) : undefined
    const text =
      file === undefined
        ? await toSpecText(toSpec(ours, context.project), signal)
        : await editSpec(file.text, planSpec({ ...file, ours }).edits)
    return { format: 'yaml' as const, text, task_count: ours.size }
  },
  show: ({ text }) => [raw(text)],
})

export const syncSpec = defineOperation({
  name: 'spec.sync',
  summary: 'Merge .lodestar/spec.yaml and the tasks; an edit in the file wins',
  example: '',
  effect: 'write',
  input: z.object({}),
  output: z.object({
    found: z.boolean().describe('Whether there is such a file'),
    imported: z.int().describe('Tasks that were taken over from the file'),
    written: z.boolean().describe('Whether the file was changed'),
    remarks: z.array(z.string()).describe('Everything that could not be taken over as it was'),
  }),
  async run(context) {
    const state = await readSpecState(context)
    if (state !== undefined && IN_STEP.get(context.store) === state) return UNCHANGED
    for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
      const done = await withSpecLock(context, (lock) => trySync(context, lock))
      if (done === undefined) continue
      if (state !== undefined && done.imported === 0 && !done.written) {
        IN_STEP.set(context.store, state)
      }
      return done
    }
    throw new Failure('busy', '.lodestar/spec.yaml is being edited; try again')
  },
  show: ({ found, imported, written, remarks }) => [
    found
      ? line`${own(counted(imported, 'task'))} taken over; the file was ${written ? 'changed' : 'left as it is'}`
      : line`there is no .lodestar/spec.yaml`,
    ...remarks.map((text) => line`- ${text}`),
  ],
})

const ATTEMPTS = 5
const UNCHANGED = { found: true, imported: 0, written: false, remarks: [] }

/** The state of the file and the store in which neither has anything new for the other. */
const IN_STEP = new WeakMap<Store, string>()

/** Undefined if the file was edited meanwhile. */
async function trySync(context: Context, lock: FileLock) {
  const found = await readSpecFile(context)
  if (found === undefined) return { found: false, imported: 0, written: false, remarks: [] }
  const { store } = context
  const ours = await renderTasks(store, await timeOf(context))
  const plan = planSpec({ ...found, ours })
  const taken = plan.arriving.length === 0 ? NOTHING_TAKEN : await takeOver(context, found)
  const now = taken === NOTHING_TAKEN ? ours : await renderTasks(store, await timeOf(context))
  // As the tasks were: a dependency that has become possible just now is still to be taken over.
  const sides = { ours, leftOut: taken.leftOut }
  const base = toBase(found.file, { base: found.base, ...sides })
  const next = planSpec({ ...found, base, ours: now })
  const text = await editSpec(found.text, next.edits)
  const isWritten = text !== found.text
  const written = isWritten ? await parseSpec(text) : found.file
  // Before the file: whether that was written or not, what it says is then told from an edit by hand.
  const pending = toNextBase(base, toBase(written, { base, ...sides }), written)
  if (!(await putBase(context, lock, { from: found.base, to: pending }))) return undefined
  if (isWritten) {
    if (!(await replaceSpecFile(context, { before: found.text, after: text, lock }))) {
      return undefined
    }
    await putBase(context, lock, { from: pending, to: toSettled(pending) })
  }
  const cycles = plan.cycles.filter((cycle) => next.cycles.includes(cycle))
  const remarks = [...taken.remarks, ...cycles]
  for (const remark of remarks) context.logger.warn(`${SPEC_PATH}: ${remark}`)
  return { found: true, imported: taken.imported, written: isWritten, remarks }
}

/** False if the lock was lost. */
async function putBase(
  context: Context,
  lock: FileLock,
  { from, to }: { readonly from: Bases; readonly to: Bases },
): Promise<boolean> {
  const text = JSON.stringify(Object.fromEntries(to))
  if (text === JSON.stringify(Object.fromEntries(from))) return true
  if (!lock.isHeld()) return false
  await writeBase(context, text)
  return true
}

interface Taken {
  readonly imported: number
  readonly leftOut: ReadonlySet<string>
  readonly remarks: readonly string[]
}

const NOTHING_TAKEN: Taken = { imported: 0, leftOut: new Set(), remarks: [] }

/** Takes over what is new in the file. Planned once more inside the transaction, so that no change is missed. */
async function takeOver(context: Context, found: SpecFile): Promise<Taken> {
  const documents = await readDocuments(context, found.file.tasks)
  return await change(context, async (change) => {
    const now = { now: change.stamp.at, signal: context.signal }
    const ours = await renderTasks(change, now)
    const { arriving } = planSpec({ ...found, ours })
    const remarks: string[] = []
    const taken = new Map<string, Imported>()
    for (const { task, known: id } of arriving) {
      const known = id === undefined ? undefined : await change.entities.byId(id)
      const prd = documents.get(task.ref)
      const arrival = { task, prd, remarks, ...(known !== undefined && { known }) }
      taken.set(task.ref, await importTask(context, change, arrival))
    }
    const items = arriving.map(({ task }) => task)
    const others = await findOthers(change, items, taken)
    for (const one of arriving) {
      await relateImported(change, one.task, { imported: taken, others, remarks })
      if (taken.get(one.task.ref)?.action === 'updated') await free(change, one, ours)
    }
    const leftOut = arriving.filter(({ task }) => taken.get(task.ref)?.action === 'left_out')
    return {
      imported: arriving.length - leftOut.length,
      leftOut: new Set(leftOut.map(({ task }) => task.key)),
      remarks,
    }
  })
}

async function free(
  change: Change,
  { known: targetId, freedFrom }: Arriving,
  ours: Awaited<ReturnType<typeof renderTasks>>,
): Promise<void> {
  for (const name of freedFrom) {
    const sourceId = ours.get(name)?.row.id
    if (sourceId === undefined || targetId === undefined) continue
    const key = { sourceId, type: 'blocks', targetId }
    if (!(await change.relations.remove(key, change.stamp))) continue
    await change.announce('relation.deleted', sourceId, { type: 'blocks', target: targetId })
  }
}

async function timeOf(context: ReadContext) {
  return { now: await context.store.now(context), signal: context.signal }
}
