import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { execute } from '../../packages/waymark/src/execute.ts'
import { createEntity } from '../../packages/waymark/src/operations/entities.ts'
import { sendMessage } from '../../packages/waymark/src/operations/messages.ts'
import { checkStore } from '../../packages/waymark/src/operations/store-check.ts'
import { createTask } from '../../packages/waymark/src/operations/tasks.ts'
import { initialiseProject, openProject } from '../../packages/waymark/src/project.ts'
import { findDamage } from '../../packages/waymark/src/store/inspect.ts'
import { locateProject } from '../../packages/waymark/src/store/project.ts'
import type { Store } from '../../packages/waymark/src/store/store.ts'
import type { Findings, Proof, Trial } from '../proof.ts'
import { contextOf } from '../system/agent.ts'
import { createRandom, type Random } from '../../packages/baton/test/support/random.ts'
import { createProject } from '../system/repository.ts'

const ENTITIES = 60
const DAMAGES = { short: 60, full: 500 }
const DAMAGES_WITH_FAULT = 12

/** A store is damaged in one of many ways, and opened and read as if nothing had happened. */
export const damage: Proof = {
  id: 'damage',
  promise:
    'Damaged knowledge is noticed or unharmed; it is never served as good and never begun anew',
  unit: 'damaged stores',
  goal: 1000,
  faults: ['begins_anew'],
  run: tryDamage,
}

async function tryDamage({ seed, level, fault }: Trial): Promise<Findings> {
  using project = await createProject()
  const state = locateProject(project.path)?.stateDir ?? ''
  const good = await fill(project.path)
  const kept = `${state}-kept`
  cpSync(state, kept, { recursive: true })
  const random = createRandom(seed)
  const found = { refused: 0, found_by_check: 0, harmless: 0, undetected: 0 }
  let example: string | undefined
  const damages = fault === undefined ? DAMAGES[level] : DAMAGES_WITH_FAULT
  for (let n = 0; n < damages; n += 1) {
    rmSync(state, { recursive: true })
    cpSync(kept, state, { recursive: true })
    const what = harm(join(state, 'waymark.db'), random)
    if (fault !== undefined) await beginAnew(project.path, state)
    const outcome = await look(project.path, good)
    found[outcome] += 1
    if (outcome === 'undetected') example ??= what
  }
  const { undetected, ...counts } = found
  return { tried: damages, violations: { undetected }, counts, example }
}

async function fill(directory: string): Promise<string> {
  await using project = await openProject(directory)
  const context = contextOf(project, 'writer')
  for (let n = 0; n < ENTITIES; n += 1) {
    const content = `Text number ${n}. `.repeat(20)
    await execute(context, createEntity, { type: 'note', title: `note ${n}`, content })
    if (n % 4 === 0) await execute(context, createTask, { title: `task ${n}` })
    if (n % 4 === 1) await execute(context, sendMessage, { body: `message ${n}` })
  }
  return await readAll(project.store)
}

async function readAll(store: Store): Promise<string> {
  const entities = await store.entities.after(0, 10 * ENTITIES)
  // Events are kept once: a letter that changes inside of one cannot be told from another text.
  const events = await store.events.after(0, { limit: 10 * ENTITIES })
  return JSON.stringify({ entities, events: events.map(({ id }) => id) })
}

type Outcome = 'refused' | 'found_by_check' | 'harmless' | 'undetected'

async function look(directory: string, good: string): Promise<Outcome> {
  try {
    await using project = await openProject(directory)
    const seen = await readAll(project.store)
    if (seen === good) return 'harmless'
    if ((await findDamage(project.state)).length > 0) return 'found_by_check'
    const { ok } = await execute(contextOf(project, 'doctor'), checkStore, {})
    return ok ? 'undetected' : 'found_by_check'
  } catch {
    return 'refused'
  }
}

/** What a program does that takes an unreadable store for a missing one. */
async function beginAnew(directory: string, state: string): Promise<void> {
  try {
    await using project = await openProject(directory)
    if ((await findDamage(project.state)).length === 0) return
  } catch {
    // That is what this mistake is about.
  }
  rmSync(state, { recursive: true })
  await initialiseProject(directory)
}

/** Damages a file and says how. */
function harm(path: string, random: Random): string {
  const bytes = readFileSync(path)
  const at = random.below(bytes.length)
  const length = 1 + random.below(64)
  const way = random.pick(['flip', 'flip', 'garbage', 'page of zeros', 'cut', 'empty', 'foreign'])
  switch (way) {
    case 'flip':
      bytes[at] = (bytes[at] ?? 0) ^ (1 << random.below(8))
      break
    case 'garbage':
      for (let n = at; n < Math.min(at + length, bytes.length); n += 1) bytes[n] = random.below(256)
      break
    case 'page of zeros':
      bytes.fill(0, at - (at % 4096), at - (at % 4096) + 4096)
      break
    case 'cut':
      writeFileSync(path, bytes.subarray(0, at))
      return `cut at ${at}`
    case 'empty':
      writeFileSync(path, '')
      return 'empty'
    default:
      writeFileSync(path, 'a text that is no database\n'.repeat(400))
      return 'another file in its place'
  }
  writeFileSync(path, bytes)
  return `${way} at ${at}`
}
