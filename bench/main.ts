// Runs the benchmarks one after the other and writes one report: what they printed, with the machine's load and versions.
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { arch, cpus, loadavg, platform, release } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

const ROOT = fileURLToPath(new URL('../', import.meta.url))

/** In the order of the report. */
const BENCHMARKS: Readonly<Record<string, string>> = {
  start: 'How soon a command answers',
  store: 'Writing and noticing',
  knowledge: 'Search and graph',
  queue: 'Tasks and claims',
  code: 'Annotations',
  artifacts: 'Artifacts',
  replica: 'Replication',
  baton: 'The protocol layer',
}

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    report: { type: 'string' },
    peers: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  },
})

if (values.help) {
  console.log(`Usage: npm run bench -- [options]

  --only <names>    some of ${Object.keys(BENCHMARKS).join(', ')}
  --peers           install and measure other programs, where there are any to compare with
  --report <folder> write bench.md there`)
} else process.exitCode = run()

function run(): number {
  const names = values.only?.split(',') ?? Object.keys(BENCHMARKS)
  const unknown = names.find((name) => !(name in BENCHMARKS))
  if (unknown !== undefined) throw new Error(`--only: there is no benchmark ${unknown}`)
  const sections: string[] = []
  let failed = 0
  for (const name of names) {
    const before = load()
    const { status, text } = measure(name)
    if (status !== 0) failed += 1
    const title = `## ${BENCHMARKS[name]}\n\n\`npm run bench:${name}\`, load before it ${before}`
    sections.push(`${title}\n\n\`\`\`\n${text}\n\`\`\`\n`)
  }
  if (values.report !== undefined) {
    mkdirSync(values.report, { recursive: true })
    writeFileSync(join(values.report, 'bench.md'), [head(), ...sections].join('\n'))
  }
  return failed === 0 ? 0 : 1
}

function measure(name: string): { status: number | null; text: string } {
  console.log(`\n== ${name} (load ${load()})`)
  const more = values.peers && name === 'queue' ? ['--', '--peers'] : []
  const args = ['run', '--silent', `bench:${name}`, ...more]
  const { status, stdout } = spawnSync('npm', args, {
    cwd: ROOT,
    encoding: 'utf8',
    maxBuffer: 1 << 26,
    stdio: ['ignore', 'pipe', 'inherit'],
    shell: process.platform === 'win32',
  })
  console.log(stdout)
  return { status, text: stdout.trim() }
}

function head(): string {
  const git = execFileSync('git', ['--version'], { encoding: 'utf8' }).trim()
  const machine = `${platform()} ${release()} ${arch()}, ${cpus().length} cores, Node ${process.version}, ${git}`
  return `# What it costs

Written by \`npm run bench\` on ${new Date().toISOString().slice(0, 10)}; do not edit. ${machine}.

Figures are ratios within one run wherever something can be compared: a busy machine hits both sides of a ratio alike,
while milliseconds are those of this machine on that day.
`
}

function load(): string {
  return (loadavg()[0] ?? 0).toFixed(1)
}
