import assert from 'node:assert/strict'
import type { Agent, Claim, Stage } from './stage.ts'

/** Numbers that the plan's entities get, in the order in which they are created. */
export const DECISION = '1'
export const EPIC = '3'
export const CART = '4'
export const PAYMENTS = '5'
export const RECEIPTS = '6'
const TERMS = '7'
const SUPERSEDED = '8'

export async function writePlan(stage: Stage, planner: Agent): Promise<void> {
  stage.chapter('The planner writes down what is known and what is to do')
  await planner.ask('remember', {
    type: 'decision',
    title: 'Carts live in Postgres',
    properties: { status: 'accepted' },
  })
  await planner.ask('remember', {
    type: 'note',
    title: 'Redis loses carts on failover',
    properties: { note_type: 'dead_end' },
    relations: [`references:${DECISION}`],
  })
  await planner.ask('annotate', { summary: 'A Map until the store is there', links: [DECISION] })
  const tasks = [
    { key: 'checkout', title: 'Checkout', priority: 'urgent' },
    { title: 'Store the cart', parent: 'checkout', priority: 'high', locks: ['src/cart/**'] },
    { title: 'Take payments', parent: 'checkout' },
    { title: 'Send receipts', priority: 'low', locks: ['src/cart/cart.ts'] },
    { title: 'Publish the terms', priority: 'urgent' },
  ]
  await planner.ask('task_create', { tasks })
  await planner.ask('task_update', { ids: [TERMS], status: 'blocked' })
  const decision = { type: 'decision', properties: { status: 'accepted' } }
  await planner.ask('remember', { ...decision, title: 'Prices are floats' })
  const relations = [`supersedes:${SUPERSEDED}`]
  await planner.ask('remember', { ...decision, title: 'Prices are cents', relations })
}

export interface Held {
  readonly claude: Claim
  readonly codex: Claim
}

type Agents = Readonly<Record<'planner' | 'claude' | 'second' | 'codex', Agent>>

