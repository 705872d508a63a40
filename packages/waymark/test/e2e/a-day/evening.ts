import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Agent, Stage } from './stage.ts'

/** Numbers of the tasks of the evening. */
const LOGO = '12'
const FOOTER = '13'
const BANNER = '14'
const AUDIT = '15'

interface Overruling {
  readonly words: readonly string[]
  readonly number: string
  readonly reason: string
  /** What the task is afterwards. */
  readonly after: RegExp
}

const OVERRULINGS: readonly Overruling[] = [
  { words: ['complete', LOGO], number: LOGO, reason: 'done by hand', after: /^#12 done: Logo/ },
  { words: ['release', FOOTER], number: FOOTER, reason: 'not today', after: /^#13 todo: Footer/ },
  {
    words: ['edit', BANNER, '--title', 'Banner in green'],
    number: BANNER,
    reason: 'blue was wrong',
    after: /^#14 todo: Banner in green/,
  },
]

/** The person completes, releases and edits what an agent holds. The agent hears of each, with who and why. */
export async function overrule(stage: Stage, agent: Agent): Promise<void> {
  stage.chapter('The person completes, releases and edits what an agent holds')
  const tasks = ['Logo', 'Footer', 'Banner'].map((title) => ({ title, priority: 'urgent' }))
  await agent.ask('task_create', { tasks })
  for (const { words, number, reason, after } of OVERRULINGS) {
    assert.match(await agent.ask('task_next', { id: number, claim: true }), /^claimed: #/)
    await stage.person(...words, '--force', '--reason', reason)
    const told = `lease_lost: the owner (Kim) ended your lease on #${number} (fence 1): ${reason}`
    assert.ok((await agent.ask('inbox')).startsWith(told), told)
    assert.match(await stage.person('task', 'get', number), after)
    const late = { ids: [number], action: 'complete', fence: 1 }
    assert.match(await agent.refused('task_update', late), /^lease_lost: /)
    assert.match(await stage.person('log', number), / {2}Kim$/m)
  }
}

/** What needs the person stands in status: what is to verify, and what is overdue. */
export async function lookAround(stage: Stage, agent: Agent): Promise<void> {
  stage.chapter('The first screen says what needs the person')
  await stage.person('task', 'add', 'Audit', '--needs-verification')
  await agent.ask('task_update', { ids: [AUDIT], action: 'complete' })
  await stage.person('task', 'add', 'Renew the domain', '--due', 'yesterday')
  const status = await stage.person()
  assert.match(status, /^\S+: 1 to verify, 1 overdue, /)
  assert.match(status, /^To verify \(1\)\n#15\tAudit\tcodex$/m)
  assert.match(status, /^Overdue \(1\)\n#16\tRenew the domain\t\d{4}-\d\d-\d\d$/m)
  assert.match(status, /^Blocked \(1\)\n#7\tPublish the terms\tits status says so$/m)
  assert.match(await stage.person('log'), /^\S+\t#16 Renew the domain\tentity\.created\tKim\t/)
}

/** Of what another tool hands over, only work is handed out: neither its epic nor what it calls blocked. */
export async function importIssues(stage: Stage, agent: Agent): Promise<void> {
  stage.chapter('Issues of another tool arrive, and only work of them is handed out')
  const issues = [
    { id: 'shop-1', title: 'Gift cards', status: 'open', issue_type: 'epic' },
    {
      id: 'shop-2',
      title: 'Sell gift cards',
      status: 'open',
      priority: 0,
      dependencies: [{ issue_id: 'shop-2', depends_on_id: 'shop-1', type: 'parent-child' }],
    },
    { id: 'shop-3', title: 'Ask the tax office', status: 'blocked', priority: 0 },
  ]
  mkdirSync(join(stage.cwd, '.beads'))
  const lines = issues.map((issue) => `${JSON.stringify(issue)}\n`)
  writeFileSync(join(stage.cwd, '.beads', 'issues.jsonl'), lines.join(''))
  assert.match(await stage.person('import', 'beads'), /^3 found .*: 3 created/)
  const offered = await agent.ask('task_next', { limit: 10 })
  assert.match(offered, /Sell gift cards/)
  assert.doesNotMatch(offered, /todo \S+ Gift cards|Ask the tax office/)
  assert.match(await stage.person('tasks', 'blocked'), /Ask the tax office/)
}
