// Shows in a throw-away repository what Waymark is for: agents that share knowledge and work, and a kill that loses nothing.
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
run('init')

say('Agent "planner" connects over MCP, records a decision and plans the work.')
const planner = await connect('planner')
await planner.call('remember', {
  type: 'decision',
  title: 'Keep sessions in SQLite',
  content: 'One file, no server, survives kill -9.',
  properties: { status: 'accepted' },
})
await planner.call('task_create', {
  tasks: [
    { title: 'Write the session store', key: 'store', priority: 'high' },
    { title: 'Write the login page', depends_on: ['store'] },
    { title: 'Describe sessions in the manual' },
  ],
})

say('planner takes the most urgent task and is killed with -9 the moment its answer arrives.')
await planner.call('task_next', { claim: true })
planner.kill()

say(
  'Agent "builder", another process, asks where it stands. What planner holds is not offered, what waits for it neither.',
)
const builder = await connect('builder')
await builder.call('brief', { topic: 'sessions' })
await builder.call('task_next', { claim: true })
await builder.call('recall', { query: 'why sqlite for sessions' })
builder.kill()

say('A person looks at it from the command line.')
run('list')
run('tasks', 'blocked')
run('agents', 'list')

rmSync(directory, { recursive: true, force: true })
console.log('\nIn your own repository: `waymark init`, then `waymark install`. See README.md.')

interface Agent {
  call(tool: string, input: object): Promise<void>
  kill(): void
}

async function connect(name: string): Promise<Agent> {
  const child = spawn(process.execPath, [waymark, 'serve'], {
    cwd: directory,
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  const answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  let id = 0
  const request = async (method: string, params: object) => {
    id += 1
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`)
    const { value } = await answers.next()
    return JSON.parse(String(value)) as { result: { content: { text: string }[] } }
  }
  const clientInfo = { name, version: '1' }
  await request('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo })
  return {
    call: async (tool, input) => {
      console.log(`  ${name} → ${tool} ${JSON.stringify(input)}`)
      const { result } = await request('tools/call', { name: tool, arguments: input })
      console.log(indented(result.content[0]?.text ?? ''))
    },
    kill: () => void child.kill('SIGKILL'),
  }
}

function run(...args: string[]): void {
  console.log(`  $ waymark ${args.join(' ')}`)
  const text = execFileSync(process.execPath, [waymark, ...args], {
    cwd: directory,
    encoding: 'utf8',
  })
  console.log(indented(text))
}

function indented(text: string): string {
  return text.trimEnd().replaceAll(directory, '.').replace(/^/gm, '      ')
}

function say(text: string): void {
  console.log(`\n${text}`)
}
