// What an honest clone does in a process of its own: it writes, meets whatever is in the remote, goes on, and then says
// what it knows.
import { readFileSync, writeFileSync, writeSync } from 'node:fs'
import { Failure } from '../../../packages/waymark/src/core/error.ts'
import { execute } from '../../../packages/waymark/src/core/execute.ts'
import { annotateCode } from '../../../packages/waymark/src/annotation/write/annotate.ts'
import { readCode } from '../../../packages/waymark/src/annotation/read/read.ts'
import { exportAnnotations } from '../../../packages/waymark/src/annotation/write/exchange.ts'
import { createEntity, updateEntity } from '../../../packages/waymark/src/entity/operations.ts'
import { restoreEntity } from '../../../packages/waymark/src/sync/history/operations.ts'
import { createRelation } from '../../../packages/waymark/src/relation/operations.ts'
import { checkStore } from '../../../packages/waymark/src/integrity/operations.ts'
import { runSync } from '../../../packages/waymark/src/sync/operations.ts'
import type { SyncReport } from '../../../packages/waymark/src/sync/view.ts'
import { openProject } from '../../../packages/waymark/src/core/project/project.ts'
import { EntityDocument } from '../../../packages/waymark/src/sync/document/document.ts'
import { loadLoro } from '../../../packages/waymark/src/sync/document/loro.ts'
import { toSnapshot } from '../../../packages/waymark/src/sync/snapshot.ts'
import { contextOf } from '../../system/agent.ts'
import type { Honest } from './ground.ts'
import { breaksLimit } from './merged-limits.ts'
import { nested } from './odd-values.ts'
import { toEntityId } from '../../../packages/waymark/src/entity/entity-id.ts'

export interface VictimAssignment {
  readonly directory: string
  readonly name: string
  readonly round: number
  /** Only takes in and sends, without anything of its own. */
  readonly isQuiet: boolean
  /** Entities and annotations that have to be there. */
  readonly expected: readonly Honest[]
  readonly annotations: readonly string[]
  /** Hashes of lines that have to be reported. */
  readonly refused: readonly string[]
  /** Entities that others have asked to purge: they are restored. */
  readonly purged: readonly string[]
  /** An entity of its own, which it goes on writing. */
  readonly own?: Honest | undefined
  /** Where everything that it knows is written. */
  readonly snapshot: string
}

export interface VictimReport {
  /** What it has written itself. */
  readonly wrote: readonly Honest[]
  readonly annotated: readonly string[]
  readonly numbers: Readonly<Record<string, number>>
  readonly lost: readonly string[]
  readonly changed: readonly string[]
  readonly lostAnnotations: readonly string[]
  readonly unreported: readonly string[]
  readonly failedChecks: readonly string[]
  readonly overLimit: readonly string[]
  readonly setAside: number
  readonly notesSetAside: readonly string[]
  readonly damaged: number
  readonly entities: number
  /** Bytes. */
  readonly peakMemory: number
}

const TRAPS = 2
const ENTITY = toEntityId('0189d3a0-0000-7000-8000-000000000001')

const assignment = JSON.parse(process.argv[2] ?? '') as VictimAssignment
const { directory, name, round } = assignment
await using project = await openProject(directory)
const context = contextOf(project, name)
const wrote: Honest[] = []
const annotated: string[] = []
const reports: SyncReport[] = []

failInEngine()
if (!assignment.isQuiet) await write()
reports.push(await execute(context, runSync, {}))
await restorePurged()
if (!assignment.isQuiet) {
  await annotate()
  reports.push(await execute(context, runSync, {}))
}
const peak = peakMemory()
writeSync(1, `${JSON.stringify(await inspect())}\n`)

/** As of a store that took in nesting before there was a limit: the document engine overflows its stack on it. */
function failInEngine(): void {
  const deep = nested(20_000, ['[', ']'])
  const bytes = Buffer.from(`["7",0,null,[["properties","x",${deep}]]]`)
  for (let n = 0; n < TRAPS; n += 1) {
    try {
      new EntityDocument(loadLoro(), ENTITY, bytes)[Symbol.dispose]()
    } catch (error) {
      if (!(error instanceof Failure)) throw error
    }
  }
}

