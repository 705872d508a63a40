// Reading annotations: a file warm and cold, dependents, a directory; beside the `git blame` that a read contains.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createContext } from '../packages/waymark/src/context.ts'
import { execute } from '../packages/waymark/src/execute.ts'
import type { Unit } from '../packages/waymark/src/domain/code/anchor.ts'
import { readFileAt } from '../packages/waymark/src/git/current-file.ts'
import { updateNotes } from '../packages/waymark/src/git/notes/write-notes.ts'
import { runGit } from '../packages/waymark/src/git/run.ts'
import { SILENT } from '../packages/waymark/src/logger.ts'
import type { Operation } from '../packages/waymark/src/operation.ts'
import { codeDependents } from '../packages/waymark/src/operations/code/deps.ts'
import { readCode } from '../packages/waymark/src/operations/code/read.ts'
import { summariseCode } from '../packages/waymark/src/operations/code/summary.ts'
import { whyCode } from '../packages/waymark/src/operations/code/why.ts'
import { initialiseProject, openProject } from '../packages/waymark/src/project.ts'

const COMMITS = Number(process.argv[2] ?? 5_000)
const NOTES = Number(process.argv[3] ?? 2_000)
const ROUNDS = 30
const FILES = 100
const FUNCTIONS = 20
const FLOOR = 'git blame (the floor)'
/** A reader of objects, blame, log, config, and one look at which commits are in the history. */
const PROCESSES = 5
const waymark = fileURLToPath(new URL('../packages/waymark/bin/waymark.js', import.meta.url))
const here = fileURLToPath(new URL('..', import.meta.url))
const parent = mkdtempSync(join(tmpdir(), 'waymark-bench-code-'))

const pathOf = (file: number) => `src/module${file % 10}/file${file}.ts`
const nameOf = (number: number) => `handle${number}`

/** A file of many functions; `versions` says how often each was changed. */
function textOf(versions: readonly number[]): string {
  return versions
    .map(
      (version, number) =>
        `export function ${nameOf(number)}(input: string): string {\n  const version = ${version}\n  return input.repeat(version)\n}\n`,
    )
    .join('\n')
}

/** A history in which every commit changes one function of one file. */
function generate(directory: string): void {
  execFileSync('git', ['init', '--quiet', '--initial-branch=main', directory])
  const versions = Array.from({ length: FILES }, () => Array.from({ length: FUNCTIONS }, () => 0))
  const stream: string[] = []
  for (let commit = 0; commit < COMMITS; commit += 1) {
    const file = (commit * 7) % FILES
    const own = versions[file] ?? []
    own[Math.floor(commit / FILES) % FUNCTIONS] = commit
    const message = `Change ${commit}`
    const text = textOf(own)
    stream.push(
      `commit refs/heads/main\ncommitter B <b@example.com> ${1_700_000_000 + commit * 600} +0000\n`,
      `data ${message.length}\n${message}\n`,
      `M 100644 inline ${pathOf(file)}\ndata ${text.length}\n${text}\n`,
    )
  }
  execFileSync('git', ['-C', directory, 'fast-import', '--quiet'], { input: stream.join('') })
  execFileSync('git', ['-C', directory, 'reset', '--quiet', '--hard', 'main'])
}

function git(directory: string, ...args: string[]): string {
  return execFileSync('git', ['-C', directory, ...args], { encoding: 'utf8', maxBuffer: 1 << 28 })
}

/** A note for each of these commits, about what it changed, with hashes as `code annotate` writes them. */
async function annotate(directory: string, wanted: number): Promise<void> {
  await using project = await openProject(directory)
  const repository = await project.code.repository()
  const format = ['--no-merges', '--name-only', '--format=%x01%H', `--max-count=${wanted}`]
  const entries = git(directory, 'log', ...format)
    .split('\u0001')
    .slice(1)
  const edits = new Map<string, () => string>()
  for (const [at, entry] of entries.entries()) {
    const [commit = '', ...files] = entry.split('\n').filter((line) => line !== '')
    const regions = []
    for (const file of files.slice(0, 3)) {
      const text = await readFileAt(repository, commit, file)
      if (text === undefined) continue
      const { units } = await repository.outlines.of({ path: file, ...text })
      regions.push(toRegion(file, units[at % Math.max(units.length, 1)], at))
    }
    const record = {
      $schema: 'ultragit/v1',
      timestamp: new Date(1_750_000_000_000 + at * 1000).toISOString(),
      id: crypto.randomUUID(),
      commit,
      summary: `Why change ${at} was made, in a sentence of ordinary length`,
      context_level: 'enhanced',
      regions,
    }
    edits.set(commit, () => `${JSON.stringify(record)}\n`)
  }
  const ref = 'refs/notes/waymark'
  await updateNotes(repository, { ref, edits, author: 'bench', message: 'notes', at: 0 })
}

function toRegion(file: string, unit: Unit | undefined, at: number): object {
  return {
    file,
    ...(unit !== undefined && {
      ast_anchor: { type: unit.type, name: unit.name },
      lines: unit.lines,
      content_hash: unit.contentHash,
      signature_hash: unit.signatureHash,
    }),
    intent: 'Keeps the order of the input, because callers rely on it when they merge',
    reasoning: 'Sorting was tried and broke the import; the order is part of the contract. '.repeat(
      3,
    ),
    constraints: [{ text: 'must not allocate per item', source: 'author' }],
    semantic_dependencies: [
      { file: pathOf(at % FILES), anchor: nameOf(at % FUNCTIONS), nature: 'is pure' },
    ],
    tags: ['order'],
  }
}

