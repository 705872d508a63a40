// What replication costs: one write with and without its op, a sync of many changes, a first import, size on disk.
// Ratios come from one run, measured in turns, so that a busy machine hits all of them alike.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createContext } from '../packages/waymark/src/core/context.ts'
import { execute } from '../packages/waymark/src/core/execute.ts'
import { SILENT } from '../packages/waymark/src/support/logger.ts'
import { updateEntity } from '../packages/waymark/src/entity/operations.ts'
import { runSync } from '../packages/waymark/src/sync/operations.ts'
import { initialiseProject, openProject } from '../packages/waymark/src/core/project/project.ts'
import type { Store, StoreTransaction } from '../packages/waymark/src/core/store/store.ts'
import { median, timed, toRatio } from './statistics.ts'
import { takeTurns } from './turns.ts'
import { toEntityId } from '../packages/waymark/src/entity/entity-id.ts'

const CHANGED = Number(process.env['WAYMARK_CHANGED'] ?? 1_000)
const IMPORTED = Number(process.env['WAYMARK_IMPORTED'] ?? 100_000)
const ROUNDS = 30
const WRITES = 20
const TOGETHER = 1_000

const WORDS = 'store log merge clone branch commit review queue lease agent index graph note'.split(
  ' ',
)

const folder = mkdtempSync(join(tmpdir(), 'waymark-bench-'))
try {
  await measureWrites()
  await measureSync()
  await measureImport()
} finally {
  rmSync(folder, { recursive: true, force: true, maxRetries: 10 })
}

/** The same transaction through the nouns that write ops, and through the rows beneath them. */
async function measureWrites(): Promise<void> {
  await using project = await open('writes')
  const { store } = project
  const insertFrom = (first: number, count: number, hasOps: boolean) =>
    store.write(async (tx) => {
      for (let n = first; n < first + count; n += 1)
        await insert(tx, n, hasOps ? undefined : tx.replica.rows)
    })
  const single = async (hasOps: boolean) => {
    for (let n = 0; n < WRITES; n += 1) await insertFrom(n, 1, hasOps)
  }
  const together = (hasOps: boolean) => insertFrom(0, TOGETHER, hasOps)
  await compareWrites('create', single, { rounds: ROUNDS, count: WRITES })
  const title = `create, ${TOGETHER} in one transaction`
  await compareWrites(title, together, { rounds: 10, count: TOGETHER })
}

async function compareWrites(
  name: string,
  write: (hasOps: boolean) => Promise<void>,
  { rounds, count }: { readonly rounds: number; readonly count: number },
): Promise<void> {
  const samples = await takeTurns(rounds, {
    'without op': () => timed(() => write(false)),
    'with op': () => timed(() => write(true)),
  })
  const floor = samples.get('without op') ?? []
  for (const [kind, own] of samples) {
    const each = (median(own) / count).toFixed(3)
    console.log(`${name}, ${kind}: ${each} ms each, ratio ${toRatio(own, floor).toFixed(2)}`)
  }
}

async function measureSync(): Promise<void> {
  const remote = join(folder, 'sync.git')
  git('init', '--quiet', '--bare', remote)
  await using ada = await open('ada', remote)
  await using bob = await open('bob', remote)
  await fill(ada.store, CHANGED)
  await report(`sync of ${CHANGED} new entities, sender`, () => ada.sync())
  await report(`sync of ${CHANGED} new entities, receiver`, () => bob.sync())
  const rows = await ada.store.entities.after(0, CHANGED)
  for (const { id, content } of rows) {
    await execute(ada.context, updateEntity, { id, content: `${content}\none more line` })
  }
  await report(`sync of ${CHANGED} changed entities, sender`, () => ada.sync())
  await report(`sync of ${CHANGED} changed entities, receiver`, () => bob.sync())
  await report('sync without news', () => bob.sync())
  const [first] = rows
  for (let n = 0; n < 300; n++) {
    await execute(ada.context, updateEntity, { id: first?.id ?? '', title: `title ${n}` })
  }
  await report('sync of one entity that changed 300 times', () => ada.sync())
}

