// Fills a repository with what four agents and a person left behind in an afternoon: decisions, tasks, questions, reasons.
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type Agent, connect, waymark } from './agent.ts'
import { CHANGED_RETRY, FILES } from './files.ts'

/** Agents that still work when the project is filled; their processes hold the leases. */
export interface DemoProject {
  readonly agents: readonly Agent[]
  stop(): void
}

export async function fillDemoProject(directory: string): Promise<DemoProject> {
  createRepository(directory)
  const planner = await connect(directory, 'planner')
  await decide(planner)
  await plan(planner)
  run(directory, 'task', 'update', '14', '--needs-verification')
  await explain(planner)
  commit(directory, 'Retry without jitter', 'src/net/retry.ts', CHANGED_RETRY)
  const [ada, bo, cyd, dee] = await Promise.all(
    ['ada', 'bo', 'cyd', 'dee'].map((name) => connect(directory, name)),
  )
  if (ada === undefined || bo === undefined || cyd === undefined || dee === undefined)
    throw new Error('four agents were started')
  await work({ ada, bo, cyd, dee })
  return {
    agents: [ada, bo, cyd],
    stop: () => [planner, ada, bo, cyd].forEach((agent) => agent.kill()),
  }
}

function createRepository(directory: string): void {
  git(directory, 'init', '--quiet', '--initial-branch=main')
  git(directory, 'config', 'user.name', 'Kim')
  git(directory, 'config', 'user.email', 'kim@example.org')
  for (const [path, text] of Object.entries(FILES)) {
    mkdirSync(dirname(join(directory, path)), { recursive: true })
    writeFileSync(join(directory, path), text)
  }
  git(directory, 'add', '.')
  git(directory, 'commit', '--quiet', '--message', 'A shop')
  run(directory, 'init')
}

function commit(
  directory: string,
  message: string,
  path: string,
  [before, after]: readonly [string, string],
): void {
  const file = join(directory, path)
  writeFileSync(file, readFileSync(file, 'utf8').replace(before, after))
  git(directory, 'commit', '--quiet', '--all', '--message', message)
}

async function decide(planner: Agent): Promise<void> {
  const decision = (title: string, content: string, more: object = {}) =>
    planner.call('remember', {
      type: 'decision',
      title,
      content,
      properties: { status: 'accepted' },
      ...more,
    })
  await decision(
    'Keep sessions in SQLite',
    'One file, no server, survives `kill -9`.\n\nWe measured **0.3 ms** for a write.',
    { tags: ['storage'] },
  )
  await decision(
    'One writer for the cart',
    'Two tabs may change one cart. All writes go through one queue.',
    { tags: ['storage', 'cart'], relations: ['relates_to:1'] },
  )
  await decision(
    'Charge with an idempotency key',
    'The bank answers a repeated key with the first result, so a retry never charges twice.',
    { tags: ['payments'] },
  )
  await planner.call('remember', {
    type: 'decision',
    title: 'Send receipts by mail',
    content: 'Mail is enough for now. Push messages can follow.',
    tags: ['payments'],
    properties: { status: 'proposed' },
  })
  await planner.call('remember', {
    type: 'note',
    title: 'Jitter alone is not enough',
    content: 'With a fixed pause all clients came back in the same second.',
    tags: ['net'],
    properties: { note_type: 'dead_end' },
  })
  await planner.call('remember', {
    type: 'component',
    title: 'Checkout',
    content: 'Cart, payments and receipts.',
  })
}

