import { Connection } from '@waymark/sqlite'
import { describe, expect, test, vi } from 'vitest'
import { execute } from '../../src/core/execute.ts'
import { listTasks } from '../../src/task/queue/list.ts'
import { readyTasks } from '../../src/task/queue/operations.ts'
import { createTask, updateTask } from '../../src/task/operations.ts'
import { completeTask } from '../../src/task/state/operations.ts'
import { setup } from '../setup.ts'

/** Tasks in which every pair of values occurs. */
const PLANS = Array.from({ length: 36 }, (_, n) => ({
  title: `Task ${n}`,
  labels: [...(n % 2 === 0 ? ['even'] : []), ...(n % 3 === 0 ? ['third'] : [])],
  ...(n % 4 < 3 && { assignee: ['ann', 'bob', 'cid'][n % 4] }),
  ...(n % 3 < 2 && { task_type: ['bug', 'chore'][n % 3] }),
  priority: (n * 7) % 5,
}))

const FILTERS = [[], ['even'], ['third'], ['even', 'third'], ['nothing']].flatMap((labels) =>
  [undefined, 'ann', 'nobody'].flatMap((assignee) =>
    [undefined, 'bug', 'epic'].map((task_type) => ({ labels, assignee, task_type })),
  ),
)

describe('tasks are found by their facets', () => {
  test('each filter shows exactly those that match, in the order of the queue', async () => {
    await using project = await setup()
    const { context } = project
    for (const plan of PLANS) await execute(context, createTask, plan)
    await execute(context, completeTask, { id: '7' })
    await execute(context, updateTask, { id: '9', add_depends_on: ['10'] })
    await execute(context, updateTask, { id: '13', add_labels: ['third'], assignee: 'ann' })
    const { tasks: all } = await execute(context, listTasks, { all: true, limit: 200 })
    expect(all).toHaveLength(PLANS.length)
    for (const filter of FILTERS) {
      const expected = all.filter(
        ({ labels, assignee, task_type }) =>
          filter.labels.every((label) => labels.includes(label)) &&
          [undefined, assignee].includes(filter.assignee) &&
          [undefined, task_type].includes(filter.task_type),
      )
      const numbers = expected.map(({ number }) => number)
      const open = expected.filter(({ number }) => number !== 7 && number !== 9)
      const listed = await execute(context, listTasks, { ...filter, all: true, limit: 200 })
      expect(listed.tasks.map(({ number }) => number)).toEqual(numbers)
      expect(listed.total).toBe(numbers.length)
      const first = await execute(context, listTasks, { ...filter, statuses: ['todo'], limit: 1 })
      expect(first.total).toBe(expected.filter(({ status }) => status === 'todo').length)
      const ready = await execute(context, readyTasks, { ...filter, limit: 2 })
      expect(ready.tasks.map(({ number }) => number)).toEqual(
        open.slice(0, 2).map(({ number }) => number),
      )
      expect(ready.total).toBe(open.length)
    }
    expect(await context.store.consistency.indexErrors()).toEqual([])
  })

  test('a change writes only the columns of the index that it changes [task-columns-changed]', async () => {
    await using project = await setup()
    const { context } = project
    await execute(context, createTask, { title: 'Mend the roof', labels: ['house'] })
    const recording = recordRuns()
    await execute(context, updateTask, { id: '1', title: 'Mend the whole roof' })
    await execute(context, updateTask, { id: '1', priority: 'high' })
    const written = recording
      .stop()
      .filter((sql) => /(?:UPDATE|INTO|FROM) task(?:_facet)?\b/.test(sql))
    expect(written.filter((sql) => sql.startsWith('UPDATE task'))).toEqual([
      'UPDATE task SET priority = ? WHERE id = ?',
    ])
    expect(written.filter((sql) => sql.startsWith('DELETE FROM task_facet'))).toHaveLength(1)
  })
})

function recordRuns(): { readonly stop: () => readonly string[] } {
  const run = vi.spyOn(Connection.prototype, 'run')
  return {
    stop: () => {
      const asked = run.mock.calls.map(([sql]) => sql)
      run.mockRestore()
      return asked
    },
  }
}
