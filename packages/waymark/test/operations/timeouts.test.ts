import * as fc from 'fast-check'
import { expect, it, vi } from 'vitest'
import type { Context } from '../../src/core/context.ts'
import { execute } from '../../src/core/execute.ts'
import { createEntity, deleteEntity } from '../../src/entity/operations.ts'
import { editTasks } from '../../src/task/state/bulk.ts'
import { createTask, createTasks } from '../../src/task/operations.ts'
import { Connection } from '@waymark/sqlite'
import { databasePath } from '../../src/core/store/state-folder.ts'
import { SEED } from '../seed.ts'
import { type Setup, setup } from '../setup.ts'

/** The long form has 500. */
const CASES = Number(process.env['WAYMARK_TIMEOUTS'] ?? 36)

const BESIDE = { type: 'note', title: 'Beside' }

const CHANGES: Readonly<Record<string, (context: Context, last: string) => Promise<unknown>>> = {
  'an entity with relations': (context) =>
    execute(context, createEntity, {
      type: 'decision',
      title: 'Use oak',
      tags: ['floor', 'wood'],
      relations: ['references:1', 'documents:2'],
    }),
  'many tasks': (context) =>
    execute(context, createTasks, {
      tasks: Array.from({ length: 24 }, (_, at) => ({ title: `T${at}`, labels: ['floor'] })),
    }),
  'a task that waits': (context) =>
    execute(context, createTask, { title: 'Oil', depends_on: ['1', '2'], parent: '3' }),
  'many edits': (context) =>
    execute(context, editTasks, {
      edits: ['1', '2', '3'].map((id) => ({ id, action: 'update', priority: 'high' })),
    }),
  'a deletion': (context, last) => execute(context, deleteEntity, { id: last }),
}

/** Everything that the database has, by table, as text: the search index has larger numbers than JavaScript. */
function contentsOf(connection: Connection): Record<string, { readonly row: string }[]> {
  const columns = connection.all<{ name: string; texts: string }>(
    `SELECT t.name, group_concat('quote("' || c.name || '")', ' || ') AS texts
      FROM sqlite_master t JOIN pragma_table_info(t.name) c
      WHERE t.type = 'table' AND t.sql NOT LIKE 'CREATE VIRTUAL%' GROUP BY t.name`,
  )
  return Object.fromEntries(
    columns.map(({ name, texts }) => [
      name,
      connection.all<{ row: string }>(`SELECT ${texts} AS row FROM "${name}"`),
    ]),
  )
}

/** The rows that name one agent. */
function rowsOf(agent: string, contents: ReturnType<typeof contentsOf>): readonly string[] {
  return Object.values(contents)
    .flat()
    .flatMap(({ row }) => (row.includes(agent) ? [row] : []))
}

/** Gives up when SQLite is asked for the so-manieth time, and says whether that was in time. */
async function giveUp(
  project: Setup,
  work: (context: Context) => Promise<unknown>,
  moment: number,
): Promise<boolean> {
  const controller = new AbortController()
  let asked = 0
  const spies = (['get', 'all', 'run'] as const).map((name) => {
    const original = Connection.prototype[name] as (...given: unknown[]) => unknown
    return vi.spyOn(Connection.prototype, name).mockImplementation(function (
      this: Connection,
      ...given: unknown[]
    ) {
      asked += 1
      if (asked === moment) controller.abort(new DOMException('', 'TimeoutError'))
      return original.apply(this, given) as never
    })
  })
  try {
    await work(project.as('ann', { signal: controller.signal }))
    return false
  } catch (error) {
    expect(error).toMatchObject({ code: 'timeout' })
    return true
  } finally {
    for (const spy of spies) spy.mockRestore()
  }
}

it('a change that is stopped at any moment leaves nothing half done, and the store at once usable [timeouts-change-stopped]', async () => {
  await using project = await setup()
  for (const title of ['A', 'B', 'C', 'D']) await execute(project.context, createTask, { title })
  const connection = new Connection(databasePath(project.context.project?.state ?? ''), 'write')
  const cases = fc.sample(
    fc.tuple(
      fc.constantFrom(...Object.keys(CHANGES)),
      fc.integer({ min: 1, max: 60 }),
      fc.boolean(),
    ),
    { seed: SEED, numRuns: CASES },
  )
  let stopped = 0
  let last = '4'
  try {
    for (const [name, moment, isAlone] of cases) {
      const before = contentsOf(connection)
      const work = CHANGES[name]
      if (work === undefined) throw new Error(name)
      const [isStopped] = await Promise.all([
        giveUp(project, (context) => work(context, last), moment),
        // Whoever writes at the same time shares the transaction, and keeps what is theirs.
        ...(isAlone ? [] : [execute(project.as('bob'), createEntity, BESIDE)]),
      ])
      if (isStopped) {
        stopped += 1
        const [then, now] = [before, contentsOf(connection)]
        const why = `${name}, stopped at ${moment}`
        if (isAlone) expect(now, why).toEqual(then)
        else expect(rowsOf('ann', now), why).toEqual(rowsOf('ann', then))
      }
      // Nobody has left a transaction open, and the next change is made by the same connection.
      connection.exec('BEGIN IMMEDIATE')
      connection.exec('ROLLBACK')
      last = (await execute(project.context, createEntity, { type: 'note', title: 'Next' })).id
    }
  } finally {
    connection.close()
  }
  // Some come to their end before they are stopped, but not many.
  expect(stopped).toBeGreaterThan(CASES / 3)
  expect(stopped).toBeLessThan(CASES)
})
