import { basename } from 'node:path'
import * as z from 'zod'
import type { ReadContext } from '../../core/context.ts'
import { type Spec, type SpecTask, toFeatures, toSpecTask } from './lodestar-spec.ts'
import { defineOperation } from '../../core/operation.ts'
import type { EntityRow } from '../../entity/store.ts'
import { toPosition } from '../queue/store.ts'
import { toTime } from '../../entity/view.ts'
import { asTask } from '../fields.ts'
import { raw } from '../../core/show.ts'

const PAGE = 200

export const exportSpec = defineOperation({
  name: 'spec.export',
  summary: 'Write all tasks as a spec.yaml that Lodestar understands',
  example: '',
  effect: 'read',
  input: z.object({}),
  output: z.object({ format: z.literal('yaml'), text: z.string(), task_count: z.int() }),
  async run(context) {
    const rows = await allTasks(context)
    const { toYaml } = await import('../../support/yaml/yaml-text.ts')
    const spec = await toSpec(context, rows)
    return { format: 'yaml' as const, text: toYaml(spec), task_count: rows.length }
  },
  show: ({ text }) => [raw(text)],
})

async function allTasks(context: ReadContext): Promise<EntityRow[]> {
  const { store, signal } = context
  const now = await store.now(context)
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

async function toSpec({ store, project }: ReadContext, rows: readonly EntityRow[]): Promise<Spec> {
  const names = toNames(rows)
  const tasks = new Map<string, SpecTask>()
  for (let at = 0; at < rows.length; at += PAGE) {
    const page = rows.slice(at, at + PAGE)
    const dependencies = await store.tasks.dependenciesOf(page.map(({ id }) => id))
    for (const row of page) {
      const dependsOn = (dependencies.get(row.id) ?? []).map(({ id }) => names.get(id) ?? id)
      const task = toSpecTask({
        title: row.title,
        content: row.content,
        labels: row.tags,
        properties: asTask(row),
        dependsOn,
        createdAt: toTime(row.createdAt),
        updatedAt: toTime(row.updatedAt),
      })
      tasks.set(names.get(row.id) ?? row.id, task)
    }
  }
  const labels = new Map(rows.map((row) => [names.get(row.id) ?? row.id, row.tags]))
  return {
    project: {
      name: project === undefined ? 'waymark' : basename(project.root),
      default_branch: 'main',
      conventions: {},
    },
    tasks: Object.fromEntries(tasks),
    features: toFeatures(labels),
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
