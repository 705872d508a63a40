// Cold start: CPU from launch to exit, as a multiple of an empty Node process in the same round.
import { execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

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
  {
    name: 'waymark serve: initialize',
    args: [waymark, 'serve'],
    stdin: `${JSON.stringify(initialize)}\n`,
    bar: 2.5,
  },
]

execFileSync('git', ['init', '--quiet', directory])
execFileSync('node', [waymark, 'init'], { cwd: directory })
for (const title of ['one', 'two', 'three']) {
  execFileSync('node', [waymark, 'add', 'decision', title], { cwd: directory, stdio: 'ignore' })
}

const rounds: number[][] = []
for (let round = 0; round <= ROUNDS; round += 1) {
  const used: number[] = []
  for (const contender of contenders) used.push(await measure(contender))
  // The first round fills the disk cache and does not count.
  if (round > 0) rounds.push(used)
}
rmSync(directory, { recursive: true, force: true, maxRetries: 10 })

console.log(`cold start, CPU, ${ROUNDS} interleaved rounds, Node ${process.versions.node}\n`)
console.log('| command | CPU ms (median) | × node -e 0 (median of rounds) | bar |')
console.log('|---|---|---|---|')
for (const [at, { name, bar }] of contenders.entries()) {
  const milliseconds = median(rounds.map((used) => (used[at] ?? 0) / 1000))
  const ratio = median(rounds.map((used) => (used[at] ?? 0) / (used[0] ?? 1)))
  console.log(`| ${name} | ${milliseconds.toFixed(1)} | ${ratio.toFixed(2)} | ${bar} |`)
}

async function measure({ args, stdin }: Contender): Promise<number> {
  const child = spawn(process.execPath, ['-r', hook, ...args], {
    cwd: directory,
    stdio: ['pipe', 'pipe', 'ignore', 'pipe'],
  })
  let report = ''
  child.stdio[3]?.on('data', (chunk) => (report += String(chunk)))
  // The pipe to a server is closed when it has answered, as a host does when it hangs up.
  child.stdout?.once('data', () => child.stdin?.end())
  if (stdin === undefined) child.stdin?.end()
  else child.stdin?.write(stdin)
  await new Promise((resolve) => child.once('close', resolve))
  return Number(report)
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}
