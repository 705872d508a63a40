import { Failure } from '../../core/error.ts'
import { type Column, line, table } from '../../core/show.ts'
import {
  listQuotas,
  parseQuotaKind,
  type Quota,
  setQuota,
  WHOLE_PROJECT,
} from '../../team/quotas.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { runInProject, type TeamOptions } from './team-commands.ts'

const COLUMNS: readonly Column<Quota>[] = [
  { head: 'QUOTA', value: ({ kind }) => kind, isMain: true },
  { head: 'FOR', value: ({ member }) => FOR[member] ?? member },
  { head: 'AMOUNT', value: ({ amount }) => amount },
]

const FOR: Readonly<Record<string, string>> = { '': 'the project', '*': 'each member' }

async function showQuotas(_: string, options: TeamOptions, terminal: Terminal): Promise<void> {
  await runInProject(options, terminal, async ({ pool, projectId }) => {
    const quotas = await listQuotas(pool, projectId)
    return { json: { quotas }, blocks: [table(quotas, COLUMNS)] }
  })
}

async function changeQuota(name: string, options: TeamOptions, terminal: Terminal): Promise<void> {
  const kind = parseQuotaKind(name.replaceAll('-', '_'))
  const { amount: given = '', member = WHOLE_PROJECT } = options
  const amount = given === 'none' ? null : Number(given)
  if (given.trim() === '')
    throw new Failure('invalid_input', 'amount: must be a whole number, or none', {
      details: { field: 'amount' },
    })
  await runInProject(options, terminal, async ({ pool, ...place }) => {
    await setQuota(pool, { ...place, kind, member, amount })
    const blocks = [line`${kind} of ${FOR[member] ?? member}: ${amount ?? 'no limit'}`]
    return { json: { kind, member, amount }, blocks }
  })
}

export const QUOTA_COMMANDS = { 'quota list': showQuotas, 'quota set': changeQuota }
