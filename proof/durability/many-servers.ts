import { execFile } from 'node:child_process'
import { openProject } from '../../packages/waymark/src/core/project/project.ts'
import { findDamage } from '../../packages/waymark/src/core/sqlite/inspect.ts'
import { Connection } from '@waymark/sqlite'
import { databasePath } from '../../packages/waymark/src/core/store/state-folder.ts'
import type { Findings, Proof, Trial } from '../proof.ts'
import { startHttpServer } from '../system/http-server.ts'
import { createProject } from '../system/repository.ts'
import { COMMAND, serverObstacle, startServer } from '../system/server.ts'
import { BEFORE_ALL } from '../../packages/waymark/src/event/event-id.ts'

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
  faults: ['one_overwritten', 'event_left_out', 'server_ended'],
  obstacle: serverObstacle,
  run: tryManyServers,
}

async function tryManyServers({ level, fault }: Trial): Promise<Findings> {
  const found = { lost: 0, doubled: 0, disordered: 0, damaged: 0, unanswered: 0 }
  const counts = { over_pipes: 0, over_http: 0, by_command: 0, refused: 0 }
  let tried = 0
  for (const servers of fault === undefined ? ROUNDS[level] : [1]) {
    using project = await createProject()
    const [piped, posted, commanded] = await Promise.all([
      writeOverPipes(project.path, servers, { calls: CALLS[level], fault }),
      // What is planted is found whoever wrote.
      fault === undefined ? writeOverHttp(project.path, CALLS[level]) : NOTHING,
      fault === undefined ? writeByCommand(project.path, COMMANDS[level]) : NOTHING,
    ])
    counts.over_pipes += piped.titles.length
    counts.over_http += posted.titles.length
    counts.by_command += commanded.titles.length
    found.unanswered += piped.unanswered + posted.unanswered + commanded.unanswered
    const acknowledged = [...piped.titles, ...posted.titles, ...commanded.titles]
    tried += acknowledged.length
    if (fault === undefined)
      counts.refused += (servers + 1) * CALLS[level] + COMMANDS[level] - acknowledged.length
    await using open = await openProject(project.path)
    if (fault !== undefined && fault !== 'server_ended') plant(open.state, fault)
    const titles = (await open.store.entities.after(0, 1_000_000)).map(({ title }) => title)
    const events = await open.store.events.after(BEFORE_ALL, { limit: 1_000_000 })
    const there = new Set(titles)
    found.lost += acknowledged.filter((title) => !there.has(title)).length
    found.doubled += titles.length - there.size
    found.disordered += events.filter(({ id }, at) => id !== at + 1).length
    found.damaged += (await findDamage(open.state)).length
  }
  return { tried, violations: found, counts }
}

/** What was acknowledged, and how many calls got no answer at all. */
interface Written {
  readonly titles: readonly string[]
  readonly unanswered: number
}

const NOTHING: Written = { titles: [], unanswered: 0 }

async function writeOverPipes(
  directory: string,
  servers: number,
  { calls, fault }: { readonly calls: number; readonly fault: string | undefined },
): Promise<Written> {
  const written = await Promise.all(
    Array.from({ length: servers }, async (_, at) => {
      await using server = await startServer(directory)
      const wanted = Array.from({ length: calls }, (_, n) => `note ${n} of server ${at}`)
      const lines = wanted.map((title, n) => toLine(title, n + 1))
      for (let sent = 0; sent < calls; sent += UNDER_WAY) {
        server.send(lines.slice(sent, sent + UNDER_WAY).join(''))
        await server.untilAnswers(Math.min(sent + UNDER_WAY, calls))
        if (fault === 'server_ended') await server.kill()
      }
      return {
        titles: server.lines.flatMap((line) => acknowledgedIn(line, wanted)),
        unanswered: calls - server.lines.length,
      }
    }),
  )
  return {
    titles: written.flatMap(({ titles }) => titles),
    unanswered: written.reduce((sum, { unanswered }) => sum + unanswered, 0),
  }
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

async function writeOverHttp(directory: string, calls: number): Promise<Written> {
  await using server = await startHttpServer(directory)
  const wanted = Array.from({ length: calls }, (_, n) => `note ${n} over HTTP`)
  const answers: PromiseSettledResult<string>[] = []
  for (let at = 0; at < calls; at += UNDER_WAY) {
    const some = wanted.slice(at, at + UNDER_WAY)
    const made = some.map((title) => server.post('/api/entity.create', { type: 'note', title }))
    answers.push(...(await Promise.allSettled(made)))
  }
  return {
    titles: wanted.filter((_, at) => {
      const answer = answers[at]
      return answer?.status === 'fulfilled' && !answer.value.includes('"error"')
    }),
    unanswered: answers.filter(({ status }) => status === 'rejected').length,
  }
}

async function writeByCommand(directory: string, commands: number): Promise<Written> {
  const titles: string[] = []
  for (let n = 0; n < commands; n += 1) {
    const title = `note ${n} by command`
    if (await run(directory, ['add', 'note', title])) titles.push(title)
  }
  return { titles, unanswered: 0 }
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
