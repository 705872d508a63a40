import { execFileSync } from 'node:child_process'
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ALIASES_BY_WORDS, expandAlias } from '../../src/surfaces/expand-alias.ts'
import { shell } from './shell.ts'

const NO_ENTITY = /no entity has (?:or had )?the number or id "99"\nhint: `waymark list` shows/
const NO_TASK = /must be a number or at least 4 hexadecimal/
const MISSING = /missing required argument '\w+'\n\(add --help/
const TOO_MANY = /too many arguments/
const AT_LEAST_1 = /limit: must be at least 1/

/** For each alias something wrong, and what is said of it. */
const WRONG: readonly (readonly [typed: string, said: RegExp])[] = [
  ...['show', 'view', 'note show', 'note get', 'decision show', 'decision get', 'history'].map(
    (words) => [`${words} 99`, NO_ENTITY] as const,
  ),
  ...['task show', 'task view', 'claim', 'start', 'task start', 'release', 'done', 'close'].map(
    (words) => [`${words} 99`, NO_ENTITY] as const,
  ),
  ...['complete', 'task done', 'task close', 'cancel', 'reopen', 'take'].map(
    (words) => [`${words} zzz`, words === 'take' ? TOO_MANY : NO_TASK] as const,
  ),
  ...['edit', 'note edit', 'decision edit', 'task edit'].map(
    (words) => [`${words} 99 --title X`, NO_ENTITY] as const,
  ),
  ...['rm', 'note rm', 'decision rm', 'task rm'].map(
    (words) => [`${words} 99 --force`, NO_ENTITY] as const,
  ),
  ...['note add', 'note create', 'note new', 'decision add', 'decision create'].map(
    (words) => [words, MISSING] as const,
  ),
  ...['decision new', 'task new', 'remember', 'remember decision', 'remember component'].map(
    (words) => [words, MISSING] as const,
  ),
  ['remember link X --url nowhere', /url: must/],
  ['remember prompt', MISSING],
  ['create story X', /type: must be one of decision, task, note/],
  ['new task X --priority soon', /priority: must be/],
  ['ls story', /type: must be one of decision, task, note/],
  ['note list --limit 0', AT_LEAST_1],
  ['decision list --limit 0', AT_LEAST_1],
  ['notes --limit 0', AT_LEAST_1],
  ['decisions --limit 0', AT_LEAST_1],
  ['find x --created-after soon', /created-after: must be a time like 2h ago/],
  ['recall x --limit 0', AT_LEAST_1],
  ['tags x', TOO_MANY],
  ['log --since soon', /since: must be a time like 2h ago/],
  ['stats x', TOO_MANY],
  ['ready --priority soon', /priority: must be one of urgent, high, normal, low/],
  ['next --max-priority soon', /max-priority: must be/],
  ['blocked --limit 0', AT_LEAST_1],
  ['board --limit many', /limit: must be a number/],
  ['assign 99 ada', NO_ENTITY],
  ['task assign 99 ada', NO_ENTITY],
  ['comment 99 text', NO_ENTITY],
  ['task comment zzz text', NO_TASK],
  ['dep add 1 99', NO_ENTITY],
  ['dep add 1 1', /add-depends-on: must be another/],
  ['dep rm 99 1', NO_ENTITY],
  ['task ls --status open', /status: must be one of todo, in_progress, blocked, done/],
  ['list --status bogus', /status: must be one of todo, .*, proposed, .*, planned/],
  ['decisions --status bogus', /status: must be one of proposed, accepted/],
  ['notes --status done', /status: a note has none/],
  ['why nothere.ts', /File not found: nothere.ts/],
  ['blame nothere.ts', /File not found: nothere.ts/],
  ['annotate nope --summary X', /no commit "nope"/],
  ['uninstall nope', /no host is called "nope"; known are claude-code/],
  ['release 1', /claim it/],
]

type Cell = readonly [typed: string, said: RegExp]

/** What a command takes, each time a wrong one. A command without an entry takes none of that kind. */
type Row = Readonly<Partial<Record<'name' | 'number' | 'date' | 'state', Cell>>>

const NO_TIME = /since: must be (?:the number of an event or )?a time like 2h ago, .* next friday, /
const NO_DATE = /due-date: must be a date like .* tomorrow, .* in 3 days/
const NO_EVENT = /type: no event is called "bogus"; there are agent\.edited, .*task\.done/
const HELD = /task 2 is held by ada/

/** In a project where #1 is free, #2 held by ada, #3 done, #4 a note, and m1 a question that was answered. */
const COMMANDS: Readonly<Record<string, Row>> = {
  inbox: {
    name: ['inbox ada', TOO_MANY],
    number: ['inbox --limit 0', AT_LEAST_1],
  },
  answer: {
    name: ['answer soon yes', /must be a number such as 3, m3 for a message or #3/],
    number: ['answer 99 yes', /there is no open question 99; none is open/],
    state: [
      'answer m1 no',
      /message 1 was answered by message 2; to add to it: waymark message send/,
    ],
  },
  'cancel --force': {
    name: ['cancel zzz --force', NO_TASK],
    number: ['cancel 99 --force', NO_ENTITY],
    state: ['cancel 3 --force', /task 3 is done; reopen it first/],
  },
  'cancel --force as an agent': { state: ['cancel 2 --force --actor bo', HELD] },
  'complete --force': {
    name: ['complete zzz --force', NO_TASK],
    number: ['complete 99 --force', NO_ENTITY],
    state: ['complete 5 --force', /task 5 is cancelled; reopen it first/],
  },
  complete: { state: ['complete 2', HELD], number: ['complete 2 --fence x', /fence: must be/] },
  'assign --force': {
    name: ['assign zzz bo --force', NO_TASK],
    number: ['assign 99 bo --force', NO_ENTITY],
    state: ['assign 4 bo --force', /note 4 is not a task/],
  },
  assign: { state: ['assign 2 bo', HELD] },
  'release --force': {
    name: ['release zzz --force', NO_TASK],
    number: ['release 99 --force', NO_ENTITY],
    state: ['release 1 --force', /no agent holds task 1; there is nothing to release/],
  },
  'edit --force': {
    name: ['edit 2 --status later --force', /status: must be one of todo, in_progress, blocked/],
    number: ['edit 2 --priority 1001 --force', /priority: must be at most 1000/],
    date: ['task edit 2 --due soon --force', NO_DATE],
    state: ['task edit 4 --title X --force', /note 4 is not a task/],
  },
  edit: { state: ['edit 2 --title X', HELD] },
  reopen: {
    name: ['reopen zzz', NO_TASK],
    number: ['reopen 99', NO_ENTITY],
    state: ['reopen 2', HELD],
  },
  'task take-back': {
    name: ['task take-back zzz --reason late', NO_TASK],
    number: ['task take-back 99 --reason late', NO_ENTITY],
    state: ['task take-back 1 --reason late', /task 1 is held by no agent here/],
  },
  log: {
    name: ['log --type bogus', NO_EVENT],
    number: ['log 99', NO_ENTITY],
    date: ['log --since soon', NO_TIME],
  },
  'log of one': { name: ['log zzz', NO_TASK], number: ['log 1 --limit 0', AT_LEAST_1] },
  events: {
    name: ['events --type bogus', NO_EVENT],
    number: ['events --limit 0', AT_LEAST_1],
    date: ['events --since soon', NO_TIME],
  },
  'events --follow': { name: ['events --follow --type bogus', NO_EVENT] },
  watch: {
    name: ['watch --type bogus', NO_EVENT],
    number: ['watch --since -1', /since: must be the number of an event or a time like/],
    date: ['watch --since soon', NO_TIME],
    state: ['watch 1', TOO_MANY],
  },
  'init --sync': {
    name: ['init --sync --scope team', /Allowed choices are shared, worktree/],
    number: ['init --sync 3', TOO_MANY],
    state: ['init --sync --project nope', /project: must be the id that `waymark init --json`/],
  },
  import: {
    name: ['import jira', /import from beads, task_master, backlog, lodestar, memory, adr/],
    number: ['import beads 12', /path: 12 is not in the project; name the file/],
    state: ['import beads cut.jsonl', /path: line 2 is not a JSON object; nothing was imported/],
  },
  'import adr': { state: ['import adr a.ts', /a\.ts is no record of a decision/] },
  'import backlog': { state: ['import backlog', /none of backlog, \.backlog is in the project/] },
  export: {
    name: ['export jira', /no tool is called "jira"; export to beads, backlog, or name a file/],
    number: ['export beads 1 2', TOO_MANY],
    state: ['export beads a.ts', /path: the file exists; pass --force to replace it/],
  },
  'export to nowhere': { name: ['export beads none/x.jsonl', /path: /] },
  'message send': {
    name: ['message send hi --to zoe', /no agent "zoe" has joined; .*"owner" asks the person/],
    number: ['message send hi --reply-to m99', /no message 99 to answer/],
    state: ['message send hi --severity loud', /severity: must be one of info, warning/],
  },
  'message get': {
    name: ['message get soon', /must be the number of a message, such as m3/],
    number: ['message get m99', /no message 99\nhint: `waymark message list` shows/],
  },
  'message thread': {
    name: ['message thread zzz', NO_TASK],
    number: ['message thread 99', NO_ENTITY],
  },
  comment: { name: ['comment zzz hi', NO_TASK], number: ['comment 99 hi', NO_ENTITY] },
  'task defer': {
    name: ['task defer zzz tomorrow', NO_TASK],
    number: ['task defer 99 tomorrow', NO_ENTITY],
    date: ['task defer 1 later', /until: must be a time like 2h ago, /],
    state: ['task defer 2 tomorrow', HELD],
  },
  'task reschedule': {
    name: ['task reschedule zzz tomorrow', NO_TASK],
    number: ['task reschedule 99 tomorrow', NO_ENTITY],
    date: ['task reschedule 1 soon', NO_DATE],
    state: ['task reschedule 2 tomorrow', HELD],
  },
  'task tree': { name: ['task tree zzz', NO_TASK], number: ['task tree 99', NO_ENTITY] },
  board: { number: ['board --limit 0', AT_LEAST_1] },
  undo: { date: ['undo ada yesteryear', NO_TIME], number: ['undo ada 12', NO_TIME] },
  resolve: {
    name: ['resolve 1 maybe', /choice: must be one of keep, other, both/],
    number: ['resolve 99 keep', NO_ENTITY],
    state: ['resolve 1 keep', /nothing of #1 waits for a choice; see waymark status/],
  },
  config: { name: ['config set x 1', TOO_MANY] },
}

/** A project that none of the calls in the tables may change. */
async function shellWithWork() {
  const sh = await shell()
  for (const title of ['Floors', 'Walls', 'Roof']) await sh.run(['task', 'add', title])
  await sh.run('add note Bricks')
  await sh.run('task add Cellar')
  await sh.run('cancel 5')
  await sh.run('done 3')
  await sh.run('claim 2 --actor ada')
  await sh.run('message send Which? --to owner --actor ada')
  await sh.run('answer m1 That')
  writeFileSync(join(sh.directory, 'a.ts'), 'export const a = 1\n')
  writeFileSync(join(sh.directory, 'cut.jsonl'), '{"id":"a-1","title":"A"}\n{"id":\n')
  execFileSync('git', [
    '-C',
    sh.directory,
    'remote',
    'add',
    'origin',
    join(sh.directory, 'nowhere'),
  ])
  const events = async () => (await sh.run('events --json')).out
  const state = async () => [
    await events(),
    (await sh.run('list --json')).out,
    (await sh.run('messages --all --json')).out,
    readdirSync(sh.directory),
  ]
  return { ...sh, events, state }
}

async function expectRefused(cells: readonly Cell[]): Promise<void> {
  await using sh = await shellWithWork()
  const [before, events] = [await sh.state(), await sh.events()]
  for (const [typed, said] of cells) {
    const { exit, out, err } = await sh.run(typed)
    expect.soft([exit > 1, out], `${typed}: ${err}`).toEqual([true, ''])
    expect.soft(err, typed).toMatch(said)
    expect.soft(err, typed).toMatch(/^error: /)
    expect(await sh.events(), typed).toBe(events)
  }
  expect(await sh.state()).toEqual(before)
}

describe('is answered with what is allowed, and changes nothing:', () => {
  it('for each alias [bad-input-table]', async () => {
    await expectRefused(WRONG)
    const tried = new Set(WRONG.map(([typed]) => expandAlias(typed.split(' ')).alias?.usage))
    const all = [...ALIASES_BY_WORDS.values()].filter(({ meaning }) => meaning !== '--version')
    expect(all.map(({ usage }) => usage).filter((usage) => !tried.has(usage))).toEqual([])
  })

  it('a wrong name, number, date or state of each command [bad-input-commands]', async () => {
    await expectRefused(Object.values(COMMANDS).flatMap((row) => Object.values(row)))
  })

  it('`init --sync` with a remote that is none', async () => {
    await using sh = await shellWithWork()
    const before = await sh.state()
    const { exit, out, err } = await sh.run('init --sync')
    expect([exit, out]).toEqual([1, `already a Waymark project: ${sh.directory}\n`])
    expect(err).toMatch(/nowhere' is not a Git repository; check the address of the remote/)
    expect(await sh.state()).toEqual(before)
  })
})
