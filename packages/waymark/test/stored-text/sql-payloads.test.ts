import { beforeAll, afterAll, describe, expect, it, vi } from 'vitest'
import * as z from 'zod'
import { createRandom } from '../../../baton/test/support/random.ts'
import { FAILURES, Failure } from '../../src/core/error.ts'
import { execute } from '../../src/core/execute.ts'
import type { Operation } from '../../src/core/operation.ts'
import { readReplica } from '../../src/sync/transfer/operations.ts'
import { joinAgent } from '../../src/agent/operations.ts'
import { createEntity } from '../../src/entity/operations.ts'
import { allOperations } from '../../src/registry.ts'
import { searchByText } from '../../src/search/operations.ts'
import { Connection } from '@waymark/sqlite'
import { databasePath } from '../../src/core/store/state-folder.ts'
import { SEED } from '../seed.ts'
import { type Setup, setup } from '../setup.ts'

const PAYLOADS = Number(process.env['WAYMARK_PAYLOADS'] ?? 500)
const NAME = 'zqpayload'

/** What ends a text, adds a statement, or means something to full-text search and LIKE. */
const PIECES = [
  `'`,
  `''`,
  `"`,
  '`',
  `]`,
  `;`,
  `--`,
  `/*`,
  `*/`,
  `)`,
  `' OR 1=1 --`,
  `" OR ""="`,
  `'; DROP TABLE entity; --`,
  `'); DELETE FROM entity; COMMIT; --`,
  `COMMIT; BEGIN; UPDATE entity SET title = 'x'`,
  `UNION SELECT name, sql FROM sqlite_master`,
  `ATTACH DATABASE 'x' AS y`,
  `PRAGMA writable_schema = 1`,
  `load_extension('x')`,
  `x' || (SELECT hex(randomblob(9))) || '`,
  `NEAR(a b, 5)`,
  `NEAR(`,
  `title : x`,
  `{title content} : y`,
  `^a`,
  `a*`,
  `*`,
  `AND`,
  `OR NOT`,
  `"unclosed`,
  `- + ( ) : ^`,
  `%`,
  `_`,
  `\\%`,
  `?1`,
  `:id`,
  `@p`,
  `$x`,
  `\\0`,
  `char(0)`,
]

function makePayloads(count: number): readonly string[] {
  const random = createRandom(SEED)
  return Array.from({ length: count }, (_, at) => {
    const parts = Array.from({ length: 1 + random.below(4) }, () => random.pick(PIECES))
    return `${parts.join(random.pick(['', ' ', ' '.repeat(3)]))}${NAME}${at}`
  })
}

interface Schema {
  readonly type?: string
  readonly properties?: Readonly<Record<string, Schema>>
  readonly items?: Schema
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly Schema[]
}

/** The input with a text in every place that takes one. */
function fill(schema: Schema, text: string): unknown {
  const choice = schema.anyOf?.find(({ type }) => type === 'string') ?? schema.anyOf?.[0]
  if (choice !== undefined) return fill(choice, text)
  if (schema.enum !== undefined) return schema.enum[0]
  if (schema.type === 'string') return text
  if (schema.type === 'array') return [fill(schema.items ?? {}, text)]
  if (schema.type !== 'object') return undefined
  const fields = Object.entries(schema.properties ?? {})
  return Object.fromEntries(fields.map(([name, field]) => [name, fill(field, text)]))
}

/** Each text field alone, and all of them together. */
function inputsFor({ input }: Operation, text: string): readonly object[] {
  const schema = z.toJSONSchema(input, { io: 'input', unrepresentable: 'any' }) as Schema
  const whole = fill(schema, text) as Record<string, unknown>
  const one = Object.entries(whole).filter(([, value]) => JSON.stringify(value)?.includes(NAME))
  return [whole, ...one.map(([name, value]) => ({ ...required(input), [name]: value }))]
}