async function measureImport(): Promise<void> {
  const remote = join(folder, 'import.git')
  git('init', '--quiet', '--bare', remote)
  await using ada = await open('sender', remote)
  await fill(ada.store, IMPORTED)
  const before = size('sender')
  await report(`first sync of ${IMPORTED} entities`, () => ada.sync())
  await using bob = await open('receiver', remote)
  await report(`import of ${IMPORTED} entities into an empty store`, () => bob.sync())
  git('-C', remote, 'gc', '--quiet')
  const packed = Number(/size-pack: (\d+)/.exec(git('-C', remote, 'count-objects', '-v'))?.[1])
  await bob.store.close()
  console.log(
    `per entity: store before its first sync ${(before / IMPORTED).toFixed(0)} B, after an import ${(size('receiver') / IMPORTED).toFixed(0)} B, log in Git ${((packed * 1024) / IMPORTED).toFixed(0)} B`,
  )
}

async function open(name: string, remote?: string) {
  const directory = join(folder, name)
  git('init', '--quiet', directory)
  if (remote !== undefined) git('-C', directory, 'remote', 'add', 'origin', remote)
  await initialiseProject(directory)
  const project = await openProject(directory)
  const { store, code } = project
  const context = createContext({ store, code, agent: { name, surface: 'api' }, logger: SILENT })
  return {
    store,
    context,
    sync: () => execute(context, runSync, {}),
    [Symbol.asyncDispose]: () => project[Symbol.asyncDispose](),
  }
}

async function fill(store: Store, count: number): Promise<void> {
  for (let done = 0; done < count; done += 500) {
    await store.write(async (tx) => {
      for (let n = done; n < Math.min(done + 500, count); n++) await insert(tx, n)
    })
  }
}

async function insert(
  tx: StoreTransaction,
  n: number,
  rows?: StoreTransaction['replica']['rows'],
): Promise<void> {
  const at = await tx.now(Date)
  const entity = {
    id: toEntityId(crypto.randomUUID()),
    type: 'note',
    title: `note ${n} about the ${WORDS[n % WORDS.length]}`,
    content: Array.from({ length: 40 }, (_, at) => WORDS[(n * 7 + at * 3) % WORDS.length]).join(
      ' ',
    ),
    tags: ['bench', WORDS[n % WORDS.length] ?? ''],
    status: null,
    properties: {},
    createdAt: at,
    createdBy: 'bench',
  }
  if (rows === undefined) await tx.entities.insert(entity)
  else {
    const number = await rows.nextNumber()
    const merged = { ...entity, number, updatedAt: at, updatedBy: 'bench', origin: null }
    await rows.insert(merged, { via: 'sync', parts: [] })
  }
  await tx.events.append({
    type: 'entity.created',
    subject: entity.id,
    at,
    agent: 'bench',
    data: { title: entity.title },
  })
}

async function report(name: string, work: () => Promise<unknown>): Promise<void> {
  const [start, cpu] = [performance.now(), process.cpuUsage()]
  await work()
  const { user, system } = process.cpuUsage(cpu)
  const seconds = ((performance.now() - start) / 1000).toFixed(2)
  // Without the processes of git; a busy machine changes it less than the time on the clock.
  console.log(`${name}: ${seconds} s, of the processor ${((user + system) / 1e6).toFixed(2)} s`)
}

function size(name: string): number {
  const path = join(folder, name, '.git', 'waymark', 'waymark.db')
  const sizes = [path, `${path}-wal`].map((file) => statSync(file, { throwIfNoEntry: false })?.size)
  return sizes.reduce<number>((sum, bytes) => sum + (bytes ?? 0), 0)
}

function git(...args: readonly string[]): string {
  return execFileSync('git', args, { encoding: 'utf8' })
}