async function write(): Promise<void> {
  const [title, content] = [`${name} ${round}`, `written by ${name} in round ${round}`]
  const { id } = await execute(context, createEntity, { type: 'task', title, content })
  wrote.push({ id, title, content })
  const { own } = assignment
  if (own === undefined) return
  const longer = `${own.content}\nand more in round ${round}`
  await execute(context, updateEntity, { id: own.id, content: longer })
  await execute(context, createRelation, { source: id, target: own.id, type: 'blocks' })
  wrote.push({ ...own, content: longer })
}

async function annotate(): Promise<void> {
  const regions = [{ file: 'code.ts', intent: `seen by ${name} in round ${round}` }]
  const summary = `what ${name} found out in round ${round}`
  annotated.push((await execute(context, annotateCode, { summary, regions })).record)
}

/** What others have asked to purge is only deleted here; a person who wants to keep it restores it. */
async function restorePurged(): Promise<void> {
  for (const id of assignment.purged) {
    if ((await project.store.entities.byId(toEntityId(id))) !== undefined) continue
    const [known] = await project.store.replica.named({ prefix: id.replaceAll('-', '') })
    if (known !== undefined) await execute(context, restoreEntity, { id }).catch(() => undefined)
  }
}

async function inspect(): Promise<VictimReport> {
  const { store } = project
  const lines: string[] = []
  const overLimit: string[] = []
  for await (const line of toSnapshot(store)) {
    lines.push(line)
    const fault = breaksLimit(JSON.parse(line))
    if (fault !== undefined) overLimit.push(`${fault}: ${line.slice(0, 200)}`)
  }
  writeFileSync(assignment.snapshot, lines.join('\n'))
  const expected = new Map(assignment.expected.map((each) => [each.id, each]))
  for (const each of wrote) expected.set(each.id, each)
  const numbers: Record<string, number> = {}
  const [lost, changed]: [string[], string[]] = [[], []]
  for (const { id, title, content } of expected.values()) {
    const row = await store.entities.byId(toEntityId(id))
    if (row === undefined) lost.push(`${title} (${id})`)
    else {
      numbers[id] = row.number
      const isSame = row.title === title && row.content === content
      if (!isSame)
        changed.push(`${title} (${id}): ${JSON.stringify([row.title, row.content]).slice(0, 200)}`)
    }
  }
  const known = JSON.stringify(await execute(context, exportAnnotations, { limit: 100_000 }))
  // Whatever others say of the file, there is an answer about it.
  await execute(context, readCode, { path: 'code.ts' })
  const aside = new Set((await store.replica.aside.list(1_000_000)).map(({ hash }) => hash))
  const { checks } = await execute(context, checkStore, {})
  const last = reports.at(-1)
  return {
    wrote,
    annotated,
    numbers,
    lost,
    changed,
    lostAnnotations: [...assignment.annotations, ...annotated].filter((id) => !known.includes(id)),
    unreported: assignment.refused.filter((hash) => !aside.has(hash)),
    failedChecks: checks
      .filter(({ status }) => status === 'failed')
      .map((check) => JSON.stringify(check)),
    overLimit,
    setAside: last?.set_aside.total ?? 0,
    notesSetAside: reports.flatMap((report) => report.notes_set_aside.map(({ commit }) => commit)),
    damaged: last?.damaged ?? 0,
    entities: lines.length,
    peakMemory: peak,
  }
}

/** Of this process alone: what the system counts for a new process begins with the memory of the one that started it. */
function peakMemory(): number {
  if (process.platform !== 'linux') return process.resourceUsage().maxRSS * 1024
  const [, kilobytes] = /^VmHWM:\s+(\d+)/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? []
  return Number(kilobytes) * 1024
}
