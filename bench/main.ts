// Runs the benchmarks one after the other and writes a report: what they printed, with the machine's load and versions.
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
  everyday: 'What everyday calls cost',
  knowledge: 'Search, queue and graph',
  queue: 'Tasks and claims',
  scale: 'How everyday calls grow with the project',
  code: 'Annotations',
  artifacts: 'Artifacts',
  replica: 'Replication',
  team: 'The team server beside SQLite',
  clones: 'Claims that a Git remote grants',
  baton: 'The protocol layer',
  ui: 'The page',
  'ui-kills': 'The page while its server is killed',
  'ui-soak': 'The page for an hour',
}

/** An hour: only when it is asked for. */
const LONG: ReadonlySet<string> = new Set(['ui-soak'])

/** Variables by which a benchmark is made smaller or larger. */
const SIZES = [
  'WAYMARK_CALLS',
  'WAYMARK_CLAIMS',
  'WAYMARK_ENTITIES',
  'WAYMARK_ROUNDS',
  'WAYMARK_TASKS',
]

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
  --report <folder> write a page about each there`)
} else process.exitCode = run()

function run(): number {
  const names = values.only?.split(',') ?? Object.keys(BENCHMARKS).filter((name) => !LONG.has(name))
  const unknown = names.find((name) => !(name in BENCHMARKS))
  if (unknown !== undefined) throw new Error(`--only: there is no benchmark ${unknown}`)
  let failed = 0
  for (const name of names) {
    const before = load()
    const { status, text } = measure(name)
    if (status !== 0) {
      failed += 1
      console.error(`${name} failed with ${status}; nothing is written about it`)
    } else if (values.report !== undefined) write(values.report, name, toPage(name, before, text))
  }
  return failed === 0 ? 0 : 1
}

/** Each benchmark has a page of its own, so that one can be repeated without the others. */
function write(folder: string, name: string, page: string): void {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, `bench-${name}.md`), page)
}

function measure(name: string): { status: number | null; text: string } {
  console.log(`\n== ${name} (load ${load()})`)
  const more = hasPeers(name) ? ['--', '--peers'] : []
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

function hasPeers(name: string): boolean {
  return values.peers && name === 'queue'
}

function toPage(name: string, before: string, text: string): string {
  const git = execFileSync('git', ['--version'], { encoding: 'utf8' }).trim()
  const machine = `${platform()} ${release()} ${arch()}, ${cpus().length} cores, Node ${process.version}, ${git}`
  const command = `${settings()}npm run bench -- --only ${name}${hasPeers(name) ? ' --peers' : ''}`
  return `# ${BENCHMARKS[name]}

Written by \`${command}\` on ${new Date().toISOString().slice(0, 10)}; do not edit. ${machine}, load
before it ${before}. Figures are ratios within one run wherever something can be compared. Where the sides took turns a busy
machine hits both alike; milliseconds are those of this machine on that day.

\`\`\`
${text}
\`\`\`
`
}

/** Sizes that were given in the environment, as one types them before a command. */
function settings(): string {
  const given = Object.entries(process.env).filter(([name]) => SIZES.includes(name))
  return given.map(([name, value]) => `${name}=${value} `).join('')
}

function load(): string {
  return (loadavg()[0] ?? 0).toFixed(1)
}
