// Where the CPU time of everyday calls goes: by part, from V8's sampling profiler, and as a ratio to a floor that runs the
// same statements with the same values and the same flushes on a copy of the same database, without Waymark.
import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { MemoryClient } from '@waymark/baton'
import { Connection } from '@waymark/sqlite'
import {
  initialiseProject,
  type OpenProject,
  openProject,
} from '../packages/waymark/src/core/project/project.ts'
import { type Part, profileParts } from './profile/parts.ts'
import { recordStatements, replay } from './profile/statements.ts'
import { serveInMemory } from './served.ts'

const CALLS = Number(process.env['WAYMARK_CALLS'] ?? 300)
const ENTITIES = Number(process.env['WAYMARK_ENTITIES'] ?? 2_000)
const WARM_UP = 60
const WORDS =
  'cache lease queue token parser schema retry socket branch deploy invoice voucher'.split(' ')

type Call = (number: number) => readonly [tool: string, args: Record<string, unknown>]

/** In this order: what is created is claimed, and what is claimed is completed. */
const EVERYDAY: Readonly<Record<string, Call>> = {
  remember: (at) => ['remember', { type: 'note', title: titleOf(at), content: textOf(at) }],
  create: (at) => ['task_create', { tasks: [{ title: titleOf(at), content: textOf(at) }] }],
  claim: (at) => ['task_next', { id: `T${at}`, claim: true }],
  complete: (at) => ['task_update', { ids: [`T${at}`], action: 'complete' }],
  brief: () => ['brief', {}],
  recall: (at) => ['recall', { query: `${wordOf(at)} ${wordOf(at * 5 + 1)}` }],
}

const folder = mkdtempSync(join(tmpdir(), 'waymark-profile-'))
try {
  await run()
} finally {
  rmSync(folder, { recursive: true, force: true, maxRetries: 10 })
}

async function run(): Promise<void> {
  const directory = join(folder, 'project')
  mkdirSync(join(directory, '.waymark'), { recursive: true })
  await initialiseProject(directory)
  const project = await openProject(directory)
  const { store, root, state } = project
  const client = await serveInMemory({ store, project: { root, state } })
  await fill(client)
  console.log(`${CALLS} calls each, ${ENTITIES} entities. CPU time of one call in microseconds.`)
  for (const [name, call] of Object.entries(EVERYDAY)) await measure(name, call, project, client)
  client.close()
  await project[Symbol.asyncDispose]()
}

async function measure(
  name: string,
  call: Call,
  project: OpenProject,
  client: MemoryClient,
): Promise<void> {
  for (let at = 0; at < WARM_UP; at += 1) await ask(client, call(at))
  const copy = copyDatabase(project, name)
  const recording = recordStatements()
  const own = await cpuOf(async () => {
    for (let at = WARM_UP; at < WARM_UP + CALLS; at += 1) await ask(client, call(at))
  })
  const statements = recording.stop()
  const floor = await cpuOf(async () => replay(copy, statements))
  const parts = await profileParts(async () => {
    for (let at = WARM_UP + CALLS; at < WARM_UP + 2 * CALLS; at += 1) await ask(client, call(at))
  })
  print(name, { own, floor, statements: statements.length / CALLS, parts })
}

interface Measured {
  readonly own: number
  readonly floor: number
  readonly statements: number
  readonly parts: readonly Part[]
}

function print(name: string, { own, floor, statements, parts }: Measured): void {
  const each = (value: number) => String(Math.round(value / CALLS)).padStart(7)
  console.log(
    `\n${name}:${each(own)}, floor${each(floor)}, ratio ${(own / floor).toFixed(2)}, ` +
      `${statements.toFixed(1)} statements`,
  )
  const total = parts.reduce((sum, { script, sql }) => sum + script + sql, 0)
  const share = (value: number) => String(Math.round((own * value) / total / CALLS)).padStart(8)
  console.log(`  ${'part'.padEnd(28)}  script     SQL`)
  for (const { part, script, sql } of parts) {
    console.log(`  ${part.padEnd(28)}${share(script)}${share(sql)}`)
  }
}

/** Microseconds of CPU time, in all threads. */
async function cpuOf(work: () => Promise<void>): Promise<number> {
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return user + system
}

function copyDatabase({ state }: OpenProject, name: string): string {
  const path = join(state, 'waymark.db')
  const connection = new Connection(path, 'write')
  connection.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  connection.close()
  const copy = join(folder, `${name}.db`)
  copyFileSync(path, copy)
  return copy
}

/** Tasks with the keys that are claimed and completed, and notes. */
async function fill(client: MemoryClient): Promise<void> {
  const count = WARM_UP + 2 * CALLS
  for (let at = 0; at < Math.max(ENTITIES, count); at += 40) {
    const tasks = Array.from({ length: 40 }, (_, n) => ({
      title: titleOf(at + n),
      content: textOf(at + n),
      ...(at + n < count && { key: `T${at + n}` }),
    }))
    await ask(client, ['task_create', { tasks }])
  }
}

async function ask(client: MemoryClient, [name, args]: ReturnType<Call>): Promise<void> {
  const answer = await client.request('tools/call', { name, arguments: args })
  if (!('result' in answer) || 'isError' in (answer.result as object))
    throw new Error(`${name}: ${JSON.stringify(answer)}`)
}

function wordOf(at: number): string {
  return WORDS[at % WORDS.length] ?? ''
}

function titleOf(at: number): string {
  return `${wordOf(at)} ${wordOf(at * 7 + 3)} ${at}`
}

function textOf(at: number): string {
  return Array.from({ length: 30 }, (_, n) => wordOf(at * 3 + n * n)).join(' ')
}
