// What storing and reading a large artifact costs, beside plain tools and Git, and whether memory stays flat.
// Ratios come from one run, measured in turns, so that a busy machine hits all of them alike.
import { execFileSync, spawn } from 'node:child_process'
import { randomFillSync } from 'node:crypto'
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const MEGABYTES = Number(process.argv[2] ?? 200)
const ROUNDS = Number(process.argv[3] ?? 3)
const waymark = fileURLToPath(new URL('../packages/waymark/bin/waymark.js', import.meta.url))
const hook = fileURLToPath(new URL('report-peak.cjs', import.meta.url))
const directory = mkdtempSync(join(tmpdir(), 'waymark-bench-'))

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

function makeFile(name: string, megabytes: number): void {
  const file = openSync(join(directory, name), 'w')
  const chunk = Buffer.alloc(1_000_000)
  for (let at = 0; at < megabytes; at += 1) writeSync(file, randomFillSync(chunk))
  closeSync(file)
}

try {
  execFileSync('git', ['init', '--quiet', directory])
  execFileSync(process.execPath, [waymark, 'init'], { cwd: directory, stdio: 'ignore' })
  const rows = new Map<string, Run[]>()
  for (let round = 0; round < ROUNDS; round += 1) {
    makeFile('large', MEGABYTES)
    makeFile('small', 1)
    const add = ['artifact', 'add', '-', '--json']
    const hashes: string[] = []
    const measured: readonly (readonly [string, () => Promise<Run>])[] = [
      // The same promise by plain tools: a copy on disk, and its hash.
      [
        'copy, sync and sha256sum',
        () => run('sh', ['-c', 'cat > copy && sync copy && sha256sum copy'], { input: 'large' }),
      ],
      [
        'git hash-object -w',
        () => run('git', ['hash-object', '-w', '--stdin'], { input: 'large' }),
      ],
      ['waymark artifact add, 1 MB', () => node(add, { input: 'small' })],
      [`waymark artifact add`, () => node(add, { input: 'large' })],
      [
        'waymark artifact get, 1 MB',
        () => node(['artifact', 'get', hashes[0] ?? ''], { output: 'o' }),
      ],
      ['waymark artifact get', () => node(['artifact', 'get', hashes[1] ?? ''], { output: 'o' })],
    ]
    for (const [name, measure] of measured) {
      const result = await measure()
      if (name.includes('add')) hashes.push((JSON.parse(result.out) as { hash: string }).hash)
      rows.set(name, [...(rows.get(name) ?? []), result])
    }
  }
  console.log(`${MEGABYTES} MB of random bytes, ${ROUNDS} rounds in turns, medians\n`)
  console.log('| | seconds | × plain tools | peak memory MB |')
  console.log('|---|---|---|---|')
  const floor = median([...rows.values()][0]?.map(({ seconds }) => seconds) ?? [])
  for (const [name, runs] of rows) {
    const seconds = median(runs.map((one) => one.seconds))
    const peak = median(runs.map((one) => one.peak)) / 1000
    const memory = peak === 0 ? '' : peak.toFixed(0)
    console.log(`| ${name} | ${seconds.toFixed(2)} | ${(seconds / floor).toFixed(2)} | ${memory} |`)
  }
} finally {
  rmSync(directory, { recursive: true, force: true, maxRetries: 10 })
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
}
