import { basename } from 'node:path'
import * as z from 'zod'
import type { Context } from '../context.ts'
import { type Spec, toFeatures, toSpecTask } from '../domain/lodestar-spec.ts'
import { defineOperation } from '../operation.ts'
import type { EntityRow } from '../store/entities.ts'
import { toPosition } from '../store/task-queue.ts'
import { toTime } from './entity-view.ts'
import { taskOf } from './task-of.ts'

const PAGE = 200

export const exportSpec = defineOperation({
  name: 'spec.export',
  summary: 'Write all tasks as a spec.yaml that Lodestar understands',
  effect: 'read',
  input: z.object({}),
  output: z.object({ format: z.literal('yaml'), text: z.string(), task_count: z.int() }),
  async run(context) {
    const rows = await allTasks(context)
    const { toYaml } = await import('./yaml-text.ts')
    const spec = await toSpec(context, rows)
    return { format: 'yaml' as const, text: toYaml(spec), task_count: rows.length }
  },
})

async function allTasks(context: Context): Promise<EntityRow[]> {
  const { store, signal } = context
  const now = await store.now(context.now())
  const rows: EntityRow[] = []
  for (;;) {
    signal.throwIfAborted()
    const last = rows.at(-1)
    const after = last === undefined ? undefined : toPosition(last)
    const page = await store.tasks.queue({ state: 'any', now, limit: PAGE, after })
    rows.push(...page)
    if (page.length < PAGE) return rows
  }
}

async function toSpec({ store, project }: Context, rows: readonly EntityRow[]): Promise<Spec> {
  const keys = toKeys(rows)
  const tasks: Record<string, Spec['tasks'][string]> = {}
  for (let at = 0; at < rows.length; at += PAGE) {
    const page = rows.slice(at, at + PAGE)
    const dependencies = await store.tasks.dependenciesOf(page.map(({ id }) => id))
    for (const row of page) {
      const dependsOn = (dependencies.get(row.id) ?? []).map(({ id }) => keys.get(id) ?? id)
      tasks[keys.get(row.id) ?? row.id] = toSpecTask({
        title: row.title,
        content: row.content,
        labels: row.tags,
        properties: taskOf(row),
        dependsOn,
        createdAt: toTime(row.createdAt),
        updatedAt: toTime(row.updatedAt),
      })
    }
  }
  const labels = new Map(rows.map((row) => [keys.get(row.id) ?? row.id, row.tags]))
  return {
    project: {
      name: project === undefined ? 'waymark' : basename(project.root),
      default_branch: 'main',
      conventions: {},
    },
    tasks,
    features: toFeatures(labels),
  }
}

/** Tasks without a key get one from their number, unless another task goes by it. */
function toKeys(rows: readonly EntityRow[]): ReadonlyMap<string, string> {
  const own = new Set(rows.map((row) => taskOf(row).key))
  return new Map(
    rows.map((row) => {
      const made = `T${String(row.number).padStart(3, '0')}`
      return [row.id, taskOf(row).key ?? (own.has(made) ? row.id : made)]
    }),
  )
}
