import { expect, it, vi } from 'vitest'
import { execute } from '../../src/core/execute.ts'
import { createEntity, listEntities } from '../../src/entity/operations.ts'
import { listEvents } from '../../src/event/operations.ts'
import { showNeighbours } from '../../src/graph/operations.ts'
import { listMessages, sendMessage } from '../../src/message/operations.ts'
import { searchByQuery, searchByText } from '../../src/search/operations.ts'
import { projectStats } from '../../src/project/facts.ts'
import { showBrief } from '../../src/brief/operations.ts'
import { claimTask, releaseTask, takeTask } from '../../src/task/lease/operations.ts'
import { explainTask } from '../../src/task/queue/explain.ts'
import { listTasks } from '../../src/task/queue/list.ts'
import { blockedTasks, nextTask, readyTasks } from '../../src/task/queue/operations.ts'
import { completeTask } from '../../src/task/state/operations.ts'
import { createTask, getTask } from '../../src/task/operations.ts'
import { Connection } from '@waymark/sqlite'
import { databasePath } from '../../src/core/store/state-folder.ts'
import { toEntityId } from '../../src/entity/entity-id.ts'
import { setup } from '../setup.ts'

/** What SQLite was asked while `work` ran. */
async function statementsOf(work: () => Promise<void>): Promise<readonly string[]> {
  const spies = [
    vi.spyOn(Connection.prototype, 'get'),
    vi.spyOn(Connection.prototype, 'all'),
    vi.spyOn(Connection.prototype, 'run'),
  ]
  await work()
  const asked = new Set(spies.flatMap(({ mock }) => mock.calls.map(([sql]) => sql)))
  for (const spy of spies) spy.mockRestore()
  return [...asked]
}

it('no everyday question makes SQLite build an index of everything first', async () => {
  await using project = await setup()
  const { context } = project
  const asked = await statementsOf(async () => {
    await execute(context, createEntity, { type: 'note', title: 'Wood', tags: ['floor'] })
    const base = { labels: ['floor'], assignee: 'ann', task_type: 'chore' }
    await execute(context, createTask, { title: 'Floor', key: 'whole' })
    await execute(context, createTask, { ...base, title: 'Lay', key: 'lay', parent: 'whole' })
    await execute(context, createTask, {
      ...base,
      title: 'Oil',
      depends_on: ['lay'],
      parent: 'whole',
    })
    const filter = { labels: ['floor'], assignee: 'ann', task_type: 'chore', parent: 'whole' }
    await execute(context, readyTasks, filter)
    await execute(context, blockedTasks, filter)
    await execute(context, listTasks, filter)
    await execute(context, nextTask, {})
    await execute(context, explainTask, { id: 'whole' })
    await execute(context, releaseTask, {
      id: (await execute(context, takeTask, { assignee: 'ann' })).claimed?.task.id,
      reason: 'lunch',
    })
    await execute(context, claimTask, { id: 'lay' })
    await execute(context, completeTask, { id: 'lay', force: true })
    await execute(context, sendMessage, { body: 'done', task: 'lay' })
    await execute(context, listMessages, {})
    await execute(context, listEvents, { since: 0 })
    await execute(context, listEntities, { type: 'task', tag: 'floor' })
    await execute(context, showNeighbours, { id: '2' })
    await execute(context, searchByText, { query: 'floor' })
  })
  const questions = asked.filter((sql) => !/^\s*(?:PRAGMA|EXPLAIN)/i.test(sql))
  expect(questions.length).toBeGreaterThan(60)
  const connection = new Connection(databasePath(context.project?.state ?? ''), 'read')
  try {
    const hasty = questions.filter((sql) =>
      connection
        .all<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`)
        .some(({ detail }) => detail.includes('AUTOMATIC')),
    )
    expect(hasty).toEqual([])
  } finally {
    connection.close()
  }
})

it('blocked tasks and tasks in progress are found by their indexes', async () => {
  await using project = await setup()
  const { context } = project
  const asked = await statementsOf(async () => {
    await execute(context, blockedTasks, {})
    await execute(context, blockedTasks, { labels: ['floor'] })
    await execute(context, nextTask, {})
    await execute(context, createTask, { title: 'Oil' })
    await execute(context, createTask, { title: 'Wax' })
    await execute(context, claimTask, { id: '1' })
    expect(await execute(context, readyTasks, { limit: 1 })).toMatchObject({ total: 1 })
  })
  const connection = new Connection(databasePath(context.project?.state ?? ''), 'read')
  try {
    const plans = asked
      .filter((sql) => sql.includes('t.closed = 0'))
      .flatMap((sql) => connection.all<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`))
      .map(({ detail }) => detail)
      .join('\n')
    for (const index of ['task_blocked', 'task_by_status', 'lease_withheld']) {
      expect(plans).toMatch(new RegExp(`INDEX ${index}\\b`))
    }
    expect(plans).not.toMatch(/SCAN (?:task|lease)\b(?! USING)/)
  } finally {
    connection.close()
  }
})

