// How everyday calls grow with the project: the CPU time of each at 10,000 and at 1,000,000 entities, with five events for
// each and an annotation for every tenth, as a ratio of their p95. The sizes take turns in one process.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { MemoryClient } from '@waymark/baton'
import { Connection } from '@waymark/sqlite'
import { createContext } from '../packages/waymark/src/core/context.ts'
import { execute } from '../packages/waymark/src/core/execute.ts'
import { initialiseProject, openProject } from '../packages/waymark/src/core/project/project.ts'
import { databasePath } from '../packages/waymark/src/core/store/state-folder.ts'
import { checkStore } from '../packages/waymark/src/integrity/operations.ts'
import { SILENT } from '../packages/waymark/src/support/logger.ts'
import { generate } from './scale/generate.ts'
import { createRepository, pathOf } from './scale/repository.ts'
import { wordAt } from './scale/words.ts'
import { serveInMemory } from './served.ts'
import { quantile } from './statistics.ts'
import { inTurn } from './turns.ts'

const SIZES = [
  Number(process.env['WAYMARK_SMALL'] ?? 10_000),
  Number(process.env['WAYMARK_ENTITIES'] ?? 1_000_000),
]
const ROUNDS = Number(process.env['WAYMARK_ROUNDS'] ?? 60)
const WARM_UP = 10
const TASKS_OF_A_RUN = 40
const ENTITIES_PER_ANNOTATION = 10
const LARGEST_RATIO = 3
const LARGEST_ENTITY = 3 * 1024
/** Calls that may time out while notes are copied. */
const MOST_COPIES = 60
/** All of the larger one would take an hour to check, and the same code made both. */
const LARGEST_CHECKED = 10_000

type Call = readonly [tool: string, args: Readonly<Record<string, unknown>>]

/** Retention takes its turn once in a hundred events. */
const WRITES = 1_100
/** Microseconds. */
const LONGEST_WRITE = 50_000

/** In this order: what is claimed is completed. */
const CALLS: Readonly<Record<string, (round: number) => Call>> = {
  remember,
  task_create: (at) => ['task_create', { tasks: [{ title: `Do ${at}`, content: textOf(at) }] }],
  'claim the next': () => ['task_next', { claim: true }],
  'claim by number': (at) => ['task_next', { id: String(openTask(at)), claim: true }],
  complete: (at) => ['task_update', { ids: [String(openTask(at))], action: 'complete' }],
  'tasks by label': (at) => ['task_next', { labels: [`area-${at % 50}`] }],
  task_get: (at) => ['task_get', { ids: [String(openTask(at + TASKS_OF_A_RUN))] }],
  'recall, a rare word': (at) => ['recall', { query: wordAt(15_000 + at) }],
  'recall, a common word': (at) => ['recall', { query: wordAt(at % 20) }],
  'recall, three words': (at) => [
    'recall',
    { query: `${wordAt(at)} ${wordAt(900 + at)} ${wordAt(9_000 + at)}` },
  ],
  brief: () => ['brief', {}],
  code_why: (at) => ['code_why', { path: pathOf(at) }],
}

/** Where projects are kept for the next run, as making the larger one takes long. */
const KEPT = process.env['WAYMARK_FOLDER']
/** Each completes some tasks of the projects that it finds. */
const earlierRuns = KEPT === undefined ? 0 : countRuns(join(KEPT, 'runs'))
const folder = KEPT ?? mkdtempSync(join(tmpdir(), 'waymark-scale-'))
try {
  await run()
} finally {
  if (KEPT === undefined) rmSync(folder, { recursive: true, force: true, maxRetries: 10 })
}

async function run(): Promise<void> {
  const projects = []
  for (const size of SIZES) projects.push(await fill(size))
  console.log(`\nCPU time of a call (${ROUNDS} rounds)`)
  for (const [name, call] of Object.entries(CALLS)) {
    const samples = SIZES.map((): number[] => [])
    for (let round = -WARM_UP; round < ROUNDS; round += 1) {
      for (const [at, { client }] of inTurn([...projects.entries()], Math.max(round, 0))) {
        const took = await cpuOf(() => ask(client, call(round + WARM_UP)))
        if (round >= 0) samples[at]?.push(took)
      }
    }
    const [first = 0, ...others] = samples.map((each) => quantile(each, 0.95))
    const ratio = (others.at(-1) ?? first) / first
    const columns = samples.map(
      (each) => `p50 ${toMs(quantile(each, 0.5))} p95 ${toMs(quantile(each, 0.95))}`,
    )
    const verdict = ratio < LARGEST_RATIO ? '' : '  TOO MUCH'
    console.log(`  ${name.padEnd(22)} ${columns.join(' → ')}  ×${ratio.toFixed(2)}${verdict}`)
  }
  console.log(
    `\nthe longest of ${WRITES} notes that are remembered, CPU time, retention of events included`,
  )
  for (const { entities, client } of projects) {
    let longest = 0
    for (let at = 0; at < WRITES; at += 1) {
      const took = await cpuOf(() => ask(client, remember(at)))
      longest = Math.max(longest, took)
    }
    const verdict = longest < LONGEST_WRITE ? '' : '  TOO MUCH'
    console.log(`  ${String(entities).padEnd(10)} ${toMs(longest)}${verdict}`)
  }
  for (const { close } of projects) await close()
}

