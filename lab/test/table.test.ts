import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { CODEX } from '../hosts/codex.ts'
import { KILO } from '../hosts/opencode.ts'
import { toPage } from '../report.ts'
import { emptyRow, type Row } from '../row.ts'
import { toTables } from '../table.ts'

const CODEX_ROW: Row = {
  ...emptyRow(CODEX, 'session 2: exit code 1'),
  handshake: { client: 'codex 0.166.0', protocol: '2025-06-18' },
  first: { tools: 0, isBriefed: true },
  hooks: ['SessionStart', 'Stop'],
  uninstall: 'identical',
  steps: [
    { step: 'brief', state: 'ok', tokens: 100, form: 'data', isHidden: true },
    { step: 'remember', state: 'refused by the host', tokens: 20, reason: 'after 0.1 s: a | b' },
    { step: 'task_next', state: 'refused by the host', tokens: 20, reason: 'after 0.2 s: a | b' },
    { step: 'edit', state: 'ok' },
  ],
}

it('prints what each host did, what it was refused and what it cost', () => {
  const told = {
    ...CODEX_ROW,
    title: 'Told',
    steps: [{ step: 'edit', state: 'ok', isTold: true }],
  } as const
  const text = toTables([CODEX_ROW, told, emptyRow(KILO, 'cannot be installed: no such package')])
  for (const line of [
    '| Codex | 0.166.0 | yes | 2025-06-18 | codex 0.166.0 | 0 | identical |',
    '| Codex | ok | refused by the host | – | – | refused by the host | not stopped | – | – |',
    '| Told | – | – | – | – | – | told, not stopped | – | – |',
    '- Codex, remember, task_next: `after 0.1 s: a | b`',
    '| Codex | SessionStart, Stop | yes | 0 |',
    '| Codex | 100 | 20 | – | – | 20 | – | 140 | data | reach the model |',
    '| Kilo | 7.7.7 | no | – | – | – | – |',
    '- Kilo: cannot be installed: no such package',
  ]) {
    expect(text.split('\n')).toContain(line)
  }
})

it('docs/hosts.md is what its rows make', () => {
  const read = (name: string) =>
    readFileSync(new URL(`../../docs/${name}`, import.meta.url), 'utf8')
  expect(read('hosts.md')).toBe(toPage(JSON.parse(read('hosts.generated.json'))))
})
