import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestProject } from './project.ts'

/** A little of everything that views show: each column, a question, a proposal, a drifted reason, relations, a lost task. */
export async function fillSmallShop(project: TestProject): Promise<void> {
  const run = (...args: readonly string[]) => project.run(...args)
  const tasks = [
    { title: 'Checkout', key: 'checkout', priority: 'high', labels: ['checkout'] },
    {
      title: 'Take payments with a card that may be refused',
      key: 'pay',
      priority: 'urgent',
      labels: ['payments'],
      acceptance_criteria: ['a repeated key charges once'],
      locks: ['src/**'],
      content: 'Cards first. See #9.',
    },
    { title: 'Send receipts', depends_on: ['pay'], labels: ['payments', 'mail', 'later'] },
    { title: 'Rate limiter', needs_verification: true },
    { title: 'Write the session store' },
    { title: 'Audit of stored personal data', due_date: '2026-01-15' },
    { title: 'Describe sessions in the manual', priority: 'low', assignee: 'bo' },
  ]
  await run('task', 'create-many', '--input', JSON.stringify({ tasks }))
  await run('task', 'update', '2', '--parent', '1')
  for (const number of ['4', '5']) {
    await run('task', 'claim', number, '--actor', 'bo')
    await run('task', 'complete', number, '--actor', 'bo')
  }
  await run('task', 'claim', '2', '--actor', 'ada')
  await run(
    'message',
    'send',
    'May guests pay by invoice?',
    '--to',
    'owner',
    '--task',
    '2',
    '--actor',
    'ada',
  )
  await run('message', 'send', 'Sessions are in the store', '--to', 'ada', '--actor', 'bo')
  await run(
    'add',
    'decision',
    'Keep sessions in SQLite',
    '--status',
    'accepted',
    '--content',
    'One file, **no server**.\n\n- small\n- `fast`',
    '--tag',
    'storage',
  )
  await run(
    'add',
    'decision',
    'Charge with an idempotency key',
    '--status',
    'proposed',
    '--actor',
    'ada',
    '--relation',
    'relates_to:8',
  )
  await run('add', 'note', 'Jitter alone is not enough', '--relation', 'references:9')
  await run('update', '8', '--content', 'One file, no server at all.', '--actor', 'bo')
  await explainCode(project)
}

const SOURCE = `export function retry(first: number): number {
  const pause = first * 2
  const longest = 5000
  return Math.min(pause, longest, Number.MAX_SAFE_INTEGER, first * 1000, longest * 2)
}
`

async function explainCode(project: TestProject): Promise<void> {
  const { directory } = project
  const git = (...args: readonly string[]) => execFileSync('git', args, { cwd: directory })
  mkdirSync(join(directory, 'src'))
  writeFileSync(join(directory, 'src/retry.ts'), SOURCE)
  git('add', '.')
  git('commit', '--quiet', '--message', 'Retry')
  const regions = [
    {
      file: 'src/retry.ts',
      anchor: 'retry',
      intent: 'Pauses grow',
      constraints: ['At most five seconds'],
    },
  ]
  await project.run(
    'code',
    'annotate',
    '--input',
    JSON.stringify({ summary: 'Retry', links: ['8'], regions }),
  )
  writeFileSync(join(directory, 'src/retry.ts'), SOURCE.replace('first * 2', 'first * 3'))
  git('commit', '--quiet', '--all', '--message', 'Retry later')
}
