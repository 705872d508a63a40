// Shows in a throw-away repository what Waymark is for: agents that share knowledge and work, and a kill that loses nothing.
import { execFileSync, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { type Agent, connect as connectAgent, waymark } from './demo/agent.ts'
import { fillDemoProject } from './demo/project.ts'

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
await showPage()

/** Four agents at work in a shop, and the page on which a person sees and steers them, until Ctrl+C. */
async function showPage(): Promise<void> {
  say(
    'A person sees and steers agents on a live page. A small shop is being filled with four of them…',
  )
  const top = mkdtempSync(join(tmpdir(), 'waymark-demo-'))
  const shop = join(top, 'shop')
  mkdirSync(shop)
  const project = await fillDemoProject(shop)
  const server = spawn(process.execPath, [waymark, 'ui', '--no-open', '--json'], {
    cwd: shop,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const end = (): void => {
    server.kill()
    project.stop()
    rmSync(top, { recursive: true, force: true, maxRetries: 5 })
  }
  process.once('SIGINT', end).once('SIGTERM', end)
  const { value } = await createInterface({ input: server.stdout })[Symbol.asyncIterator]().next()
  const { url } = JSON.parse(String(value)) as { url: string }
  // Without a terminal no Ctrl+C can come, so the demo ends here.
  if (!process.stdout.isTTY) {
    say('The page is ready. Run the demo in a terminal to open it.')
    end()
    return
  }
  say(
    `The live page of the demo project is at\n\n  ${url}\n\nIt opens once, within a minute. Stop with Ctrl+C.`,
  )
}

interface Talker {
  call(tool: string, input: object): Promise<void>
  kill(): void
}

async function connect(name: string): Promise<Talker> {
  const agent: Agent = await connectAgent(directory, name)
  return {
    call: async (tool, input) => {
      console.log(`  ${name} → ${tool} ${JSON.stringify(input)}`)
      console.log(indented(await agent.call(tool, input)))
    },
    kill: () => agent.kill(),
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
