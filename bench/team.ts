// The team server's engine beside SQLite: calls of agents in one project and in many, by one replica and by four; round
// trips on the wire, CPU of replicas and of the database, waiting at half load, and reads in a large project.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openPool } from '../packages/waymark/src/core/postgres/open.ts'
import { migrateProject } from '../packages/waymark/src/core/postgres/schema/schema.ts'
import { initialiseStore } from '../packages/waymark/src/core/store/open.ts'
import { countRoundTrips } from '../packages/waymark/test/postgres/wire-counter.ts'
import { median, quantile } from './statistics.ts'
import { measureGrowth } from './team/growth.ts'
import { startFleet } from './team/fleet.ts'
import { openReplica, type Work } from './team/replica.ts'
import { type MeasuredServer, startMeasured } from './team/server.ts'

const ROUNDS = 3
const CALLS = Number(process.env['WAYMARK_CALLS'] ?? 160)
const PROJECTS = 64
const KINDS = { create: 'create', take: 'take+complete' } as const

const folder = mkdtempSync(join(tmpdir(), 'waymark-bench-team-'))
try {
  await using server = await startMeasured()
  await using _pool = openPool(server.url)
  await measureTrips(server)
  const cpu = await measureCpu(server)
  await measureThroughput(server, cpu)
  await measureGrowth(server.url)
} finally {
  rmSync(folder, { recursive: true, force: true, maxRetries: 10 })
}

async function createProject(url: string): Promise<string> {
  const shared = openPool(url)
  const projectId = crypto.randomUUID()
  const name = `p-${projectId.slice(0, 13)}`
  await migrateProject(shared.pool, { projectId, createdAt: Date.now(), name })
  await shared[Symbol.asyncDispose]()
  return projectId
}

async function createSqlite(): Promise<string> {
  const state = join(folder, crypto.randomUUID())
  await initialiseStore(state, { projectId: crypto.randomUUID(), now: Date.now() })
  return state
}

/** One client alone, so that no transaction is shared. */
async function measureTrips({ url }: MeasuredServer): Promise<void> {
  await using wire = await countRoundTrips(url)
  const replica = await openReplica(wire.url, [await createProject(url)], 'counted')
  const alone = { clients: 1, every: 0 }
  for (const kind of ['create', 'take'] as const)
    await replica.run({ kind, calls: kind === 'create' ? 40 : 10, ...alone })
  wire.take()
  console.log('round trips, one client')
  for (const [kind, calls] of [
    ['create', 20],
    ['take', 20],
  ] as const) {
    await replica.run({ kind, calls, ...alone })
    console.log(`  ${KINDS[kind].padEnd(14)} ${(wire.take() / calls).toFixed(1)}`)
  }
  await replica.close()
}

interface Cost {
  readonly replica: number
  readonly database: number
}

/** In turns with SQLite, so that a busy machine hits both alike. */
async function measureCpu(server: MeasuredServer): Promise<Record<Work['kind'], Cost>> {
  const costs = { create: { replica: 0, database: 0 }, take: { replica: 0, database: 0 } }
  console.log('\nCPU per call in ms, one project, one replica (median of rounds)')
  console.log('                clients   SQLite   replica  database  sum / SQLite   p50      p99')
  for (const clients of [1, 4, 16, 64]) {
    await using sqlite = await startFleet('', [await createSqlite()], 1)
    await using team = await startFleet(server.url, [await createProject(server.url)], 1)
    for (const kind of ['create', 'take'] as const) {
      const rows: {
        sqlite: number
        replica: number
        database: number
        p50: number
        p99: number
      }[] = []
      for (let round = 0; round <= ROUNDS; round += 1) {
        const work = { kind, clients, calls: CALLS, every: 0 }
        const base = await sqlite.run(work)
        const before = server.cpu()
        const took = await team.run(work)
        const database = (server.cpu() - before) / CALLS
        // The first round loads code and plans statements.
        if (round === 0) continue
        rows.push({
          sqlite: base.cpu / CALLS,
          replica: took.cpu / CALLS,
          database,
          p50: quantile(took.latencies, 0.5),
          p99: quantile(took.latencies, 0.99),
        })
      }
      const of = (name: keyof (typeof rows)[number]): number => median(rows.map((row) => row[name]))
      const ratio = median(rows.map((row) => (row.replica + row.database) / row.sqlite))
      if (clients === 16) costs[kind] = { replica: of('replica'), database: of('database') }
      const figures = [of('sqlite'), of('replica'), of('database')].map((each) =>
        each.toFixed(2).padStart(9),
      )
      console.log(
        `  ${KINDS[kind].padEnd(14)} ${String(clients).padStart(6)}${figures.join('')}   x${ratio.toFixed(2).padEnd(10)} ${of('p50').toFixed(0).padStart(6)} ${of('p99').toFixed(0).padStart(8)}`,
      )
    }
  }
  return costs
}

async function measureThroughput(
  server: MeasuredServer,
  costs: Record<Work['kind'], Cost>,
): Promise<void> {
  const many = []
  for (let at = 0; at < PROJECTS; at += 1) many.push(await createProject(server.url))
  const places = [
    ['one project', [await createProject(server.url)]],
    [`${PROJECTS} projects`, many],
  ] as const
  console.log('\ncalls per second, 16 clients for each replica; then p99 in ms at half of that')
  for (const [place, projects] of places) {
    const rates = { create: new Map<number, number>(), take: new Map<number, number>() }
    for (const replicas of [1, 4]) {
      await using fleet = await startFleet(server.url, projects, replicas)
      const clients = 16 * replicas
      const calls = CALLS * 4
      // Plans and connections, and tasks enough for all that is taken.
      await fleet.run({ kind: 'create', clients, calls: calls * 3, every: 0 })
      for (const kind of ['create', 'take'] as const) {
        const { wall } = await fleet.run({ kind, clients, calls, every: 0 })
        const rate = (calls / wall) * 1000
        rates[kind].set(replicas, rate)
        const every = (clients / (rate / 2)) * 1000
        const { latencies } = await fleet.run({ kind, clients, calls, every })
        console.log(
          `  ${place.padEnd(12)} ${KINDS[kind].padEnd(14)} ${replicas} replicas  ${rate.toFixed(0).padStart(5)}/s   p99 ${quantile(latencies, 0.99).toFixed(0)}`,
        )
      }
    }
    for (const kind of ['create', 'take'] as const) {
      const [one = 0, four = 0] = [rates[kind].get(1), rates[kind].get(4)]
      const { replica, database } = costs[kind]
      // A replica is one thread; a database has as many as it has connections.
      console.log(
        `  ${place.padEnd(12)} ${KINDS[kind].padEnd(14)} 4 replicas x${(four / one).toFixed(1)} of one; with a core for each replica and ${(4 * (database / replica)).toFixed(1)} for the database: x4 in many projects`,
      )
    }
  }
}
