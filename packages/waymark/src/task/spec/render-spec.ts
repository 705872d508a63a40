import { basename } from 'node:path'
import type { ReadContext } from '../../core/context.ts'
import type { Change } from '../../core/change.ts'
import type { EntityRow } from '../../entity/store.ts'
import { toTime } from '../../entity/view.ts'
import { asTask } from '../fields.ts'
import { toPosition } from '../queue/store.ts'
import { type Spec, type SpecTask, toFeatures, toSpecTask } from './lodestar-spec.ts'

const PAGE = 200

/** A task as a row and as a specification has it. */
export interface RenderedTask {
  readonly row: EntityRow
  readonly task: SpecTask
}

interface RenderOptions {
  readonly now: number
  readonly signal: AbortSignal
  /** Lets others have their turn; left out inside a transaction, which must end soon. */
  readonly betweenPages?: () => Promise<void>
}

/** All tasks by the names that they have in a specification, in the order of the queue. */
export async function renderTasks(
  { tasks }: Pick<Change, 'tasks'>,
  time: RenderOptions,
): Promise<ReadonlyMap<string, RenderedTask>> {
  const rows = await allTasks(tasks, time)
  const names = toNames(rows)
  const nameOf = (id: string) => names.get(id) ?? id
  const rendered = new Map<string, RenderedTask>()
  for (let at = 0; at < rows.length; at += PAGE) {
    await time.betweenPages?.()
    const page = rows.slice(at, at + PAGE)
    const dependencies = await tasks.dependenciesOf(page.map(({ id }) => id))
    for (const row of page) {
      const task = toSpecTask({
        title: row.title,
        content: row.content,
        labels: row.tags,
        properties: asTask(row),
        dependsOn: (dependencies.get(row.id) ?? []).map(({ id }) => nameOf(id)),
        createdAt: toTime(row.createdAt),
        updatedAt: toTime(row.updatedAt),
      })
      rendered.set(nameOf(row.id), { row, task })
    }
  }
  return rendered
}

export function toSpec(
  rendered: ReadonlyMap<string, RenderedTask>,
  project: ReadContext['project'],
): Spec {
  const entries = [...rendered]
  return {
    project: {
      name: project === undefined ? 'waymark' : basename(project.root),
      default_branch: 'main',
      conventions: {},
    },
    tasks: Object.fromEntries(entries.map(([name, { task }]) => [name, task])),
    features: toFeatures(new Map(entries.map(([name, { row }]) => [name, row.tags]))),
  }
}

async function allTasks(
  tasks: Change['tasks'],
  { now, signal, betweenPages }: RenderOptions,
): Promise<EntityRow[]> {
  const rows: EntityRow[] = []
  for (;;) {
    await betweenPages?.()
    signal.throwIfAborted()
    const last = rows.at(-1)
    const after = last === undefined ? undefined : toPosition(last)
    const page = await tasks.queue({ state: 'any', now, limit: PAGE, after })
    rows.push(...page)
    if (page.length < PAGE) return rows
  }
}

/**
 * A task is named by its key; without a key, or with a duplicate one, by its id. Numbers differ between clones and can
 * change, so they are not used.
 */
function toNames(rows: readonly EntityRow[]): ReadonlyMap<string, string> {
  const seen = new Set<string>()
  const shared = new Set<string>()
  for (const row of rows) {
    const { key } = asTask(row)
    if (key !== undefined) (seen.has(key) ? shared : seen).add(key)
  }
  return new Map(
    rows.map((row) => {
      const { key } = asTask(row)
      return [row.id, key === undefined || shared.has(key) ? row.id : key]
    }),
  )
}
