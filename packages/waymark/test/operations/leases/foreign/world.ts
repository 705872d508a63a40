import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { type Agent, createContext } from '../../../../src/core/context.ts'
import { execute } from '../../../../src/core/execute.ts'
import { joinAgent } from '../../../../src/agent/operations.ts'
import { addArtifact } from '../../../../src/artifact/operations.ts'
import { exportBackup } from '../../../../src/backup/operations.ts'
import { annotateCode } from '../../../../src/annotation/write/annotate.ts'
import { createEntity, updateEntity } from '../../../../src/entity/operations.ts'
import { ownerOf } from '../../../../src/task/lease/guard.ts'
import { claimTask } from '../../../../src/task/lease/operations.ts'
import { completeTask } from '../../../../src/task/state/operations.ts'
import { createTask, updateTask } from '../../../../src/task/operations.ts'
import type { LeaseRow } from '../../../../src/task/lease/store.ts'
import type { RelationRow } from '../../../../src/relation/store.ts'
import type { FoundRow } from '../../../../src/sync/merge/rows-store.ts'
import type { Store, StoreTransaction } from '../../../../src/core/store/store.ts'
import { createReplica, useStore } from '../../../replica/replicas.ts'
import { type Setup, setup, START } from '../../../setup.ts'
import type { Callable } from './callables.ts'
import type { Names } from './inputs.ts'
import { toAgentId } from '../../../../src/agent/agent.ts'
import { toEntityId } from '../../../../src/entity/entity-id.ts'

/** A project with one task that everything is tried on. */
export interface World {
  readonly project: Setup
  readonly taskId: string
  readonly names: Names
  /** Id of an artifact, if there is one, and numbers of two decisions. */
  readonly artifact: string
  readonly decisions: readonly string[]
  /** From here on an agent holds the task. */
  hold(): Promise<void>
  /** Everything that is the task's own, as a transaction sees it. */
  look(tx: StoreTransaction): Promise<Sight>
  isChanged(tx: StoreTransaction, before: Sight): Promise<boolean>
}

interface Sight {
  readonly task: FoundRow | undefined
  readonly lease: LeaseRow | undefined
  readonly relations: readonly RelationRow[]
}

export const PLANNER = 'planner'
export const BACKUP = 'backup.jsonl'
/** A file that is committed and annotated. */
export const CODE = 'code.ts'
const EXTERNAL_ID = 'bd-1'

/** `isWhole`: also with what only operations outside the store need, such as code and backups. */
export async function createWorld({ isWhole }: { readonly isWhole: boolean }): Promise<World> {
  const project = await setup()
  const planner = project.as(PLANNER)
  const create = async (input: object) =>
    (await execute(planner, createTask, { title: 'another task', ...input })).task
  const task = await create({
    title: 'the task',
    content: 'what is to be done',
    labels: ['x'],
    locks: ['src/**'],
    external_ref: `beads:${EXTERNAL_ID}`,
  })
  const [blocker, whole] = [await create({}), await create({})]
  await execute(planner, createEntity, { type: 'note', title: 'N', relations: ['documents:1'] })
  await execute(planner, completeTask, { id: blocker.id })
  const edit = { title: 'the task, renamed', add_depends_on: [blocker.id], parent: whole.id }
  await execute(planner, updateTask, { id: task.id, ...edit })
  const decisions = []
  for (const title of ['old', 'new']) {
    decisions.push(await execute(planner, createEntity, { type: 'decision', title }))
  }
  const { agent } = await execute(project.as('bob'), joinAgent, { name: 'bob' })
  await planner.store.write((tx) =>
    tx.jobs.insert({ kind: 'check', startedBy: null, process: 'elsewhere', startedAt: 0 }),
  )
  plantImport(project.directory)
  if (isWhole) await plantBackup(project, task.id)
  return {
    project,
    taskId: task.id,
    names: { tasks: [task, blocker, whole].map(({ number }) => String(number)), agent: agent.id },
    artifact: isWhole ? await plantCode(project) : '',
    decisions: decisions.map(({ number }) => String(number)),
    hold: async () => void (await execute(project.as('ada'), claimTask, { id: task.id })),
    look: (tx) => look(tx, task.id),
    isChanged: (tx, before) => isChanged(tx, task.id, before),
  }
}