export async function handOut(stage: Stage, agents: Agents): Promise<Held> {
  stage.chapter('Only work is handed out: neither the epic with open parts nor the blocked task')
  const { planner, claude, second, codex } = agents
  const offered = await planner.ask('task_next', { limit: 10 })
  assert.deepEqual(offered.match(/^#\d+/gm), ['#4', '#5', '#6'])
  assert.match(
    await stage.person('task', 'explain', EPIC),
    /open parts.*: #4 Store the cart, #5 Take payments/,
  )
  assert.match(await stage.person('tasks', 'blocked'), /Publish the terms.*its status says so/)
  assert.match(await stage.person('task', 'explain', TERMS), /its status says that it is blocked/)

  const claims = [await claude.claim(), await second.claim(), await codex.claim()] as const
  assert.deepEqual(
    claims.map(({ number }) => number),
    [4, 5, 6],
  )
  const [ofClaude, , ofCodex] = claims
  assert.match(ofCodex.text, /careful: claude-code has reserved src\/cart\/\*\* for #4 Store/)
  assert.equal(await codex.ask('task_next'), 'nothing is ready')

  const names = [...(await stage.agents()).keys()].toSorted()
  assert.deepEqual(names, ['claude-code', 'claude-code-2', 'codex', 'planner'])
  const status = await stage.person()
  assert.match(status, /3 in progress, 1 blocked/)
  assert.match(status, /^#4\tStore the cart\tclaude-code\t\d+ (s|min)\t/m)
  assert.match(status, /^#5\tTake payments\tclaude-code-2\t\d+ (s|min)\t/m)
  assert.match(status, /^#6\tSend receipts\tcodex\t\d+ (s|min)\t/m)
  return { claude: ofClaude, codex: ofCodex }
}

export async function recallKnowledge(stage: Stage, codex: Agent): Promise<void> {
  stage.chapter('An agent that starts on a topic is told what the others know')
  const path = 'src/cart/cart.ts'
  const brief = await codex.ask('brief', { topic: 'redis cart', paths: [path] })
  assert.match(brief, /#2 Redis loses carts on failover · dead end/)
  assert.match(brief, /src\/cart\/cart\.ts by claude-code for #4 Store the cart/)
  assert.match(brief, /Also here:\n- claude-code: #4 Store the cart/)
  const why = await codex.ask('code_why', { path })
  assert.match(why, /^reserved by claude-code until \S+: src\/cart\/\*\* for #4 Store the cart/)
  assert.match(why, /commit summary: A Map until the store is there/)
  for (const command of ['read', 'history', 'summary', 'show'])
    assert.match(await stage.person('code', command, path), /A Map until the store is there/)
  // Every file of the commit has what was said of it.
  const beside = await codex.ask('code_why', { path: 'src/cart/price.ts' })
  assert.match(beside, /commit summary: A Map until the store is there/)

  const log = ['--text', 'lost 3 carts', '--name', 'failover.log', '--link', DECISION]
  await stage.person('artifact', 'add', ...log)
  const recalled = await codex.ask('recall', { id: DECISION })
  for (const text of [recalled, await stage.person('get', DECISION)]) {
    assert.match(text, /relation: #2 Redis loses carts on failover \(note\) references this/)
    assert.match(
      text,
      /annotated code: src\/cart\/cart\.ts, src\/cart\/price\.ts: A Map until the store is there/,
    )
    assert.match(text, /failover\.log/)
  }
  assert.match(
    await codex.ask('recall', { id: SUPERSEDED }),
    /superseded_by: 9\n[^]*relation: #9 Prices are cents \(decision, accepted\) supersedes this/,
  )
  assert.match(await stage.person('task', 'get', CART), /part of: .*Checkout/)
}

export async function askTheOwner(stage: Stage, agent: Agent): Promise<void> {
  stage.chapter('An agent asks the owner, and the owner answers')
  const question = 'May guests pay by invoice?'
  await agent.ask('message_send', { to: 'owner', body: question, task: PAYMENTS })
  assert.match(await stage.person('status'), /1 question,[^]*m1 claude-code-2: May guests pay/)
  assert.match(await stage.person('inbox'), /from claude-code-2, to the owner[^]*May guests pay/)
  assert.match(await agent.ask('brief'), /owner has not answered yet:\n- message 1: May guests pay/)
  assert.match(await stage.person('brief'), /May guests pay/)
  await stage.person('answer', 'm1', 'No, cards only')
  assert.match(
    await agent.ask('inbox'),
    /^2 info from the owner \S+ about #5 \(answers 1\):\n> No, cards/,
  )
  assert.match(await stage.person('inbox'), /nothing waits for you/)
  assert.doesNotMatch(await stage.person('status'), /question/i)

  await agent.ask('remember', { type: 'note', title: 'Which bank is it?', tags: ['question'] })
  assert.match(await stage.person('status'), /1 question,[^]*#10 .*Which bank is it\?/)
  await stage.person('answer', '#10', 'The one on the corner')
  assert.match(await stage.person('inbox'), /nothing waits for you/)

  await agent.ask('message_send', { to: 'codex', body: 'Receipts are for cards only' })
  // By the name of the person too.
  await agent.ask('message_send', { to: 'Kim', body: 'Thank you', task: PAYMENTS })
  assert.match(await stage.person('inbox'), /from claude-code-2, to the owner[^]*Thank you/)
  await stage.person('message', 'ack', '--id', '5')
  const thread = await stage.person('message', 'thread', PAYMENTS)
  assert.match(thread, /May guests pay[^]*No, cards only[^]*Thank you/)
  const all = await stage.person('messages', '--all')
  assert.match(all, /May guests pay[^]*from the owner \(Kim\), to claude-code-2[^]*No, cards only/)
  assert.match(all, /from claude-code-2, to codex[^]*Receipts are for cards only/)
}
