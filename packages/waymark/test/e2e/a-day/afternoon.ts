import assert from 'node:assert/strict'
import { CART, DECISION, EPIC, type Held, PAYMENTS, RECEIPTS } from './morning.ts'
import type { Agent, Stage } from './stage.ts'

interface Running {
  readonly claude: Agent
  readonly codex: Agent
  readonly held: Held
}

/** Ends one session and kills another. The result starts the next session of a host and checks what it inherits. */
export async function endSessions(stage: Stage, { claude, codex, held }: Running) {
  stage.chapter('One session ends, one is killed; the next ones go on with their tasks')
  const before = await stage.agents()
  await codex.end()
  await claude.kill()
  const gone = await stage.person('agents')
  assert.match(gone, /^claude-code\t.*Store the cart\tgone\t/m)
  assert.match(gone, /^codex\t.*Send receipts\tgone\t/m)
  assert.match(gone, /^claude-code-2\t.*Take payments\tactive\t\S+\t\S+ \(main\)\t/m)
  assert.match(await stage.person('status'), /^claude-code\tgone\t/m)
  const inherited = { 'claude-code': held.claude, codex: held.codex }

  return async (host: keyof typeof inherited): Promise<Agent> => {
    const { number, fence } = inherited[host]
    const next = await stage.start(host)
    const leases = await next.leases()
    assert.deepEqual(
      leases.map((lease) => [lease.number, lease.fence]),
      [[number, fence + 1]],
    )
    const after = (await stage.agents()).get(host)
    assert.equal(after?.presence, 'active')
    assert.equal(after.id, before.get(host)?.id)
    // The conversation that goes on knows the fence of the ended session only.
    await next.ask('task_update', { ids: [String(number)], action: 'renew', fence })
    return next
  }
}

export async function takeAway(
  stage: Stage,
  { codex, second }: Readonly<Record<'codex' | 'second', Agent>>,
): Promise<void> {
  stage.chapter('The person cancels a held task and gives another one to another agent')
  const reason = 'the bank sends them'
  await stage.person('task', 'cancel', RECEIPTS, '--force', '--reason', reason)
  assert.match(
    await codex.ask('recall', { query: 'receipts' }),
    /^lease_lost: the owner \(Kim\) ended your lease on #6 \(fence 2\): the bank sends them/,
  )
  const late = { ids: [RECEIPTS], action: 'complete', fence: 2 }
  const refused = /^lease_lost: .*Kim ended the lease: the bank sends them/
  assert.match(await codex.refused('task_update', late), refused)
  await stage.person('task', 'reopen', RECEIPTS)
  assert.match(await codex.refused('task_update', late), refused)

  const to = ['--assignee', 'codex', '--force', '--reason', 'codex knows the bank']
  await stage.person('task', 'update', PAYMENTS, ...to)
  assert.match(
    await second.ask('brief'),
    /^lease_lost: the owner \(Kim\) ended your lease on #5 \(fence 1\): codex knows the bank/,
  )
  assert.equal((await codex.claim()).number, Number(PAYMENTS))
  const force = { ids: [PAYMENTS], action: 'cancel', force: true }
  assert.match(await second.refused('task_update', force), /held by codex/)
}

export async function undoMistakes(stage: Stage, codex: Agent): Promise<void> {
  stage.chapter('An agent gets it wrong, and the person takes it back')
  const since = new Date().toISOString()
  await codex.ask('remember', { id: DECISION, title: 'Carts live in Redis' })
  await codex.ask('remember', { type: 'note', title: 'Postgres is slow' })
  await stage.person('undo', 'codex', since, '--dry-run')
  const undone = await stage.person('undo', 'codex', since)
  assert.match(undone, /reverted: #1 Carts live in Postgres/)
  assert.match(undone, /deleted: #11 Postgres is slow/)
  assert.match(await stage.person('log', DECISION), /Kim\n.*Carts live in Redis → Carts live in P/)
  assert.match(await codex.ask('recall', { id: DECISION }), /^#1 decision: Carts live in Postgres/)
}

export async function closeTheEpic(
  stage: Stage,
  agents: Readonly<Record<'planner' | 'claude' | 'second' | 'codex', Agent>>,
): Promise<void> {
  stage.chapter('The last part is finished, and the epic can be closed')
  const { planner, claude, second, codex } = agents
  const receipts = await second.claim()
  assert.equal(receipts.number, Number(RECEIPTS))
  const { fence } = receipts
  const reason = 'waits for a template'
  await second.ask('task_update', { ids: [RECEIPTS], action: 'release', fence, reason })
  assert.equal(await second.ask('task_next'), 'nothing is ready')

  const first = await claude.ask('task_update', { ids: [CART], action: 'complete', fence: 2 })
  assert.doesNotMatch(first, /ready to close/)
  const last = await codex.ask('task_update', { ids: [PAYMENTS], action: 'complete' })
  assert.match(last, /ready to close: #3 Checkout/)
  assert.match(await planner.ask('task_next', { limit: 10 }), /^#3 todo p0 Checkout/)
  await planner.ask('task_update', { ids: [EPIC], action: 'complete' })
  const status = await stage.person('status')
  assert.match(status, /1 ready, 1 blocked/)
  assert.match(await stage.person('events'), /Send receipts\tlease\.ended\tKim\t/)
}