/** How many runs there were before, and counts this one. */
function countRuns(file: string): number {
  const runs = existsSync(file) ? Number(readFileSync(file, 'utf8')) : 0
  writeFileSync(file, String(runs + 1))
  return runs
}

interface Filled {
  readonly entities: number
  readonly client: MemoryClient
  readonly close: () => Promise<void>
}

async function fill(entities: number): Promise<Filled> {
  const directory = join(folder, String(entities))
  const annotations = Math.round(entities / ENTITIES_PER_ANNOTATION)
  if (!existsSync(directory)) await make(directory, entities, annotations)
  const project = await openProject(directory)
  const { store, root, state, code } = project
  const client = await serveInMemory({ store, project: { root, state }, code })
  await copyNotes(client)
  // Earlier runs on a folder that is kept have added some.
  const counts = await store.entities.counts()
  const bytes = sizeOf(state) / [...counts.values()].reduce((sum, count) => sum + count, 0)
  console.log(
    `${entities} entities, ${entities * 5} events, ${annotations} annotations: ` +
      `${Math.round(bytes)} bytes each${bytes < LARGEST_ENTITY ? '' : '  TOO MUCH'}`,
  )
  return {
    entities,
    client,
    close: async () => {
      client.close()
      await project[Symbol.asyncDispose]()
    },
  }
}

/** Bytes of a database, those that are still in its log included. */
function sizeOf(state: string): number {
  const connection = new Connection(databasePath(state), 'read')
  const pragma = (name: 'page_count' | 'page_size'): number =>
    connection.get<Record<string, number>>(`PRAGMA ${name}`)?.[name] ?? 0
  try {
    return pragma('page_count') * pragma('page_size')
  } finally {
    connection.close()
  }
}

async function make(directory: string, entities: number, annotations: number): Promise<void> {
  mkdirSync(join(directory, '.waymark'), { recursive: true })
  execFileSync('git', ['init', '--quiet', '--initial-branch=main', directory])
  await initialiseProject(directory)
  const { state } = await withProject(directory)
  const start = performance.now()
  const ids = generate(databasePath(state), entities)
  createRepository(directory, annotations, ids)
  console.log(`made in ${((performance.now() - start) / 1000).toFixed(0)} s`)
  if (entities <= LARGEST_CHECKED) await check(directory)
}

/** The first read copies the notes into the store. A call that times out leaves the rest to the next one. */
async function copyNotes(client: MemoryClient): Promise<void> {
  for (let left = MOST_COPIES; left > 0; left -= 1) {
    const params = { name: 'code_why', arguments: { path: pathOf(0) } }
    const answer = await client.request('tools/call', params)
    if ('result' in answer && !('isError' in (answer.result as object))) return
  }
  throw new Error('the notes could not be copied')
}

/** Throws unless the rows are as Waymark writes them. */
async function check(directory: string): Promise<void> {
  await using project = await openProject(directory)
  const context = createContext({
    store: project.store,
    project: { root: project.root, state: project.state },
    code: project.code,
    agent: { name: 'bench', surface: 'api' },
    logger: SILENT,
  })
  const { ok, checks } = await execute(context, checkStore, {})
  const failed = checks.filter(({ status }) => status === 'failed')
  if (!ok) throw new Error(failed.map(({ name, message }) => `${name}: ${message}`).join('\n'))
}

/** Opens and closes it, so that its database is there. */
async function withProject(directory: string): Promise<{ readonly state: string }> {
  await using project = await openProject(directory)
  return { state: project.state }
}

async function ask(client: MemoryClient, [name, args]: Call): Promise<void> {
  const answer = await client.request('tools/call', { name, arguments: args })
  if (!('result' in answer) || 'isError' in (answer.result as object))
    throw new Error(`${name}: ${JSON.stringify(answer)}`)
}

/** Microseconds of CPU time in all threads. */
async function cpuOf(work: () => Promise<void>): Promise<number> {
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return user + system
}

function remember(at: number): Call {
  return ['remember', { type: 'note', title: `Noted ${at}`, content: textOf(at) }]
}

/** The number of an open task that is not blocked and that no earlier run has completed. */
function openTask(at: number): number {
  // Of index 60n + 14, which is no multiple of three or five.
  return 60 * (at + TASKS_OF_A_RUN * earlierRuns) + 14 + 1
}

function textOf(at: number): string {
  return Array.from({ length: 30 }, (_, n) => wordAt((at * 31 + n * n) % 5_000)).join(' ')
}

function toMs(microseconds: number): string {
  return `${(microseconds / 1000).toFixed(2)} ms`
}
