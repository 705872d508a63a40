// Cold start: CPU from launch to exit, as a multiple of an empty Node process in the same round.
import { execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { median, toRatio } from './statistics.ts'
import { takeTurns } from './turns.ts'

const ROUNDS = Number(process.argv[2] ?? 25)
const waymark = fileURLToPath(new URL('../packages/waymark/bin/waymark.js', import.meta.url))
const hook = fileURLToPath(new URL('report-cpu.cjs', import.meta.url))
const directory = mkdtempSync(join(tmpdir(), 'waymark-bench-'))

const initialize = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'bench', version: '1' },
  },
}

/** What no hook can do without. */
const READ = `
  import { DatabaseSync } from ${JSON.stringify(import.meta.resolve('@photostructure/sqlite'))}
  const database = new DatabaseSync('.git/waymark/waymark.db', { readOnly: true })
  database.prepare('SELECT id FROM entity LIMIT 1').get()`

const EDIT = JSON.stringify({
  session_id: 'bench',
  cwd: directory,
  tool_name: 'Edit',
  tool_input: { file_path: join(directory, 'a.ts') },
})

const ONE_READ = 'node, one read of the database'

/** As a multiple of one read. A session begins with the whole brief. */
const HOOK_BARS = {
  'before-edit': 1.5,
  'after-edit': 1.5,
  prompt: 1.5,
  stop: 1.5,
  'session-start': 2.8,
}

interface Contender {
  readonly name: string
  readonly args: readonly string[]
  readonly stdin?: string
  readonly bar: number
}

const contenders: readonly Contender[] = [
  { name: 'node -e 0', args: ['-e', '0'], bar: 1 },
  { name: 'waymark --version', args: [waymark, '--version'], bar: 1.3 },
  { name: 'waymark list', args: [waymark, 'list'], bar: 2.5 },
  { name: 'waymark task list', args: [waymark, 'task', 'list'], bar: 2.5 },
  { name: 'waymark get 1 --json', args: [waymark, 'get', '1', '--json'], bar: 2.5 },
  { name: ONE_READ, args: ['--input-type=module', '-e', READ], bar: 1.2 },
  ...Object.keys(HOOK_BARS).map((event) => ({
    name: `waymark hook ${event}`,
    args: [waymark, 'hook', event, '--host', 'claude-code'],
    stdin: EDIT,
    bar: event === 'session-start' ? 3.5 : 1.8,
  })),
  {
    name: 'waymark serve: initialize',
    args: [waymark, 'serve'],
    stdin: `${JSON.stringify(initialize)}\n`,
    bar: 2.5,
  },
]

try {
  execFileSync('git', ['init', '--quiet', directory])
  execFileSync('node', [waymark, 'init'], { cwd: directory })
  for (const title of ['one', 'two', 'three']) {
    execFileSync('node', [waymark, 'add', 'decision', title], { cwd: directory, stdio: 'ignore' })
  }

  const samples = await takeTurns(
    ROUNDS,
    Object.fromEntries(contenders.map((each) => [each.name, () => measure(each)])),
  )
  console.log(`cold start, CPU, ${ROUNDS} interleaved rounds, Node ${process.versions.node}\n`)
  console.log('| command | CPU ms (median) | × node -e 0 (median of rounds) | bar |')
  console.log('|---|---|---|---|')
  const ofAll = (name: string, part: keyof Cost) =>
    (samples.get(name) ?? []).map((sample) => sample[part])
  for (const { name, bar } of contenders) {
    const own = ofAll(name, 'cpu')
    const ratio = toRatio(own, ofAll('node -e 0', 'cpu')).toFixed(2)
    console.log(`| ${name} | ${median(own).toFixed(1)} | ${ratio} | ${bar} |`)
  }
  console.log(`\n| hook | CPU, × one read | wall, × one read | bar |\n|---|---|---|---|`)
  for (const [event, bar] of Object.entries(HOOK_BARS)) {
    const [cpu, wall] = (['cpu', 'wall'] as const).map((part) =>
      toRatio(ofAll(`waymark hook ${event}`, part), ofAll(ONE_READ, part)).toFixed(2),
    )
    console.log(`| ${event} | ${cpu} | ${wall} | ${bar} |`)
  }
} finally {
  rmSync(directory, { recursive: true, force: true, maxRetries: 10 })
}

/** In milliseconds. */
interface Cost {
  readonly cpu: number
  readonly wall: number
}

async function measure({ name, args, stdin }: Contender): Promise<Cost> {
  const start = performance.now()
  const child = spawn(process.execPath, ['-r', hook, ...args], {
    cwd: directory,
    stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
  })
  let [report, errors] = ['', '']
  child.stdio[3]?.on('data', (chunk) => (report += String(chunk)))
  child.stderr?.on('data', (chunk) => (errors += String(chunk)))
  // The pipe to a server is closed when it has answered, as a host does when it hangs up.
  child.stdout?.once('data', () => child.stdin?.end())
  if (stdin === undefined || stdin === EDIT) child.stdin?.end(stdin)
  else child.stdin?.write(stdin)
  const code = await new Promise((resolve) => child.once('close', resolve))
  // What ends early is quick, but has not answered.
  if (code !== 0) throw new Error(`${name} ended with ${String(code)}: ${errors}`)
  return { cpu: Number(report) / 1000, wall: performance.now() - start }
}
