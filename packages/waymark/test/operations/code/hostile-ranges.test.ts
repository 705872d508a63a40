import { expect, it } from 'vitest'
import { compareDrift } from '../../../src/annotation/drift/drift.ts'
import { showCode } from '../../../src/annotation/read/margin.ts'
import { readCode } from '../../../src/annotation/read/read.ts'
import { execute } from '../../../src/core/execute.ts'
import type { Operation } from '../../../src/core/operation.ts'
import { CLIENT, setupCode } from './code-setup.ts'

const FILE = 'src/client.ts'
const READS: readonly Operation[] = [readCode, showCode, compareDrift]

it.each([
  { start: 6, end: 1e300 },
  { start: 1e300, end: 1e300 },
  { start: 2 ** 53, end: 2 ** 53 + 2 },
  { start: 2 ** 31 - 1, end: 2 ** 31 - 1 },
  { start: 900, end: 2 ** 31 - 1 },
])('a note about the lines %j breaks no answer about its file [hostile-ranges]', async (lines) => {
  await using test = await setupCode()
  test.commit('one', { [FILE]: CLIENT })
  await test.annotate({
    summary: 'The client dials',
    regions: [{ file: FILE, anchor: 'connect', intent: 'Dial once' }],
  })
  const anchor = { type: 'method', name: 'Client.gone' }
  const regions = [{ file: FILE, ast_anchor: anchor, lines, intent: 'Hostile' }]
  const note = { $schema: 'ultragit/v1', id: 'R', summary: 'Hostile', regions }
  test.git('notes', '--ref=waymark', 'append', '-m', JSON.stringify(note), 'HEAD')
  for (const text of [CLIENT, 'const x = 1\n']) {
    test.commit('next', { [FILE]: text, 'other.ts': text })
    for (const read of READS) await execute(test.context, read, { path: FILE })
    const { before } = await execute(test.context, compareDrift, { path: FILE, record: 'R' })
    expect(before?.cut ?? 0).toBe(0)
    const { regions: told } = await test.read({ path: FILE })
    expect(told.map(({ intent }) => intent)).toContain('Dial once')
  }
})
