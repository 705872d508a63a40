// Reading annotations: a file warm and cold, dependents, a directory; beside the `git blame` that a read contains.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createContext } from '../packages/waymark/src/core/context.ts'
import { execute } from '../packages/waymark/src/core/execute.ts'
import type { Unit } from '../packages/waymark/src/annotation/anchor.ts'
import { updateNotes } from '../packages/waymark/src/annotation/notes/write-notes.ts'
import { placeOutside } from '../packages/waymark/src/git/config/git-place.ts'
import { runGit } from '../packages/waymark/src/git/run.ts'
import { SILENT } from '../packages/waymark/src/support/logger.ts'
import type { Operation } from '../packages/waymark/src/core/operation.ts'
import { codeDependents } from '../packages/waymark/src/annotation/read/deps.ts'
import { readCode } from '../packages/waymark/src/annotation/read/read.ts'
import { summariseCode } from '../packages/waymark/src/annotation/summary/summary.ts'
import { whyCode } from '../packages/waymark/src/annotation/read/why.ts'
import { initialiseProject, openProject } from '../packages/waymark/src/core/project/project.ts'
import { median, quantile, timed, toRatio } from './statistics.ts'
import { takeTurns } from './turns.ts'
import { type CommitId, toCommitId } from '../packages/waymark/src/git/history/commit-id.ts'

const COMMITS = Number(process.argv[2] ?? 5_000)
const NOTES = Number(process.argv[3] ?? 2_000)
const ROUNDS = Number(process.argv[4] ?? 30)
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
  const edits = new Map<CommitId, () => string>()
  for (const [at, entry] of entries.entries()) {
    const [id = '', ...files] = entry.split('\n').filter((line) => line !== '')
    const commit = toCommitId(id)
    const regions = []
    for (const file of files.slice(0, 3)) {
      const text = await repository.versions.at(commit, file)
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

/** What was measured once has neither a spread nor something to be compared with. */
function printOnce(name: string, milliseconds: number): void {
  console.log(`| ${name} | ${milliseconds.toFixed(1)} | | |`)
}

/** Measures these and the floor in turns, and prints them beside that floor. */
async function printInTurns(
  rounds: number,
  floor: () => unknown,
  works: Readonly<Record<string, () => unknown>>,
): Promise<void> {
  const contenders = Object.entries({ [FLOOR]: floor, ...works }).map(
    ([name, work]) => [name, () => timed(async () => work())] as const,
  )
  const samples = await takeTurns(rounds, Object.fromEntries(contenders))
  for (const [name, own] of samples) {
    const ratio = toRatio(own, samples.get(FLOOR) ?? []).toFixed(2)
    const [p50, p95] = [median(own).toFixed(1), quantile(own, 0.95).toFixed(1)]
    console.log(`| ${name} | ${p50} | ${p95} | ${ratio} |`)
  }
}

/** Git that does nothing: one process that the others wait for, then the others at once. */
async function startGit(processes: number): Promise<void> {
  const start = () => runGit(['version'], placeOutside(parent))
  await start()
  await Promise.all(Array.from({ length: processes - 1 }, start))
}

async function run(title: string, directory: string, file: string, folder: string): Promise<void> {
  const blame = () =>
    execFileSync('git', ['-C', directory, 'blame', '--incremental', '-w', 'HEAD', '--', file], {
      maxBuffer: 1 << 28,
    })
  console.log(`\n${title}; each block beside a git blame in its own turns\n`)
  console.log('| what | p50 ms | p95 ms | × git blame |')
  console.log('|---|---|---|---|')
  {
    await using opened = await open(directory)
    const ask = (operation: Operation, input: object) => execute(opened.context, operation, input)
    const read = () => ask(readCode, { path: file })
    const summarise = () => ask(summariseCode, { path: folder })
    printOnce('copy the notes into the index, first read', await timed(read))
    printOnce('summary of a directory, first', await timed(summarise))
    await printInTurns(ROUNDS, blame, {
      'read, warm': read,
      'read one symbol, warm': () => ask(readCode, { path: file, anchor: nameOf(3) }),
      'why, warm': () => ask(whyCode, { path: file }),
      'deps, warm': () => ask(codeDependents, { path: file }),
      'summary of a directory, warm': summarise,
    })
  }
  const cold = async () => {
    const cache = join(directory, '.git', 'waymark', 'cache')
    rmSync(cache, { recursive: true, force: true, maxRetries: 10 })
    await using opened = await open(directory)
    await execute(opened.context, readCode, { path: file })
  }
  await printInTurns(ROUNDS / 2, blame, {
    'starting git as often as a cold read does': () => startGit(PROCESSES),
    'read, cold: nothing cached, new git processes': cold,
  })
  const command = () =>
    execFileSync('node', [waymark, 'code', 'read', file, '--json'], {
      cwd: directory,
      maxBuffer: 1 << 28,
    })
  await printInTurns(7, blame, {
    'node -e 0': () => execFileSync('node', ['-e', '0']),
    'waymark code read, caches on disk': command,
  })
}

async function open(directory: string) {
  const project = await openProject(directory)
  const { store, code, root } = project
  const agent = { name: 'bench', surface: 'api' } as const
  return {
    context: createContext({ store, agent, logger: SILENT, project: { root }, code }),
    [Symbol.asyncDispose]: () => project[Symbol.asyncDispose](),
  }
}

try {
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
    'packages/waymark/src/surfaces/cli/cli.ts',
    'packages/waymark/src/surface',
  )
} finally {
  rmSync(parent, { recursive: true, force: true, maxRetries: 10 })
}