async function plan(planner: Agent): Promise<void> {
  await planner.call('task_create', {
    tasks: [
      {
        key: 'checkout',
        title: 'Checkout',
        priority: 'high',
        labels: ['checkout'],
        content: 'Cart, payments and receipts, as decided in #2 and #3.',
      },
      {
        key: 'store',
        title: 'Write the session store',
        parent: 'checkout',
        priority: 'high',
        labels: ['storage'],
        acceptance_criteria: ['survives kill -9', 'p95 below 10 ms'],
        locks: ['src/session/**'],
      },
      {
        key: 'cart',
        title: 'Store the cart',
        parent: 'checkout',
        priority: 'high',
        labels: ['cart', 'storage'],
        depends_on: ['store'],
        locks: ['src/cart/**'],
      },
      {
        key: 'pay',
        title: 'Take payments',
        parent: 'checkout',
        priority: 'urgent',
        labels: ['payments'],
        content: 'Cards first. See #3.',
        acceptance_criteria: ['a repeated key charges once'],
        locks: ['src/payments/**'],
      },
      {
        key: 'retry',
        title: 'Write the retry loop',
        priority: 'high',
        labels: ['net'],
        locks: ['src/net/**'],
      },
      {
        key: 'receipts',
        title: 'Send receipts',
        parent: 'checkout',
        labels: ['payments'],
        depends_on: ['pay'],
      },
      {
        key: 'refunds',
        title: 'Refund a payment',
        parent: 'checkout',
        labels: ['payments'],
        depends_on: ['pay'],
      },
      { title: 'Rate limiter for the login', labels: ['auth'], priority: 'high' },
      { title: 'Login page', labels: ['auth', 'ui'] },
      {
        key: 'export',
        title: 'Export orders as CSV',
        labels: ['reports'],
        depends_on: ['receipts'],
      },
      { title: 'Describe sessions in the manual', labels: ['docs'], priority: 'low' },
      { title: 'Translate the cart', labels: ['ui'], priority: 'low' },
      { title: 'Measure the start of the shop', labels: ['performance'] },
      {
        title: 'Audit of stored personal data',
        labels: ['security'],
        priority: 'high',
        due_date: '2026-01-15',
      },
    ],
  })
}

async function explain(planner: Agent): Promise<void> {
  await planner.call('annotate', {
    summary: 'The shop as it was taken over',
    links: ['2', '3'],
    regions: [
      {
        file: 'src/net/retry.ts',
        anchor: 'withRetry',
        intent: 'Pauses grow and are random, so that clients do not come back in the same second',
        constraints: ['The last failure is thrown as it was'],
      },
      {
        file: 'src/payments/card.ts',
        anchor: 'charge',
        intent: 'The key makes a repeated call harmless',
        constraints: ['Never call the bank without an idempotency key'],
      },
      {
        file: 'src/cart/cart.ts',
        anchor: 'addLine',
        intent: 'All writes of a cart go through one queue',
      },
    ],
  })
}

interface Crew {
  readonly ada: Agent
  readonly bo: Agent
  readonly cyd: Agent
  readonly dee: Agent
}

async function work({ ada, bo, cyd, dee }: Crew): Promise<void> {
  const take = (agent: Agent, id: string, seconds = 900) =>
    agent.call('task_next', { claim: true, id, seconds })
  const finish = (agent: Agent, id: string, reason: string) =>
    agent.call('task_update', { ids: [id], action: 'complete', reason })
  await take(cyd, '14')
  await finish(cyd, '14', 'A token bucket for each address; three tests')
  await take(ada, '8')
  await finish(ada, '8', 'SQLite in WAL mode; killed 200 times, nothing lost')
  await take(dee, '15')
  await ada.call('message_send', {
    to: 'bo',
    body: 'Sessions are in `src/session/store.ts`; call `touch` when you read one.',
    task: '9',
  })
  await take(ada, '11')
  await take(bo, '10')
  await take(cyd, '9')
  await bo.call('message_send', {
    to: 'owner',
    body: 'May guests pay by invoice, or cards only?',
    task: '10',
  })
  await cyd.call('message_send', {
    to: 'owner',
    body: 'Carts of guests: keep them for 30 days or until the browser closes?',
    task: '9',
  })
  await cyd.call('message_send', {
    to: 'ada',
    severity: 'warning',
    body: 'The retry loop lost its jitter in the last commit. Was that on purpose?',
    task: '11',
  })
  await ada.call('remember', {
    type: 'note',
    title: 'WAL needs a checkpoint after imports',
    content: 'Otherwise the next start reads 40 MB.',
    properties: { note_type: 'gotcha' },
  })
  // Its lease still runs, so its task is stuck until a person takes it back.
  dee.kill()
}

function run(directory: string, ...args: string[]): string {
  return execFileSync(process.execPath, [waymark, ...args], { cwd: directory, encoding: 'utf8' })
}

function git(directory: string, ...args: string[]): void {
  execFileSync('git', args, { cwd: directory })
}
