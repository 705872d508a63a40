// What storing and reading a large artifact costs, beside plain tools and Git, and whether memory stays flat.
// Ratios come from one run, measured in turns, so that a busy machine hits all of them alike.
import { execFileSync, spawn } from 'node:child_process'
import { randomFillSync } from 'node:crypto'
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { median, toRatio } from './statistics.ts'
import { takeTurns } from './turns.ts'

const MEGABYTES = Number(process.argv[2] ?? 200)
const ROUNDS = Number(process.argv[3] ?? 3)
const waymark = fileURLToPath(new URL('../packages/waymark/bin/waymark.js', import.meta.url))
const hook = fileURLToPath(new URL('report-peak.cjs', import.meta.url))
const directory = mkdtempSync(join(tmpdir(), 'waymark-bench-'))
const SMALL = ', 1 MB'
/** What the latest that was stored is called, by the name of its file. */
const artifacts: Record<string, string> = {}
const blobs: Record<string, string> = {}

interface Run {
  readonly seconds: number
  /** Kilobytes, where the process could tell. */
  readonly peak: number
  readonly out: string
}

function run(command: string, args: readonly string[], { input = '', output = '' }): Promise<Run> {
  const stdin = input === '' ? 'ignore' : openSync(join(directory, input), 'r')
  const stdout = output === '' ? 'pipe' : openSync(join(directory, output), 'w')
  const start = performance.now()
  const child = spawn(command, args, { cwd: directory, stdio: [stdin, stdout, 'inherit', 'pipe'] })
  for (const file of [stdin, stdout]) if (typeof file === 'number') closeSync(file)
  let [peak, out] = ['', '']
  child.stdio[3]?.on('data', (text: Buffer) => (peak += text.toString()))
  child.stdout?.on('data', (text: Buffer) => (out += text.toString()))
  return new Promise((resolve, reject) => {
    child.once('close', (code) => {
      if (code !== 0) reject(new Error(`${command} ${args.join(' ')} ended with ${code}`))
      else resolve({ seconds: (performance.now() - start) / 1000, peak: Number(peak), out })
    })
  })
}

const node = (args: readonly string[], pipes: { input?: string; output?: string }): Promise<Run> =>
  run(process.execPath, ['-r', hook, waymark, ...args], pipes)

/** A file of new random bytes, so that no store has its content yet. */
function makeFile(name: string, megabytes: number): void {
  const file = openSync(join(directory, name), 'w')
  const chunk = Buffer.alloc(1_000_000)
  for (let at = 0; at < megabytes; at += 1) writeSync(file, randomFillSync(chunk))
  closeSync(file)
}

/** Flushes dirty pages, so that no contender pays for the writes of the previous one. */
function settle(): void {
  execFileSync('sync')
}

type Contenders = Readonly<Record<string, () => Promise<Run>>>

/** The first of them is the floor; those of another size are only there for their memory. */
async function compare(title: string, contenders: Contenders): Promise<void> {
  const samples = await takeTurns(ROUNDS, contenders)
  console.log(`\n| ${title} | seconds | × the first | peak memory MB |`)
  console.log('|---|---|---|---|')
  const secondsOf = (runs: readonly Run[] = []) => runs.map(({ seconds }) => seconds)
  const floor = secondsOf([...samples.values()][0])
  for (const [name, runs] of samples) {
    const seconds = secondsOf(runs)
    const ratio = name.endsWith(SMALL) ? '' : toRatio(seconds, floor).toFixed(2)
    const peak = median(runs.map((one) => one.peak)) / 1000
    const memory = peak === 0 ? '' : peak.toFixed(0)
    console.log(`| ${name} | ${median(seconds).toFixed(2)} | ${ratio} | ${memory} |`)
  }
}

/** The same promise by plain tools: a copy that is on the disk, and its hash. */
function writers(): Contenders {
  const fresh = (work: (input: string) => Promise<Run>, input = 'large') => {
    makeFile(input, input === 'large' ? MEGABYTES : 1)
    settle()
    return work(input)
  }
  const add = async (input: string) => {
    const result = await node(['artifact', 'add', '-', '--json'], { input })
    artifacts[input] = (JSON.parse(result.out) as { hash: string }).hash
    return result
  }
  const plain = 'cat > copy && sync copy && sha256sum copy'
  const hashObject = async (input: string) => {
    const result = await run('git', ['hash-object', '-w', '--stdin'], { input })
    blobs[input] = result.out.trim()
    return result
  }
  return {
    'copy, sync and sha256sum': () => fresh((input) => run('sh', ['-c', plain], { input })),
    'git hash-object -w': () => fresh(hashObject),
    'waymark artifact add': () => fresh(add),
    [`waymark artifact add${SMALL}`]: () => fresh(add, 'small'),
  }
}

/** What is read is in memory already, for all of them. Waymark looks whether it is still what it was, hence the hash. */
function readers(): Contenders {
  const read = (work: () => Promise<Run>) => {
    settle()
    return work()
  }
  const output = 'output'
  const get = (input: string) => node(['artifact', 'get', artifacts[input] ?? ''], { output })
  const blob = () => run('git', ['cat-file', 'blob', blobs['large'] ?? ''], { output })
  return {
    cat: () => read(() => run('cat', ['copy'], { output })),
    'sha256sum and cat': () =>
      read(() => run('sh', ['-c', 'sha256sum copy > sum && cat copy'], { output })),
    'git cat-file': () => read(blob),
    'waymark artifact get': () => read(() => get('large')),
    [`waymark artifact get${SMALL}`]: () => read(() => get('small')),
  }
}

try {
  execFileSync('git', ['init', '--quiet', directory])
  execFileSync(process.execPath, [waymark, 'init'], { cwd: directory, stdio: 'ignore' })
  console.log(`${MEGABYTES} MB of random bytes, ${ROUNDS} rounds in turns, medians`)
  await compare('storing', writers())
  await compare('reading', readers())
} finally {
  rmSync(directory, { recursive: true, force: true, maxRetries: 10 })
}
