// Shows in a throw-away repository what Waymark is for: two agents that share what they know, and a kill that loses nothing.
import { execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

const waymark = fileURLToPath(new URL('../packages/waymark/bin/waymark.js', import.meta.url))
const directory = mkdtempSync(join(tmpdir(), 'waymark-demo-'))

execFileSync('git', ['init', '--quiet', '--initial-branch=main', directory])
say('A new Git repository gets a shared memory. Nothing appears in the working tree.')
run('init', '--json')

say(
  'Agent "planner" connects over MCP and records a decision and two tasks, one waiting for the other.',
)
const planner = await connect('planner')
await planner.call('entity_create', {
  type: 'decision',
  title: 'Keep sessions in SQLite',
  properties: { status: 'accepted', context: 'One file, no server, survives kill -9' },
})
await planner.call('entity_create', {
  type: 'task',
  title: 'Write the session store',
  relations: ['implements:1'],
})
await planner.call('entity_create', {
  type: 'task',
  title: 'Write the login page',
  properties: { priority: 'high' },
})
await planner.call('relation_create', { source: '2', target: '3', type: 'blocks' })

say('planner is killed with -9 the moment its last answer arrives.')
planner.kill()

say('Agent "builder", another process, asks what to know and what there is to do.')
const builder = await connect('builder')
show(await builder.call('entity_list', {}))
await builder.call('entity_update', {
  id: '2',
  properties: { status: 'in_progress', assignee: 'builder' },
})
builder.kill()

say('A person looks at it from the command line.')
run('list')
run('relation', 'list', '2')

rmSync(directory, { recursive: true, force: true })
console.log(
  '\nIn your own repository: `waymark init`, then let your agent start `waymark serve`. See README.md.',
)

interface Agent {
  call(tool: string, input: object): Promise<Record<string, unknown>>
  kill(): void
}

async function connect(name: string): Promise<Agent> {
  const child = spawn(process.execPath, [waymark, 'serve', '--toolsets', 'all'], {
    cwd: directory,
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  const answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  let id = 0
  const request = async (method: string, params: object) => {
    id += 1
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`)
    const { value } = await answers.next()
    return JSON.parse(String(value)) as { result: Record<string, unknown> }
  }
  await request('initialize', {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name, version: '1' },
  })
  return {
    call: async (tool, input) => {
      console.log(`  ${name} → ${tool} ${JSON.stringify(input)}`)
      const { result } = await request('tools/call', { name: tool, arguments: input })
      return result['structuredContent'] as Record<string, unknown>
    },
    kill: () => void child.kill('SIGKILL'),
  }
}

function show({ entities }: Record<string, unknown>): void {
  for (const { number, type, title, created_by } of entities as Record<string, string>[]) {
    console.log(`    ${number} ${type}: ${title} (by ${created_by})`)
  }
}

function run(...args: string[]): void {
  console.log(`  $ waymark ${args.join(' ')}`)
  const text = execFileSync(process.execPath, [waymark, ...args], {
    cwd: directory,
    encoding: 'utf8',
  })
  console.log(text.trimEnd().replace(/^/gm, '    ').replaceAll(directory, '.'))
}

function say(text: string): void {
  console.log(`\n${text}`)
}
