// Makes all kinds of changes as fast as it can and says on standard output which of them were acknowledged.
import { writeSync } from 'node:fs'
import type { Context } from '../../packages/waymark/src/core/context.ts'
import { Failure } from '../../packages/waymark/src/core/error.ts'
import { execute } from '../../packages/waymark/src/core/execute.ts'
import { addArtifact } from '../../packages/waymark/src/artifact/operations.ts'
import { annotateCode } from '../../packages/waymark/src/annotation/write/annotate.ts'
import { createEntity, updateEntity } from '../../packages/waymark/src/entity/operations.ts'
import { sendMessage } from '../../packages/waymark/src/message/operations.ts'
import { claimTask } from '../../packages/waymark/src/task/lease/operations.ts'
import { createTask } from '../../packages/waymark/src/task/operations.ts'
import { openProject } from '../../packages/waymark/src/core/project/project.ts'
import { createRandom } from '../../packages/baton/test/support/random.ts'
import { contextOf } from '../system/agent.ts'
import type { Acknowledgement, Refusal } from './acknowledgement.ts'
import { type DurabilityFault, withDurabilityFault } from './faults.ts'

export interface WriterAssignment {
  readonly directory: string
  readonly name: string
  readonly seed: number
  readonly writes: number
  /** Also writes into Git, which takes longer. */
  readonly notes: boolean
  readonly fault?: DurabilityFault | undefined
}

const WRITES_BEFORE_BREAKING = 3

const assignment = JSON.parse(process.argv[2] ?? '') as WriterAssignment
try {
  await work(assignment)
} catch (error) {
  // The store could not be opened, and says why. Anything else is a crash.
  if (!(error instanceof Failure) || error.code === 'internal') throw error
  report({ refused: error.code })
}

async function work({
  directory,
  name,
  seed,
  writes,
  notes,
  fault,
}: WriterAssignment): Promise<void> {
  await using project = await openProject(directory)
  const { store } = project
  const context = {
    ...contextOf(project, name),
    store: fault === undefined ? store : withDurabilityFault(store, fault),
  }
  const random = createRandom(seed)
  const kinds = ['create', 'create', 'update', 'task', 'claim', 'message', 'artifact'] as const
  const own: Own = { note: await makeNote(context, name), tasks: [] }
  let hasGivenUp = false
  for (let n = 1; n <= writes; n += 1) {
    if (fault === 'breaks_down' && n === WRITES_BEFORE_BREAKING) throw new TypeError('planted')
    const kind = notes && random.below(20) === 0 ? 'note' : random.pick(kinds)
    const line = hasGivenUp
      ? { refused: 'given up' }
      : await attempt(() => change(context, kind, own, n), fault)
    if (fault === 'gives_up' && 'refused' in line) hasGivenUp = true
    report(line)
  }
}

/** What this writer alone changes, so that its last acknowledged change must be what is there. */
interface Own {
  readonly note: string
  /** Made by it and not claimed yet. */
  readonly tasks: string[]
}

async function makeNote(context: Context, name: string): Promise<string> {
  const { id } = await execute(context, createEntity, { type: 'note', title: `own of ${name}` })
  return id
}

type Kind = Acknowledgement['kind']

async function change(context: Context, kind: Kind, own: Own, n: number): Promise<Acknowledgement> {
  switch (kind) {
    case 'create': {
      const title = `note ${n} of ${context.agent.name}`
      const { id } = await execute(context, createEntity, { type: 'note', title })
      return { kind, id, text: title }
    }
    case 'update':
      await execute(context, updateEntity, { id: own.note, content: String(n) })
      return { kind, id: own.note, count: n }
    case 'claim': {
      const id = own.tasks.pop()
      if (id === undefined) return await change(context, 'task', own, n)
      const { lease } = await execute(context, claimTask, { id })
      return { kind, id, count: lease.fence }
    }
    case 'task': {
      const title = `task ${n} of ${context.agent.name}`
      const { task } = await execute(context, createTask, { title })
      own.tasks.push(task.id)
      return { kind, id: task.id, text: title }
    }
    case 'message': {
      const body = `message ${n} of ${context.agent.name}`
      const { message } = await execute(context, sendMessage, { body })
      return { kind, id: String(message.id), text: body }
    }
    case 'artifact': {
      // Every third content is one that others store too, perhaps at this moment.
      const text = n % 3 === 0 ? `content ${n}` : `content ${n} of ${context.agent.name} `.repeat(n)
      const { id, hash } = await execute(context, addArtifact, { text, name: `${n}.txt` })
      return { kind, id, text: hash }
    }
    case 'note': {
      const summary = `annotation ${n} of ${context.agent.name}`
      const { record } = await execute(context, annotateCode, { summary })
      return { kind, id: record, text: summary }
    }
  }
}

async function attempt(
  action: () => Promise<Acknowledgement>,
  fault: DurabilityFault | undefined,
): Promise<Acknowledgement | Refusal> {
  try {
    return await action()
  } catch (error) {
    if (!(error instanceof Failure) || error.code === 'internal') throw error
    // The mistake of a program that takes an error for a detail.
    if (fault === 'error_ignored') return { kind: 'create', id: 'never made', text: error.code }
    return { refused: error.code }
  }
}

function report(line: Acknowledgement | Refusal): void {
  writeSync(1, `${JSON.stringify(line)}\n`)
}
