import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { readCpu } from '../baton/process-usage.ts'

/** A program whose tasks are made and finished. Tasks are numbered from 0 in the order of their creation. */
export interface Contender {
  readonly name: string
  create(at: number): Promise<unknown>
  /** Makes so many tasks, the first ones, in few calls. */
  fill(count: number): Promise<void>
  claimAndComplete(at: number): Promise<unknown>
  /** Microseconds of CPU time that its server has used. */
  cpu(): number
  close(): Promise<void>
}

const MEMORY = { package: '@modelcontextprotocol/server-memory', version: '2026.8.31' }
const BACKLOG = { package: 'backlog.md', version: '1.52.0' }
const WAYMARK = fileURLToPath(new URL('../../packages/waymark/bin/waymark.js', import.meta.url))
const TEXT = 'What is to be done, and how one will know that it is. '.repeat(4)

/** Fetches the other programs into a folder of their own: they are no dependencies of ours. */
export function installPeers(folder: string): string {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{ "private": true }')
  const packages = [MEMORY, BACKLOG].map((peer) => `${peer.package}@${peer.version}`)
  console.log(`\ninstalling ${packages.join(' and ')}`)
  execFileSync('npm', ['install', '--no-audit', '--no-fund', '--silent', ...packages], {
    cwd: folder,
    shell: process.platform === 'win32',
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  return join(folder, 'node_modules')
}

/** Most tasks in one call. */
const BATCH = 100

export async function startWaymark(folder: string): Promise<Contender> {
  mkdirSync(join(folder, '.waymark'), { recursive: true })
  if (!existsSync(fileURLToPath(new URL('../../packages/waymark/dist/bin', import.meta.url)))) {
    throw new Error('the command is not built; run npm run build first')
  }
  execFileSync(process.execPath, [WAYMARK, 'init'], { cwd: folder, stdio: 'ignore' })
  const { call, ...server } = await connect(folder, process.execPath, [WAYMARK, 'serve'])
  return {
    name: 'waymark',
    create: (at) => call('task_create', { tasks: [toTask(at)] }),
    fill: async (count) => {
      for (let at = 0; at < count; at += BATCH) {
        const length = Math.min(BATCH, count - at)
        await call('task_create', { tasks: Array.from({ length }, (_, n) => toTask(at + n)) })
      }
    },
    claimAndComplete: async (at) => {
      const claimed = await call('task_next', { id: String(at + 1) })
      const { fence } = (claimed as { claimed: { fence: number } }).claimed
      await call('task_update', { ids: [String(at + 1)], action: 'complete', fence })
    },
    ...server,
  }
}

function toTask(at: number): object {
  return { title: `Task ${at}`, content: TEXT }
}

export async function startMemory(peers: string, folder: string): Promise<Contender> {
  mkdirSync(folder, { recursive: true })
  const program = join(peers, MEMORY.package, 'dist', 'index.js')
  const { call, ...server } = await connect(folder, process.execPath, [program], {
    MEMORY_FILE_PATH: join(folder, 'memory.jsonl'),
  })
  const observe = (at: number, text: string) =>
    call('add_observations', { observations: [{ entityName: `Task ${at}`, contents: [text] }] })
  return {
    name: `server-memory ${MEMORY.version}`,
    create: (at) => call('create_entities', { entities: [toEntity(at)] }),
    fill: async (length) => {
      await call('create_entities', { entities: Array.from({ length }, (_, at) => toEntity(at)) })
    },
    claimAndComplete: async (at) => {
      await observe(at, 'claimed by bench')
      await observe(at, 'done')
    },
    ...server,
  }
}

function toEntity(at: number): object {
  return { name: `Task ${at}`, entityType: 'task', observations: [TEXT] }
}

export async function startBacklog(peers: string, folder: string): Promise<Contender> {
  mkdirSync(folder, { recursive: true })
  const program = join(peers, '.bin', process.platform === 'win32' ? 'backlog.cmd' : 'backlog')
  const options = ['init', 'bench', '--defaults', '--no-git', '--integration-mode', 'none']
  execFileSync(program, options, {
    cwd: folder,
    shell: process.platform === 'win32',
    stdio: 'ignore',
  })
  const { call, ...server } = await connect(folder, program, ['mcp', 'start'])
  const edit = (at: number, change: object) =>
    call('task_edit', { id: `task-${at + 1}`, ...change })
  return {
    name: `backlog.md ${BACKLOG.version}`,
    create: (at) => call('task_create', { title: `Task ${at}`, description: TEXT }),
    fill: async (count) => {
      for (let at = 0; at < count; at += 1)
        await call('task_create', { title: `Task ${at}`, description: TEXT })
    },
    claimAndComplete: async (at) => {
      await edit(at, { status: 'In Progress', assignee: ['bench'] })
      await edit(at, { status: 'Done' })
    },
    ...server,
  }
}

async function connect(
  cwd: string,
  command: string,
  args: string[],
  env: Readonly<Record<string, string>> = {},
) {
  const transport = new StdioClientTransport({
    command,
    args,
    cwd,
    env: { ...(process.env as Record<string, string>), ...env },
    stderr: 'ignore',
  })
  const client = new Client({ name: 'bench', version: '1' })
  await client.connect(transport)
  const call = async (name: string, given: object): Promise<unknown> => {
    const answer = await client.callTool({ name, arguments: { ...given } })
    if (answer.isError === true) throw new Error(`${name}: ${JSON.stringify(answer.content)}`)
    return answer.structuredContent
  }
  return { call, cpu: () => readCpu(transport.pid ?? 0), close: () => client.close() }
}
