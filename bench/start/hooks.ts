import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { ask, serve, WAYMARK } from '../everyday/server.ts'
import { median, toRatio } from '../statistics.ts'
import { takeTurns } from '../turns.ts'
import { recordBrief } from './brief-reads.ts'
import { type Cost, measure, type Run } from './cost.ts'

const SESSION = 'bench'

/** As a multiple of one read. A session begins with the whole brief, which loads most of the program. */
const BAR = 1.5
const BRIEF_BAR = 2.6

const SQLITE = createRequire(import.meta.url).resolve('@photostructure/sqlite')

/** What no hook can do without: Node starts, loads SQLite, opens the store and reads a row. */
const READ = `
  const { DatabaseSync } = require(${JSON.stringify(SQLITE)})
  const database = new DatabaseSync('.git/waymark/waymark.db', { readOnly: true })
  database.prepare('SELECT id FROM entity LIMIT 1').get()`

const LEXER = { title: 'Rework the lexer', locks: ['src/reserved.ts'] }

/** What no brief can do without: the same queries, and git's answer to which files were changed. */
const READ_BRIEF = `
  const { DatabaseSync } = require(${JSON.stringify(SQLITE)})
  const database = new DatabaseSync('.git/waymark/waymark.db', { readOnly: true })
  const queries = JSON.parse(require('node:fs').readFileSync('.git/brief.json', 'utf8'))
  for (const [sql, values] of queries) database.prepare(sql).all(...values)
  require('node:child_process').execFile('git', ['diff-index', '--name-only', 'HEAD', '--'], () => {})`

interface Hook {
  readonly name: string
  readonly event: string
  readonly input?: (round: number) => object
}

const BRIEF = 'session-start: the brief'

const HOOKS: readonly Hook[] = [
  { name: 'before-edit, free file', event: 'before-edit', input: () => edit('src/free.ts') },
  { name: 'before-edit, reserved', event: 'before-edit', input: () => edit('src/reserved.ts') },
  { name: 'after-edit, known file', event: 'after-edit', input: () => edit('src/free.ts') },
  {
    name: 'after-edit, new file: one commit',
    event: 'after-edit',
    input: (round) => edit(`src/new${round}.ts`),
  },
  { name: 'prompt, an unread message', event: 'prompt', input: () => ({ prompt: 'go on' }) },
  { name: 'stop, holds a task', event: 'stop' },
  { name: 'session-end, resumed', event: 'session-end', input: () => ({ reason: 'resume' }) },
  { name: BRIEF, event: 'session-start' },
]

/** Hooks as a host runs them, in a project where two agents work, beside one read of its store. */
export async function measureHooks(directory: string, rounds: number): Promise<void> {
  createProject(directory)
  const env = { ...process.env, CLAUDE_CODE_SESSION_ID: SESSION }
  await using own = await serve(directory, WAYMARK, { client: 'claude-code', env })
  await using other = await serve(directory, WAYMARK, { client: 'codex' })
  await ask(own, ['task_create', { tasks: [{ title: 'Rework the parser' }] }])
  await ask(own, ['task_next', { claim: true }])
  await ask(other, ['task_create', { tasks: [LEXER] }])
  await ask(other, ['task_next', { claim: true }])
  await ask(other, ['message_send', { to: 'claude-code', body: 'the lexer is mine' }])
  await recordBrief(directory, join(directory, '.git', 'brief.json'))
  const counts = new Map<string, number>()
  const runOf = ({ name, event, input }: Hook): Run => {
    const round = counts.get(name) ?? 0
    counts.set(name, round + 1)
    const stdin = JSON.stringify({ session_id: SESSION, cwd: directory, ...input?.(round) })
    return { args: [WAYMARK, 'hook', event, '--host', 'claude-code'], cwd: directory, stdin }
  }
  const samples = await takeTurns(rounds, {
    read: () => measure({ args: ['-e', READ], cwd: directory }),
    briefReads: () => measure({ args: ['-e', READ_BRIEF], cwd: directory }),
    ...Object.fromEntries(HOOKS.map((hook) => [hook.name, () => measure(runOf(hook))])),
  })
  const ofAll = (name: string, part: keyof Cost) =>
    (samples.get(name) ?? []).map((sample) => sample[part])
  console.log(
    `\nhooks of hosts beside an empty Node process that loads SQLite, opens the store and`,
  )
  console.log(`reads one row, ${rounds} interleaved rounds; one read takes`)
  console.log(`${median(ofAll('read', 'cpu')).toFixed(1)} ms of CPU time\n`)
  console.log('| hook | CPU ms (median) | CPU, × one read | wall, × one read | bar |')
  console.log('|---|---|---|---|---|')
  for (const { name, event } of HOOKS) {
    const [cpu, wall] = (['cpu', 'wall'] as const).map((part) =>
      toRatio(ofAll(name, part), ofAll('read', part)).toFixed(2),
    )
    const ms = median(ofAll(name, 'cpu')).toFixed(1)
    console.log(
      `| ${name} | ${ms} | ${cpu} | ${wall} | ${event === 'session-start' ? BRIEF_BAR : BAR} |`,
    )
  }
  const [brief, floor] = [ofAll(BRIEF, 'cpu'), ofAll('briefReads', 'cpu')]
  console.log(
    `\nthe brief beside an empty Node process that runs its queries and asks git for changed files`,
  )
  console.log(`(${median(floor).toFixed(1)} ms): CPU ×${toRatio(brief, floor).toFixed(2)}`)
}

function createProject(directory: string): void {
  mkdirSync(join(directory, 'src'), { recursive: true })
  for (const name of ['free', 'reserved']) writeFileSync(join(directory, `src/${name}.ts`), '\n')
  const git = (...args: readonly string[]) => execFileSync('git', ['-C', directory, ...args])
  git('init', '--quiet')
  git('add', '--all')
  git('-c', 'user.name=bench', '-c', 'user.email=bench@example.com', 'commit', '-qm', 'one')
  execFileSync(process.execPath, [WAYMARK, 'init'], { cwd: directory })
}

function edit(path: string) {
  return { tool_name: 'Edit', tool_input: { file_path: path } }
}
