import { copyFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Connection } from '@waymark/sqlite'
import { openProject } from '../../packages/waymark/src/core/project/project.ts'
import { recordStatements, type Statement } from '../profile/statements.ts'
import { serveInMemory } from '../served.ts'
import { median, toRatio } from '../statistics.ts'
import { takeTurns } from '../turns.ts'
import { createProject, toCreate } from './project.ts'
import { ask, cpuOf, LineServer, serve } from './server.ts'

/** Creates before the measured ones: as in a session of an agent, and as in a burst, when V8 has optimised what runs. */
const WARM_UPS = [500, 3000]
const ROUNDS = 15
const PER_ROUND = 60
const CREATES = Math.max(...WARM_UPS) + WARM_UPS.length * (ROUNDS + 1) * PER_ROUND

/** The CPU time of a durable create beside the same statements without Waymark, and beside another checkout. */
export async function measureWrites(folder: string, earlier: string | undefined): Promise<void> {
  const own = await serve(createProject(join(folder, 'own')))
  const floor = await startFloor(folder)
  const other = earlier === undefined ? undefined : await startOther(folder, earlier)
  const sides = {
    waymark: own,
    floor,
    ...(other !== undefined && { 'earlier version': other }),
  }
  const next = new Map<LineServer, number>()
  const create = async (server: LineServer, count: number): Promise<number> => {
    const used = await cpuOf(server, async () => {
      for (let done = 0; done < count; done += 1) {
        const at = next.get(server) ?? 0
        next.set(server, at + 1)
        if (server === floor) await server.request('next', {})
        else await ask(server, toCreate(at))
      }
    })
    return used / count
  }
  const measured = Object.entries(sides).map(
    ([name, server]) => [name, () => create(server, PER_ROUND)] as const,
  )
  let done = 0
  for (const others of WARM_UPS) {
    for (const server of Object.values(sides)) await create(server, Math.max(0, others - done))
    const samples = await takeTurns(ROUNDS, Object.fromEntries(measured))
    done = next.get(own) ?? 0
    report(samples, others)
  }
  for (const server of Object.values(sides)) await server[Symbol.asyncDispose]()
}

function report(samples: ReadonlyMap<string, readonly number[]>, others: number): void {
  const base = samples.get('waymark') ?? []
  console.log(`\nCPU time of one durable create over MCP, after ${others} others`)
  for (const [name, values] of samples) {
    const ratio =
      name === 'waymark' ? '' : `  waymark is ×${toRatio(base, values).toFixed(2)} of it`
    console.log(`  ${name.padEnd(18)} ${Math.round(median(values))} µs${ratio}`)
  }
}

async function startOther(folder: string, checkout: string): Promise<LineServer> {
  const command = join(checkout, 'packages', 'waymark', 'bin', 'waymark.js')
  return await serve(createProject(join(folder, 'earlier'), command), command)
}

/** A process that runs the statements of the same creates on a database of its own. */
async function startFloor(folder: string): Promise<LineServer> {
  const directory = createProject(join(folder, 'recorded'))
  const copy = join(folder, 'floor.db')
  const calls = await recordCreates(directory, copy)
  const file = join(folder, 'statements.json')
  writeFileSync(file, JSON.stringify(calls))
  const tsx = createRequire(import.meta.url).resolve('tsx')
  const program = fileURLToPath(new URL('floor.ts', import.meta.url))
  return new LineServer(
    ['--conditions=@waymark/source', '--import', tsx, program, copy, file],
    folder,
  )
}

async function recordCreates(directory: string, copy: string): Promise<Statement[][]> {
  await using project = await openProject(directory)
  const client = await serveInMemory({
    store: project.store,
    project: { root: project.root, state: project.state },
  })
  const create = async (at: number): Promise<void> => {
    const [name, args] = toCreate(at)
    await client.request('tools/call', { name, arguments: args })
  }
  // The first one also makes the agent.
  await create(0)
  copyDatabase(join(project.state, 'waymark.db'), copy)
  const calls: Statement[][] = []
  for (let at = 1; at <= CREATES; at += 1) {
    const recording = recordStatements()
    await create(at)
    calls.push([...recording.stop()])
  }
  client.close()
  return calls
}

function copyDatabase(path: string, copy: string): void {
  const connection = new Connection(path, 'write')
  connection.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  connection.close()
  copyFileSync(path, copy)
}