it('how many tasks are ready is counted without looking at each, however many are put off', async () => {
  await using project = await setup()
  const { context } = project
  for (const until of [undefined, '2000-01-01', '2999-01-01', '2999-01-01']) {
    const deferred = until === undefined ? {} : { defer_until: until }
    await execute(context, createTask, { title: 'Oil', ...deferred })
  }
  const asked = await statementsOf(async () => {
    expect(await execute(context, readyTasks, { limit: 1 })).toMatchObject({ total: 2 })
    const all = { limit: 1, include_deferred: true }
    expect(await execute(context, readyTasks, all)).toMatchObject({ total: 4 })
    const withHeld = { limit: 1, include_held: true }
    expect(await execute(context, readyTasks, withHeld)).toMatchObject({ total: 2 })
  })
  const counts = asked.filter((sql) => sql.includes('count(*)') && sql.includes('defer_until > ?'))
  expect(counts).toHaveLength(1)
  const connection = new Connection(databasePath(context.project?.state ?? ''), 'read')
  try {
    const plan = connection.all<{ detail: string }>(`EXPLAIN QUERY PLAN ${counts[0] ?? ''}`)
    expect(plan.map(({ detail }) => detail).join()).toContain('task_deferred (defer_until>?)')
  } finally {
    connection.close()
  }
})

it('what is held is looked up among the ready tasks by its id, with a label or without [held-tasks-by-id]', async () => {
  await using project = await setup()
  const { context } = project
  for (const title of ['Oil', 'Wax', 'Sand'])
    await execute(context, createTask, { title, labels: ['floor', 'wood'] })
  await execute(context, createTask, { title: 'Paint', labels: ['wall'] })
  await execute(context, claimTask, { id: '1' })
  await execute(context, claimTask, { id: '4' })
  const asked = await statementsOf(async () => {
    const one = { limit: 1 }
    expect(await execute(context, readyTasks, one)).toMatchObject({ total: 2 })
    const floor = { ...one, labels: ['floor'] }
    expect(await execute(context, readyTasks, floor)).toMatchObject({ total: 2 })
    const both = { ...one, labels: ['wood', 'floor'], status: 'todo' } as const
    expect(await execute(context, readyTasks, both)).toMatchObject({ total: 2 })
  })
  const counts = asked.filter((sql) => sql.includes('count(*)') && sql.includes('FROM lease'))
  expect(counts).toHaveLength(3)
  const connection = new Connection(databasePath(context.project?.state ?? ''), 'read')
  try {
    for (const sql of counts) {
      const plan = connection.all<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`)
      const details = plan.map(({ detail }) => detail).join('\n')
      expect(details).toContain('SEARCH t USING INDEX sqlite_autoindex_task_1 (id=?)')
    }
  } finally {
    connection.close()
  }
})

it('events about an entity, and texts by their ids, are found by indexes', async () => {
  await using project = await setup()
  const { context } = project
  const asked = await statementsOf(async () => {
    const { task } = await execute(context, createTask, { title: 'Oil' })
    expect(await context.store.events.newest({ subjects: [task.id], limit: 5 })).toHaveLength(1)
    expect(await execute(context, searchByText, { query: 'oil' })).toMatchObject({ total: 1 })
  })
  const connection = new Connection(databasePath(context.project?.state ?? ''), 'read')
  const plansOf = (part: string): string =>
    asked
      .filter((sql) => sql.includes(part))
      .flatMap((sql) => connection.all<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`))
      .map(({ detail }) => detail)
      .join('\n')
  try {
    expect(plansOf('subject IN')).toContain('SEARCH event USING INDEX event_by_subject')
    const texts = plansOf('LEFT JOIN entity')
    expect(texts).toContain('SEARCH d USING INTEGER PRIMARY KEY')
    expect(texts).toContain('SEARCH e USING INDEX sqlite_autoindex_entity_1')
    expect(`${texts}${plansOf('subject IN')}`).not.toMatch(/SCAN (?:d|e|event)\b/)
  } finally {
    connection.close()
  }
})