interface Figures {
  readonly name: string
  readonly p50: number
  readonly p95: number
}

function summarise(name: string, times: readonly number[]): Figures {
  const sorted = times.toSorted((a, b) => a - b)
  return {
    name,
    p50: sorted[Math.floor(sorted.length / 2)] ?? Number.NaN,
    p95: sorted[Math.floor(sorted.length * 0.95)] ?? Number.NaN,
  }
}

async function measure(name: string, rounds: number, work: () => unknown): Promise<Figures> {
  const times: number[] = []
  for (let round = 0; round < rounds; round += 1) {
    const started = performance.now()
    await work()
    times.push(performance.now() - started)
  }
  return summarise(name, times)
}

/** One after the other in each round, so that a busy machine hits all of them alike. */
async function measureInTurns(
  rounds: number,
  works: Readonly<Record<string, () => unknown>>,
): Promise<readonly Figures[]> {
  const times = new Map<string, number[]>(Object.keys(works).map((name) => [name, []]))
  for (let round = 0; round < rounds; round += 1) {
    for (const [name, work] of Object.entries(works)) {
      const { p50 } = await measure(name, 1, work)
      times.get(name)?.push(p50)
    }
  }
  return [...times].map(([name, each]) => summarise(name, each))
}

/** Git that does nothing: one process that the others wait for, then the others at once. */
async function startGit(processes: number): Promise<void> {
  const start = () => runGit(['version'], { cwd: parent })
  await start()
  await Promise.all(Array.from({ length: processes - 1 }, start))
}

async function run(title: string, directory: string, file: string, folder: string): Promise<void> {
  const figures: Figures[] = []
  const blame = () =>
    execFileSync('git', ['-C', directory, 'blame', '--incremental', '-w', 'HEAD', '--', file], {
      maxBuffer: 1 << 28,
    })
  {
    await using project = await openProject(directory)
    const context = createContext({
      store: project.store,
      agent: { name: 'bench', surface: 'api' },
      logger: SILENT,
      project: { root: project.root },
      code: project.code,
    })
    const ask = (operation: Operation, input: object) => execute(context, operation, input)
    figures.push(
      await measure('copy the notes into the index, first read', 1, () =>
        ask(readCode, { path: file }),
      ),
    )
    figures.push(await measure('read, warm', ROUNDS, () => ask(readCode, { path: file })))
    figures.push(
      await measure('read one symbol, warm', ROUNDS, () =>
        ask(readCode, { path: file, anchor: nameOf(3) }),
      ),
    )
    figures.push(await measure('why, warm', ROUNDS, () => ask(whyCode, { path: file })))
    figures.push(await measure('deps, warm', ROUNDS, () => ask(codeDependents, { path: file })))
    figures.push(
      await measure('summary of a directory, first', 1, () => ask(summariseCode, { path: folder })),
    )
    figures.push(
      await measure('summary of a directory, warm', 10, () => ask(summariseCode, { path: folder })),
    )
  }
  const cold = async () => {
    rmSync(join(directory, '.git', 'waymark', 'cache'), {
      recursive: true,
      force: true,
      maxRetries: 10,
    })
    await using project = await openProject(directory)
    const context = createContext({
      store: project.store,
      agent: { name: 'bench', surface: 'api' },
      logger: SILENT,
      code: project.code,
    })
    await execute(context, readCode, { path: file })
  }
  figures.push(
    ...(await measureInTurns(15, {
      [FLOOR]: blame,
      'starting git as often as a cold read does': () => startGit(PROCESSES),
      'read, cold: nothing cached, new git processes': cold,
    })),
  )
  const command = () =>
    execFileSync('node', [waymark, 'code', 'read', file, '--json'], {
      cwd: directory,
      maxBuffer: 1 << 28,
    })
  figures.push(await measure('node -e 0', 7, () => execFileSync('node', ['-e', '0'])))
  figures.push(await measure('waymark code read, caches on disk', 7, command))
  const floor = figures.find(({ name }) => name === FLOOR)
  console.log(`\n${title}\n`)
  console.log('| what | p50 ms | p95 ms | × git blame |')
  console.log('|---|---|---|---|')
  for (const { name, p50, p95 } of figures) {
    console.log(
      `| ${name} | ${p50.toFixed(1)} | ${p95.toFixed(1)} | ${(p50 / (floor?.p50 ?? 1)).toFixed(2)} |`,
    )
  }
}

const generated = join(parent, 'generated')
generate(generated)
await initialiseProject(generated)
await annotate(generated, NOTES)
await run(`generated: ${COMMITS} commits, ${NOTES} notes`, generated, pathOf(7), 'src/module7')

const own = join(parent, 'own')
execFileSync('git', ['clone', '--quiet', here, own])
await initialiseProject(own)
await annotate(own, 200)
await run(
  'this repository, 200 notes',
  own,
  'packages/waymark/src/surface/cli.ts',
  'packages/waymark/src/surface',
)
rmSync(parent, { recursive: true, force: true, maxRetries: 10 })
