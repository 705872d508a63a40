import { execFile } from 'node:child_process'
import { openProject } from '../../packages/waymark/src/project.ts'
import { findDamage } from '../../packages/waymark/src/store/inspect.ts'
import { Connection } from '../../packages/waymark/src/store/sqlite/connection.ts'
import { databasePath } from '../../packages/waymark/src/store/state-folder.ts'
import type { Findings, Proof, Trial } from '../proof.ts'
import { startHttpServer } from '../system/http-server.ts'
import { createProject } from '../system/repository.ts'
import { COMMAND, serverObstacle, startServer } from '../system/server.ts'

/** How many servers over pipes there are in each round, and how often each is called. */
const ROUNDS = { short: [3], full: [2, 4, 16] }
const CALLS = { short: 40, full: 400 }
/** So many calls are under way at once, to each server. */
const UNDER_WAY = 20
const COMMANDS = { short: 3, full: 20 }

/** Servers over pipes, one over HTTP and commands all write to one project at the same time. */
export const manyServers: Proof = {
  id: 'many-servers',
  promise: 'What servers, HTTP callers and commands write at once is all kept, in one order',
  unit: 'acknowledged writes',
  goal: 100_000,
  faults: ['one_overwritten', 'event_left_out'],
  obstacle: serverObstacle,
  run: tryManyServers,
}

async function tryManyServers({ level, fault }: Trial): Promise<Findings> {
  const found = { lost: 0, doubled: 0, disordered: 0, damaged: 0 }
  const counts = { over_pipes: 0, over_http: 0, by_command: 0, refused: 0 }
  let tried = 0
  for (const servers of fault === undefined ? ROUNDS[level] : [1]) {
    using project = await createProject()
    const [piped, posted, commanded] = await Promise.all([
      writeOverPipes(project.path, servers, CALLS[level]),
      // What is planted afterwards is found whoever wrote.
      fault === undefined ? writeOverHttp(project.path, CALLS[level]) : [],
      fault === undefined ? writeByCommand(project.path, COMMANDS[level]) : [],
    ])
    counts.over_pipes += piped.length
    counts.over_http += posted.length
    counts.by_command += commanded.length
    const acknowledged = [...piped, ...posted, ...commanded]
    tried += acknowledged.length
    if (fault === undefined)
      counts.refused += (servers + 1) * CALLS[level] + COMMANDS[level] - acknowledged.length
    await using open = await openProject(project.path)
    if (fault !== undefined) plant(open.state, fault)
    const titles = (await open.store.entities.after(0, 1_000_000)).map(({ title }) => title)
    const events = await open.store.events.after(0, { limit: 1_000_000 })
    const there = new Set(titles)
    found.lost += acknowledged.filter((title) => !there.has(title)).length
    found.doubled += titles.length - there.size
    found.disordered += events.filter(({ id }, at) => id !== at + 1).length
    found.damaged += (await findDamage(open.state)).length
  }
  return { tried, violations: found, counts }
}

async function writeOverPipes(directory: string, servers: number, calls: number) {
  const titles = await Promise.all(
    Array.from({ length: servers }, async (_, at) => {
      await using server = await startServer(directory)
      const wanted = Array.from({ length: calls }, (_, n) => `note ${n} of server ${at}`)
      const lines = wanted.map((title, n) => toLine(title, n + 1))
      for (let sent = 0; sent < calls; sent += UNDER_WAY) {
        server.send(lines.slice(sent, sent + UNDER_WAY).join(''))
        await server.untilAnswers(Math.min(sent + UNDER_WAY, calls))
      }
      return server.lines.flatMap((line) => acknowledgedIn(line, wanted))
    }),
  )
  return titles.flat()
}

function toLine(title: string, id: number): string {
  const params = { name: 'entity_create', arguments: { type: 'note', title } }
  return `${JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params })}\n`
}

function acknowledgedIn(line: string, wanted: readonly string[]): string[] {
  const { id, result } = JSON.parse(line) as { id: number; result?: { isError?: boolean } }
  const title = wanted[id - 1]
  return result === undefined || result.isError === true || title === undefined ? [] : [title]
}

async function writeOverHttp(directory: string, calls: number): Promise<string[]> {
  await using server = await startHttpServer(directory)
  const titles = Array.from({ length: calls }, (_, n) => `note ${n} over HTTP`)
  const answers: string[] = []
  for (let at = 0; at < calls; at += UNDER_WAY) {
    const some = titles.slice(at, at + UNDER_WAY)
    const made = some.map((title) => server.post('/api/entity.create', { type: 'note', title }))
    answers.push(...(await Promise.all(made)))
  }
  return titles.filter((_, at) => !(answers[at] ?? '"error"').includes('"error"'))
}

async function writeByCommand(directory: string, commands: number): Promise<string[]> {
  const titles: string[] = []
  for (let n = 0; n < commands; n += 1) {
    const title = `note ${n} by command`
    if (await run(directory, ['add', 'note', title])) titles.push(title)
  }
  return titles
}

function run(directory: string, args: readonly string[]): Promise<boolean> {
  return new Promise((resolve) => {
    execFile(process.execPath, [COMMAND, ...args], { cwd: directory }, (error) =>
      resolve(error === null),
    )
  })
}

/** What is left when two write what they have read without asking whether it is still so. */
function plant(state: string, fault: string): void {
  const connection = new Connection(databasePath(state), 'write')
  connection.exec('PRAGMA foreign_keys = OFF')
  connection.exec(
    fault === 'one_overwritten'
      ? 'DELETE FROM entity WHERE number = 2'
      : 'DELETE FROM event WHERE id = 2',
  )
  connection.close()
}