it('how long a list of entities is comes from counters, not from its rows [list-totals-counted]', async () => {
  await using project = await setup()
  const { context } = project
  await execute(context, createTask, { title: 'Oil' })
  await execute(context, createEntity, { type: 'note', title: 'Wood' })
  const asked = await statementsOf(async () => {
    expect(await execute(context, listEntities, { limit: 1 })).toMatchObject({ total: 2 })
    const open = { type: 'task', status: 'todo', limit: 1 } as const
    expect(await execute(context, listEntities, open)).toMatchObject({ total: 1 })
    const notDone = { except_statuses: ['done'], limit: 1 }
    expect(await execute(context, listEntities, notDone)).toMatchObject({ total: 2 })
    expect(await execute(context, projectStats, {})).toMatchObject({
      entity_counts: { task: 1, note: 1, decision: 0 },
    })
  })
  expect(asked.filter((sql) => /count\(\*\).* FROM entity/s.test(sql))).toEqual([])
})

it('entities with a tag are counted by their tag, and read once [tagged-by-tag]', async () => {
  await using project = await setup()
  const { context } = project
  for (const title of ['Oil', 'Wax', 'Sand'])
    await execute(context, createTask, { title, labels: ['floor'] })
  await execute(context, createEntity, { type: 'note', title: 'Wood', tags: ['floor'] })
  const asked = await statementsOf(async () => {
    const all = await execute(context, listEntities, { tag: 'floor', limit: 2, offset: 1 })
    expect(all.entities.map(({ title }) => title)).toEqual(['Wax', 'Sand'])
    expect(all.total).toBe(4)
    const tasks = { tag: 'floor', type: 'task', limit: 1 } as const
    expect(await execute(context, listEntities, tasks)).toMatchObject({ total: 3 })
  })
  const connection = new Connection(databasePath(context.project?.state ?? ''), 'read')
  try {
    const plansOf = (part: RegExp): string[] =>
      asked
        .filter((sql) => part.test(sql))
        .flatMap((sql) => connection.all<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`))
        .map(({ detail }) => detail)
    expect(plansOf(/count\(\*\).* FROM (?:entity|tag)/s).join('\n')).not.toMatch(
      /SCAN (?:entity|tag)|entity_by_type/,
    )
    expect(plansOf(/content.* FROM entity\s+WHERE id IN/s).join('\n')).toContain(
      'SEARCH entity USING INDEX sqlite_autoindex_entity_1 (id=?)',
    )
  } finally {
    connection.close()
  }
})

it('annotations of a place, a content or a commit are not looked for among all of their ref [annotations-by-index]', async () => {
  await using project = await setup()
  const { context } = project
  const { annotations } = context.store
  const many = Array.from({ length: 200 }, (_, at) => `x${at}`)
  const refs = ['refs/notes/waymark', 'refs/notes/other']
  const asked = await statementsOf(async () => {
    await annotations.byContent(refs, many)
    await annotations.inFiles({ refs, role: 'dependency', paths: many })
    await annotations.likelyInFiles({ refs, paths: many, leaves: many, hashes: many })
    await annotations.countInFiles({ refs, paths: many })
    await annotations.ofCommits(refs, many)
    await annotations.byRecord(refs, 'x')
    await annotations.anywhere('x')
    await annotations.byLink(toEntityId('x'), 5)
  })
  const connection = new Connection(databasePath(context.project?.state ?? ''), 'read')
  try {
    const plans = asked
      .filter((sql) => /\bFROM annotation\b/.test(sql))
      .map((sql) => connection.all<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`))
    expect(plans).toHaveLength(8)
    const details = plans.flatMap((plan) => plan.map(({ detail }) => detail))
    expect(details.filter((detail) => /^SCAN a\b|\(ref=\?\)/.test(detail))).toEqual([])
    expect(details.join()).toContain('(ref=? AND commit_id=?)')
  } finally {
    connection.close()
  }
})