function required(input: z.ZodObject): Record<string, unknown> {
  const names = ['id', 'from', 'to', 'task', 'path', 'query', 'topic', 'name', 'text']
  return Object.fromEntries(names.filter((name) => name in input.shape).map((name) => [name, '1']))
}

describe(`${PAYLOADS} texts that want to be SQL or operators of a search`, () => {
  const payloads = makePayloads(PAYLOADS)
  let project: Setup
  let before: string
  const asked = new Set<string>()
  const spies = (['get', 'all', 'run'] as const).map((name) => vi.spyOn(Connection.prototype, name))

  beforeAll(async () => {
    project = await setup()
    for (const type of ['note', 'decision', 'task']) {
      await execute(project.context, createEntity, { type, title: `a plain ${type}` })
    }
    await execute(project.context, searchByText, { query: 'plain' })
    // Reading messages joins, once, and a copy gathers the changes so far.
    await execute(project.context, joinAgent, {})
    await execute(project.context, readReplica, {})
    before = contents(project)
  })
  afterAll(async () => {
    for (const spy of spies) spy.mockRestore()
    await project[Symbol.asyncDispose]()
  })

  it('are literal in every text field of every operation that reads: nothing changes, nothing breaks [sql-payloads-literal-every]', async () => {
    const reading = (await allOperations()).filter(
      ({ effect, name }) => effect === 'read' && name !== 'event.wait' && !name.startsWith('code.'),
    )
    const broken: string[] = []
    let tried = 0
    for (const [at, payload] of payloads.entries()) {
      const operation = reading[at % reading.length]
      if (operation === undefined) continue
      for (const input of inputsFor(operation, payload)) {
        tried += 1
        const failed = await failureOf(project, operation, input)
        if (failed !== undefined)
          broken.push(`${operation.name} ${JSON.stringify(input)}: ${failed}`)
      }
      for (const spy of spies) {
        for (const [sql] of spy.mock.calls) asked.add(sql)
        spy.mockClear()
      }
    }
    expect(broken).toEqual([])
    expect(tried).toBeGreaterThan(PAYLOADS)
    expect(contents(project)).toBe(before)
    expect(asked.size).toBeGreaterThan(20)
    expect([...asked].filter((sql) => sql.includes(NAME))).toEqual([])
  })

  it('are found as what they are where they were stored', async () => {
    const titles = payloads.slice(0, 60)
    for (const title of titles) {
      await execute(project.context, createEntity, { type: 'note', title })
    }
    for (const query of titles) {
      const { results } = await execute(project.context, searchByText, { query, limit: 100 })
      expect(results.map(({ title }) => title)).toContain(query.trim())
    }
    const statements = spies.flatMap(({ mock }) => mock.calls.map(([sql]) => sql))
    expect(statements.filter((sql) => sql.includes(NAME))).toEqual([])
  })
})

/** What only our own mistake can answer with; a refusal is as good as a result. */
async function failureOf(
  project: Setup,
  operation: Operation,
  input: object,
): Promise<string | undefined> {
  try {
    await execute(project.context, operation, input)
    return undefined
  } catch (error) {
    if (!(error instanceof Failure)) return String(error)
    return FAILURES[error.code].http >= 500 ? `${error.code} ${error.message}` : undefined
  }
}

/** All that readers may not change: the others hold what the search has prepared and who has looked when. */
const TABLES =
  'project entity tag relation event task lease agent message op replica artifact document'.split(
    ' ',
  )

/** The schema and every row, as SQLite tells them. */
function contents({ context }: Setup): string {
  const connection = new Connection(databasePath(context.project?.state ?? ''), 'read')
  try {
    const tables = connection.all('SELECT name, sql FROM sqlite_master ORDER BY name')
    const rows = TABLES.map((table) => connection.all(`SELECT * FROM ${table} ORDER BY 1, 2`))
    return JSON.stringify([tables, rows])
  } finally {
    connection.close()
  }
}
