import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import {
  callsIn,
  handshakeIn,
  hooksIn,
  parametersByTool,
  readRecordings,
} from '../pipe/recording.ts'
import { judgeSteps } from '../row.ts'

const toLines = (messages: readonly object[]) =>
  messages.map((message) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`).join('')

function serving(input: readonly object[], output: readonly object[]) {
  return {
    args: ['serve'],
    variables: [],
    ids: {},
    input: toLines(input),
    output: toLines(output),
    code: 0,
  }
}

const INITIALIZE = {
  id: 0,
  method: 'initialize',
  params: { protocolVersion: '2099-01-01', clientInfo: { name: 'codex', version: '1.0' } },
}
const call = (id: number, name: string) => ({ id, method: 'tools/call', params: { name } })

const SESSION = serving(
  [INITIALIZE, { id: 1, method: 'tools/list' }, call(2, 'brief'), call(3, 'recall'), call(4, 'x')],
  [
    { id: 0, result: { protocolVersion: '2025-06-18' } },
    {
      id: 1,
      result: { tools: [{ name: 'recall', inputSchema: { properties: { query: {} } } }] },
    },
    {
      id: 2,
      result: { content: [{ type: 'text', text: 'Claim #4.' }], structuredContent: { next: 'x' } },
    },
    { id: 3, result: { isError: true, content: [{ type: 'text', text: 'invalid_input: wait' }] } },
  ],
)

it('finds client and protocol as they were agreed on', () => {
  expect(handshakeIn([SESSION])).toEqual({ client: 'codex 1.0', protocol: '2025-06-18' })
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'copilot-cli', version: '1.0.102' },
  }
  const modern = serving([{ id: 1, method: 'tools/list', params: { _meta } }], [])
  expect(handshakeIn([modern])).toEqual({
    client: 'copilot-cli 1.0.102',
    protocol: '2026-07-28',
  })
  expect(handshakeIn([{ ...SESSION, args: ['prime'] }])).toBeUndefined()
})

it('tells calls that were answered from calls that were refused', () => {
  expect(callsIn([SESSION])).toEqual([
    { tool: 'brief', text: 'Claim #4.', fields: ['next'] },
    { tool: 'recall', refusal: 'invalid_input: wait', text: 'invalid_input: wait', fields: [] },
  ])
  expect(parametersByTool([SESSION]).get('recall')).toEqual(new Set(['query']))
})

it('names hooks as the command line or the host does', () => {
  const runs = [
    { args: ['prime', '--hook', 'claude-code'], input: '{"hook_event_name":"SessionStart"}' },
    { args: ['hook', 'pre-edit', '--host', 'codex'], input: '{}' },
    { args: ['prime', '--hook', 'copilot'], input: 'no JSON' },
  ].map((run) => ({ ...run, variables: [], ids: {}, output: 'x', code: 0 }))
  expect(hooksIn([SESSION, ...runs]).map(({ event }) => event)).toEqual([
    'SessionStart',
    'pre-edit',
    'SessionStart',
  ])
})

it('judges a step by what went over the pipe and what the model was given', () => {
  const outcomes = [
    { step: 'brief' as const, text: '{"next":"Claim it"}\u200B' },
    { step: 'remember' as const, text: 'requires\napproval' },
    { step: 'recall' as const, text: 'Error: invalid_input' },
    { step: 'edit' as const, text: 'reserved by rival' },
  ]
  const judge = (recordings: Parameters<typeof judgeSteps>[0]['recordings'], isEdited: boolean) =>
    new Map(
      judgeSteps({ outcomes, recordings, edited: new Set(isEdited ? ['edit'] : []) }).map(
        (result) => [result.step, result],
      ),
    )
  const open = judge([SESSION], false)
  expect(open.get('brief')).toMatchObject({ state: 'ok', form: 'data', isHidden: true })
  expect(open.get('remember')).toMatchObject({
    state: 'refused by the host',
    reason: 'requires approval',
  })
  expect(open.get('recall')).toMatchObject({ state: 'refused by Waymark' })
  expect(open.get('edit')).toMatchObject({ state: 'refused by the host' })
  expect(open.get('complete')).toMatchObject({ state: 'not called' })
  const hook = {
    args: ['hook', 'pre-edit'],
    variables: [],
    ids: {},
    input: '',
    output: '{"decision":"deny"}',
    code: 0,
  }
  expect(judge([SESSION, hook], false).get('edit')).toMatchObject({ state: 'stopped' })
  const silent = { ...hook, output: '' }
  expect(judge([SESSION, silent], false).get('edit')?.state).toBe('refused by the host')
  expect(judge([SESSION, { ...silent, code: 2 }], false).get('edit')?.state).toBe('stopped')
  const later = { ...hook, args: ['hook', 'post-edit'] }
  expect(judge([SESSION, later], false).get('edit')).toMatchObject({ state: 'refused by the host' })
  expect(judge([SESSION, hook], true).get('edit')).toMatchObject({ state: 'ok', isTold: false })
  const told = [{ step: 'brief' as const, text: 'rival: reserves src/parser.ts' }, outcomes[3]]
  const recordings = [SESSION]
  expect(
    judgeSteps({
      outcomes: told.filter((each) => each !== undefined),
      recordings,
      edited: new Set(['edit']),
    }),
  ).toContainEqual({ step: 'edit', state: 'ok', isTold: true })
})

it('the recorder passes input, output and exit code on unchanged', () => {
  const folder = mkdtempSync(join(tmpdir(), 'waymark-recorder-'))
  try {
    const script = join(folder, 'real.cjs')
    writeFileSync(script, `process.stdin.pipe(process.stdout); process.exitCode = 3`)
    const recorder = fileURLToPath(new URL('../pipe/recorder.mjs', import.meta.url))
    const recordings = mkdtempSync(join(folder, 'recordings-'))
    const run = () =>
      execFileSync(process.execPath, [recorder, recordings, script, 'serve', '--x'], {
        input: 'grüße\n',
        encoding: 'utf8',
      })
    expect(run).toThrow(expect.objectContaining({ status: 3, stdout: 'grüße\n' }))
    expect(readRecordings(recordings)).toEqual([
      {
        args: ['serve', '--x'],
        variables: expect.arrayContaining(['PATH']),
        ids: expect.any(Object),
        input: 'grüße\n',
        output: 'grüße\n',
        code: 3,
      },
    ])
  } finally {
    rmSync(folder, { recursive: true })
  }
})
