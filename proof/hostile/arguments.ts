import { appendFileSync, existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Failure } from '../../packages/waymark/src/core/error.ts'
import { execute } from '../../packages/waymark/src/core/execute.ts'
import { createEntity } from '../../packages/waymark/src/entity/operations.ts'
import { allOperations } from '../../packages/waymark/src/registry.ts'
import { createTask } from '../../packages/waymark/src/task/operations.ts'
import { openProject } from '../../packages/waymark/src/core/project/project.ts'
import { findDamage } from '../../packages/waymark/src/core/sqlite/inspect.ts'
import { Connection } from '@waymark/sqlite'
import type { Findings, Proof, Trial } from '../proof.ts'
import { contextOf } from '../system/agent.ts'
import { createFolder, type Folder } from '../system/folder.ts'
import { createRandom } from '../../packages/baton/test/support/random.ts'
import { createProject } from '../system/repository.ts'
import { FAULTY_OPERATIONS } from './faulty-operations.ts'
import { hostileCall } from './hostile-input.ts'
import { hostileTexts } from './payloads.ts'

const CALLS = { short: 1500, full: 5000 }
const CALLS_WITH_FAULT = 400
const SECRET = 'what lies outside of the project, or is Git’s or Waymark’s own in it'

/** What a text does that reaches the database as a statement. */
const INDEX_DROPPED = 'index_dropped'

/** Every operation is called with texts that have broken other programs, in every field. */
export const hostileArguments: Proof = {
  id: 'arguments',
  promise:
    'No argument runs a program, leaves the project, changes the schema or breaks an operation',
  unit: 'calls with hostile arguments',
  goal: 10_000,
  faults: [...Object.keys(FAULTY_OPERATIONS), INDEX_DROPPED],
  run: tryArguments,
}

async function tryArguments({ seed, level, fault }: Trial): Promise<Findings> {
  using project = await createProject()
  using scratch = createFolder()
  const canary = join(scratch.path, 'canary')
  using twin = plantTwin(project.path)
  plantOwn(project.path)
  await using open = await openProject(project.path)
  const context = contextOf(open, 'attacker')
  await execute(context, createEntity, { type: 'note', title: 'a note' })
  await execute(context, createTask, { title: 'a task' })
  const schema = readSchema(open.state)

  const random = createRandom(seed)
  const texts = hostileTexts(canary, join(twin.path, 'secret.txt'))
  const isFaulty = fault !== undefined && fault !== INDEX_DROPPED
  const operations = isFaulty ? [faulty(fault)] : await allOperations()
  const found = { programs_run: 0, leaks: 0, polluted: 0, crashes: 0 }
  let example: string | undefined
  const calls = fault === undefined ? CALLS[level] : CALLS_WITH_FAULT
  for (let call = 0; call < calls; call += 1) {
    const { operation, input } = hostileCall(operations, random.pick(texts), random)
    const answer = await answerOf(() => execute({ ...context, signal: soon() }, operation, input))
    const before = { ...found }
    if (answer.isCrash) found.crashes += 1
    if (answer.text.includes(SECRET)) found.leaks += 1
    if (existsSync(canary)) found.programs_run += 1
    if ('polluted' in {}) found.polluted += 1
    if (JSON.stringify(before) === JSON.stringify(found)) continue
    example ??= `${operation.name} ${JSON.stringify(input).slice(0, 500)}: ${answer.text.slice(0, 300)}`
    Reflect.deleteProperty(Object.prototype, 'polluted')
  }
  if (fault === INDEX_DROPPED) dropIndex(open.state)
  const damaged = (await findDamage(open.state)).length
  const schema_changes = readSchema(open.state) === schema ? 0 : 1
  return { tried: calls, violations: { ...found, damaged, schema_changes }, example }
}

function faulty(fault: string): (typeof FAULTY_OPERATIONS)[string] {
  const operation = FAULTY_OPERATIONS[fault]
  if (operation === undefined) throw new Error(`no operation is called ${fault}`)
  return operation
}

/** A folder beside the project whose path begins like the project's, and a link into it. */
function plantTwin(root: string): Folder {
  const path = `${root}-twin`
  mkdirSync(path)
  writeFileSync(join(path, 'secret.txt'), SECRET)
  symlinkSync(path, join(root, 'link-out'), 'junction')
  return {
    path,
    [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true, maxRetries: 10 }),
  }
}

/** What is in the project and for nobody to see. */
function plantOwn(root: string): void {
  appendFileSync(join(root, '.git/config'), `# ${SECRET}\n`)
  writeFileSync(join(root, '.git/waymark/http-secret'), SECRET)
  mkdirSync(join(root, 'part/.GIT'), { recursive: true })
  writeFileSync(join(root, 'part/.GIT/config'), SECRET)
  symlinkSync('.git', join(root, 'link-in'), 'junction')
}

/** Nothing that waits, waits for long. */
function soon(): AbortSignal {
  return AbortSignal.timeout(2000)
}

async function answerOf(call: () => Promise<unknown>): Promise<{ text: string; isCrash: boolean }> {
  try {
    return { text: JSON.stringify(await call()) ?? '', isCrash: false }
  } catch (error) {
    const isAnswer = error instanceof Failure && error.code !== 'internal'
    return { text: String(error), isCrash: !isAnswer }
  }
}

function dropIndex(state: string): void {
  const connection = new Connection(join(state, 'waymark.db'), 'write')
  connection.exec('DROP INDEX message_by_recipient')
  connection.close()
}

function readSchema(state: string): string {
  const connection = new Connection(join(state, 'waymark.db'), 'read')
  try {
    return JSON.stringify(connection.all('SELECT name, sql FROM sqlite_master ORDER BY name'))
  } finally {
    connection.close()
  }
}