/** Tables that grow with the project. */
const GROWING = [
  'annotation',
  'annotation_link',
  'annotation_place',
  'artifact',
  'document',
  'entity',
  'event',
  'lease',
  'message',
  'op',
  'relation',
  'replica',
  'tag',
  'task',
  'task_facet',
]

/** The table that a name in a query plan stands for. */
function tableOf(sql: string, name: string): string {
  const tables = GROWING.join('|')
  return new RegExp(`\\b(${tables})\\s+(?:AS\\s+)?${name}\\b`).exec(sql)?.[1] ?? name
}

it('no everyday call reads a growing table from end to end, but to count its rows in an index [query-plans-flat]', async () => {
  await using project = await setup()
  const { context } = project
  const asked = await statementsOf(async () => {
    await execute(context, createTask, { title: 'Floor', key: 'whole', labels: ['floor'] })
    await execute(context, createTask, { title: 'Lay', parent: 'whole', labels: ['floor'] })
    await execute(context, createTask, { title: 'Oil', depends_on: ['2'], parent: 'whole' })
    const decision = { type: 'decision', title: 'Oak', properties: { status: 'accepted' } }
    await execute(context, createEntity, decision)
    await execute(context, createEntity, { type: 'note', title: 'Wood?', tags: ['question'] })
    await execute(context, nextTask, { labels: ['floor'] })
    await execute(context, readyTasks, { limit: 1 })
    await execute(context, claimTask, { id: '2' })
    await execute(context, completeTask, { id: '2' })
    await execute(context, takeTask, {})
    await execute(context, getTask, { id: '3' })
    await execute(context, sendMessage, { body: 'done' })
    await execute(context, listMessages, {})
    await execute(context, listEvents, { since: 0 })
    await execute(context, searchByText, { query: 'oak floor' })
    await execute(context, searchByQuery, { query: 'oak floor' })
    await execute(context, showBrief, {})
    await execute(context, showBrief, { topic: 'oak' })
  })
  const questions = asked.filter((sql) => !/^\s*(?:PRAGMA|EXPLAIN)/i.test(sql))
  expect(questions.length).toBeGreaterThan(80)
  const connection = new Connection(databasePath(context.project?.state ?? ''), 'read')
  try {
    const scans = questions.flatMap((sql) => {
      const plan = connection.all<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`)
      const made = new Set(
        plan.map(({ detail }) => /^(?:CO-ROUTINE|MATERIALIZE) (\w+)/.exec(detail)?.[1]),
      )
      return plan.flatMap(({ detail }) => {
        const name = /^SCAN (\w+)/.exec(detail)?.[1]
        // Rows that the statement itself has made are few.
        if (name === undefined || (made.has(name) && !detail.includes('USING'))) return []
        if (!GROWING.includes(tableOf(sql, name))) return []
        const isCounted = /^\s*SELECT count\(\*\)/.test(sql) && detail.includes('COVERING INDEX')
        const isPage =
          /ORDER BY id(?: DESC)? LIMIT/.test(sql) ||
          (detail.includes(' INDEX ') && sql.includes('LIMIT'))
        return isCounted || isPage ? [] : [`${detail} in ${sql}`]
      })
    })
    expect(scans).toEqual([])
  } finally {
    connection.close()
  }
})