/** A commit with an annotation, and an artifact, whose id is answered. */
async function plantCode({ directory, context }: Setup): Promise<string> {
  writeFileSync(join(directory, CODE), 'export const answer = 42\n')
  const identity = ['-c', 'user.email=test@example.com']
  const git = (...args: string[]) => execFileSync('git', ['-C', directory, ...identity, ...args])
  git('add', CODE)
  git('commit', '--quiet', '-m', 'an example')
  const regions = [{ file: CODE, intent: 'an example' }]
  await execute(context, annotateCode, { summary: 'an example', regions })
  return (await execute(context, addArtifact, { text: 'an artifact' })).id
}

/** The task as another tool has it: closed. */
function plantImport(directory: string): void {
  mkdirSync(join(directory, '.beads'))
  const issue = { id: EXTERNAL_ID, title: 'imported', status: 'closed', priority: 1 }
  writeFileSync(join(directory, '.beads/issues.jsonl'), `${JSON.stringify(issue)}\n`)
}

/** The task as it was changed in another clone. */
async function plantBackup({ context, directory }: Setup, id: string): Promise<void> {
  await using other = await createReplica('other')
  await other.takeIn(await useStore(context.store, 'other').lines())
  other.tick(1000)
  await other.run(updateEntity, { id, title: 'restored', properties: { status: 'done' } })
  const { store, logger } = other.context
  const agent = { name: 'other', surface: 'cli' } as const
  const there = createContext({ store, logger, agent, project: { root: directory } })
  await execute(there, exportBackup, { path: BACKUP })
}

async function look(tx: StoreTransaction, id: string): Promise<Sight> {
  const relations = await tx.relations.of(toEntityId(id), 'both')
  return {
    task: await tx.replica.rows.find(toEntityId(id)),
    lease: await tx.leases.of(toEntityId(id)),
    relations: relations.filter((relation) => ownerOf(relation) === id),
  }
}

/** A relation that went with the entity at its other end is no change of the task. */
async function isChanged(tx: StoreTransaction, id: string, before: Sight): Promise<boolean> {
  const { relations, ...now } = await look(tx, id)
  const expected = []
  for (const relation of before.relations) {
    const other = relation.sourceId === id ? relation.targetId : relation.sourceId
    if ((await tx.entities.byId(other)) !== undefined) expected.push(relation)
  }
  const { relations: _, ...once } = before
  return !isDeepStrictEqual([now, relations], [once, expected])
}

/** Thrown to undo what was tried. */
class Discarded extends Error {}

/** The same store, which keeps nothing: what a write would have left of the task is told to `onSeen` instead. */
export function discarding(
  store: Store,
  world: Pick<World, 'look' | 'isChanged'>,
  onSeen: (isChanged: boolean) => void,
): Store {
  return {
    ...store,
    async write<T>(work: (tx: StoreTransaction) => Promise<T>): Promise<T> {
      let done: { readonly output: T } | undefined
      try {
        await store.write(async (tx) => {
          const before = await world.look(tx)
          done = { output: await work(tx) }
          onSeen(await world.isChanged(tx, before))
          throw new Discarded()
        })
      } catch (error) {
        if (!(error instanceof Discarded)) throw error
      }
      if (done === undefined) throw new Error('nothing was tried')
      return done.output
    },
  }
}

/** An agent other than the holder, as each surface presents it, and a person who uses no force. */
const FOREIGNERS: readonly Agent[] = [
  { name: 'bob', surface: 'api' },
  { name: 'bob', surface: 'cli' },
  { name: 'bob', surface: 'mcp', id: toAgentId('A0000001') },
  { name: 'bob', surface: 'http', id: toAgentId('A0-1') },
  // The same host as the holder's, in another connection.
  { name: 'ada', surface: 'mcp', id: toAgentId('A0000002') },
]
const PERSON: Agent = { name: 'Pat', surface: 'cli', assumed: true }

/** One of those who must not change the task by this call, in turn. People use no tools of dialects. */
export function foreignerFor({ name, isTool }: Callable, input: object, turn: number): Agent {
  // A person takes a task back by force, whatever the input.
  const isForced = name === 'task.take_back' || JSON.stringify(input).includes('"force":true')
  const callers = isTool || isForced ? FOREIGNERS : [...FOREIGNERS, PERSON]
  return callers[turn % callers.length] ?? PERSON
}

export const SINCE = new Date(START).toISOString()
