// Cold start: CPU from launch to exit, as a multiple of an empty Node process in the same round.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { WAYMARK } from './everyday/server.ts'
import { type Cost, measure, type Run } from './start/cost.ts'
import { measureHooks } from './start/hooks.ts'
import { median, toRatio } from './statistics.ts'
import { takeTurns } from './turns.ts'

const ROUNDS = Number(process.argv[2] ?? 25)
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

interface Contender extends Omit<Run, 'cwd'> {
  readonly name: string
  readonly bar: number
}

const contenders: readonly Contender[] = [
  { name: 'node -e 0', args: ['-e', '0'], bar: 1 },
  { name: 'waymark --version', args: [WAYMARK, '--version'], bar: 1.3 },
  { name: 'waymark list', args: [WAYMARK, 'list'], bar: 2.5 },
  { name: 'waymark task list', args: [WAYMARK, 'task', 'list'], bar: 2.5 },
  { name: 'waymark get 1 --json', args: [WAYMARK, 'get', '1', '--json'], bar: 2.5 },
  {
    name: 'waymark serve: initialize',
    args: [WAYMARK, 'serve'],
    stdin: `${JSON.stringify(initialize)}\n`,
    isServer: true,
    bar: 2.5,
  },
]

try {
  execFileSync('git', ['init', '--quiet', directory])
  execFileSync('node', [WAYMARK, 'init'], { cwd: directory })
  for (const title of ['one', 'two', 'three']) {
    execFileSync('node', [WAYMARK, 'add', 'decision', title], { cwd: directory, stdio: 'ignore' })
  }

  const samples = await takeTurns(
    ROUNDS,
    Object.fromEntries(
      contenders.map((each) => [each.name, () => measure({ ...each, cwd: directory })]),
    ),
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
  await measureHooks(join(directory, 'hooks'), ROUNDS)
} finally {
  rmSync(directory, { recursive: true, force: true, maxRetries: 10 })
}
