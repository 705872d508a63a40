import { createContext, type Context } from '../../packages/waymark/src/core/context.ts'
import { execute } from '../../packages/waymark/src/core/execute.ts'
import { openPool, openPostgres } from '../../packages/waymark/src/core/postgres/open.ts'
import type { Client } from '../../packages/waymark/src/core/postgres/pool.ts'
import {
  migrateProject,
  schemaOf,
  searchPath,
} from '../../packages/waymark/src/core/postgres/schema/schema.ts'
import { createStore } from '../../packages/waymark/src/core/store/store.ts'
import { getEntity, listEntities } from '../../packages/waymark/src/entity/operations.ts'
import { searchByText } from '../../packages/waymark/src/search/operations.ts'
import { SILENT } from '../../packages/waymark/src/support/logger.ts'
import { createTask } from '../../packages/waymark/src/task/operations.ts'
import { nextTask } from '../../packages/waymark/src/task/queue/operations.ts'
import { median, toRatio } from '../statistics.ts'

const SMALL = 10_000
const LARGE = Number(process.env['WAYMARK_ENTITIES'] ?? 1_000_000)
const ROUNDS = 30

/** Words that a text has one of: each is in a few texts of the small project and in as many of a hundred of the large one. */
const WORDS = 5_000

const READS: Readonly<Record<string, (context: Context, round: number) => Promise<unknown>>> = {
  'entity.get': (context, round) => execute(context, getEntity, { id: `#${round * 300 + 2}` }),
  'entity.list, 50': (context) => execute(context, listEntities, { limit: 50 }),
  'task.next': (context) => execute(context, nextTask, {}),
  'search, a rare word': (context, round) =>
    execute(context, searchByText, { query: `marker${round * 7}` }),
}

/** The same reads in a small project and in a large one, in turns. */
export async function measureGrowth(url: string): Promise<void> {
  const small = await createFilled(url, SMALL)
  const large = await createFilled(url, LARGE)
  console.log(`\nreads at ${LARGE} entities, beside ${SMALL} (median of ${ROUNDS} rounds)`)
  for (const [name, read] of Object.entries(READS)) {
    const times: [number[], number[]] = [[], []]
    for (let round = 0; round <= ROUNDS; round += 1) {
      for (const [at, { context }] of [small, large].entries()) {
        const started = performance.now()
        await read(context, round)
        if (round > 0) times[at === 0 ? 0 : 1].push(performance.now() - started)
      }
    }
    const [few, many] = times
    const figures = `${median(few).toFixed(2)} ms → ${median(many).toFixed(2)} ms`
    console.log(`  ${name.padEnd(22)} ${figures.padEnd(24)} x${toRatio(many, few).toFixed(1)}`)
  }
  for (const one of [small, large]) await one.close()
}

async function createFilled(url: string, entities: number) {
  const shared = openPool(url)
  const projectId = crypto.randomUUID()
  const name = `size-${projectId.slice(0, 13)}`
  await migrateProject(shared.pool, { projectId, createdAt: Date.now(), name })
  const store = createStore(await openPostgres(projectId, url))
  const context = createContext({
    store,
    agent: { name: 'reader', surface: 'http', owner: 'team' },
    logger: SILENT,
  })
  const content = 'What there is to do, and how one sees that it is done.'
  await execute(context, createTask, { title: 'Make a part of the parser', content })
  await shared.pool.use((client) => fill(client, schemaOf(projectId), entities))
  return {
    context,
    close: async () => {
      await store.close()
      await shared[Symbol.asyncDispose]()
    },
  }
}

/** Rows of a task that was created by its operation, over and over, with other ids, numbers and words. */
async function fill(client: Client, schema: string, entities: number): Promise<void> {
  await client.query('BEGIN')
  await client.query("SELECT set_config('search_path', $1, true)", [searchPath(schema)])
  await client.query(`CREATE TEMP TABLE made ON COMMIT DROP AS
    SELECT n, gen_random_uuid()::text AS id FROM generate_series(2, ${entities}) AS n`)
  const copies: Readonly<Record<string, Readonly<Record<string, string>>>> = {
    entity: { id: 'made.id', number: 'made.n', title: `one.title || ' ' || made.n` },
    task: { id: 'made.id', number: 'made.n' },
    document: { id: 'made.n', ref: 'made.id', position: 'made.n' },
    document_term: {
      rowid: 'made.n',
      terms: `one.terms || array_to_tsvector(ARRAY['marker' || made.n % ${WORDS}])`,
    },
  }
  for (const [table, changed] of Object.entries(copies)) {
    const { rows } = await client.query<{ name: string }>(
      `SELECT column_name AS name FROM information_schema.columns
        WHERE table_schema = $1 AND table_name = $2`,
      [schema, table],
    )
    const names = rows.map(({ name }) => name)
    const values = names.map((name) => changed[name] ?? `one.${name}`)
    await client.query(`INSERT INTO ${table} (${names.join(', ')})
      SELECT ${values.join(', ')} FROM made, (SELECT * FROM ${table} LIMIT 1) AS one`)
  }
  await client.query(`UPDATE counter SET value = ${entities}
    WHERE name IN ('entity', 'document', 'entities task todo')`)
  await client.query('COMMIT')
  await client.query(
    `ANALYZE ${Object.keys(copies)
      .map((table) => `"${schema}".${table}`)
      .join(', ')}`,
  )
}
