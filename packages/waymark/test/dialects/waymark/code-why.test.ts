import { expect, it } from 'vitest'
import { whyCode } from '../../../src/annotation/read/why.ts'
import { execute } from '../../../src/core/execute.ts'
import { createEntity } from '../../../src/entity/operations.ts'
import { claimTask } from '../../../src/task/lease/operations.ts'
import { createTask } from '../../../src/task/operations.ts'
import { CLIENT, type CodeSetup, setupCode } from '../../operations/code/code-setup.ts'
import { connect, type DialectClient, type Fields } from '../client.ts'

const FILE = 'src/client.ts'
const CALLER =
  "import { Client } from './client'\n\nexport function run() {\n  new Client('x')\n}\n"

async function connectTo(project: CodeSetup): Promise<DialectClient> {
  const { code } = project.context
  return await connect('waymark', { project, server: { ...(code && { code }) } })
}

async function textOf(client: DialectClient, args: Fields): Promise<string> {
  const { content } = await client.result('code_why', args)
  return content.map(({ text }) => text).join('\n')
}

it('code_why answers with all that the operation code.why knows', async () => {
  await using project = await setupCode()
  const { context } = project
  await execute(context, createEntity, { type: 'decision', title: 'One connection only' })
  await execute(context, createTask, { title: 'Rework the client', locks: ['src/**'] })
  await execute(project.as('bo'), claimTask, { id: '2' })
  project.commit('Add a client', { [FILE]: CLIENT, 'src/run.ts': CALLER })
  const place = { file: FILE, anchor: 'Client.connect' }
  const relied = { file: FILE, anchor: 'Client.connect', nature: 'waits for the first answer' }
  const depends = { file: 'src/net.ts', anchor: 'dial', nature: 'gives up by itself' }
  await project.annotate({
    summary: 'Connect once, and never in parallel',
    links: ['1'],
    regions: [
      {
        ...place,
        intent: 'The server closes the older of two connections',
        reasoning: 'Seen in production',
        constraints: ['At most one open connection'],
        risk_notes: 'A reconnect loop',
        semantic_dependencies: [depends],
      },
      { ...place, kind: 'gotcha', intent: 'A closed socket still answers once' },
      { ...place, kind: 'unfinished', intent: 'No timeout yet' },
      {
        file: 'src/run.ts',
        anchor: 'run',
        intent: 'Start the program',
        semantic_dependencies: [relied],
      },
    ],
    cross_cutting: [{ description: 'Both count attempts', regions: [FILE, 'src/run.ts'] }],
  })
  await using client = await connectTo(project)
  const { $schema: _schema, ...known } = await execute(context, whyCode, { path: FILE })
  expect(Object.keys(known)).toEqual(
    expect.arrayContaining(['reserved_by', 'must_hold', 'relied_on_by', 'belongs_to', 'relies_on']),
  )
  expect(await client.call('code_why', { path: FILE })).toEqual(known)
  const text = await textOf(client, { path: FILE })
  for (const line of [
    /^reserved by bo until \S+Z: src\/\*\* for #2 Rework the client$/m,
    /^must hold: Client\.connect: At most one open connection \(fresh, .*\)$/m,
    /^why: Client\.connect: The server closes the older of two connections \(fresh, .*\)$/m,
    /^ {2}Seen in production$/m,
    /^commit summary: Connect once, and never in parallel \(fresh, .*\)$/m,
    /^learned: Client\.connect: gotcha: A closed socket still answers once \(/m,
    /^risk: Client\.connect: A reconnect loop \(/m,
    /^unfinished: Client\.connect: No timeout yet \(/m,
    /^relied on by: src\/run\.ts run: waits for the first answer \(fresh\)$/m,
    /^relies on: src\/net\.ts dial: gives up by itself$/m,
    /^with src\/client\.ts; src\/run\.ts: Both count attempts$/m,
    /^belongs to: decision #1 One connection only$/m,
    /^last commit: \d{4}-\d\d-\d\d [0-9a-f]{12} Add a client$/m,
  ]) {
    expect(text).toMatch(line)
  }
})

it('code_why keeps to its budget and says what it leaves out', async () => {
  await using project = await setupCode()
  const classes = Array.from({ length: 150 }, (_, at) => `class C${at} {\n  run() {}\n}\n`)
  project.commit('Add a client', { [FILE]: CLIENT, 'src/many.ts': classes.join('\n') })
  const regions = Array.from({ length: 60 }, (_, at) => ({
    file: FILE,
    anchor: 'parse',
    intent: `Reason ${at} ${'of many '.repeat(100)}`,
    constraints: [`Constraint ${at} ${'of many '.repeat(100)}`],
  }))
  await project.annotate({ summary: 'Very much to say', regions })
  await using client = await connectTo(project)
  for (const args of [{ path: FILE }, { path: 'src/many.ts', anchor: 'run' }]) {
    const size = async (more: Fields) =>
      Buffer.byteLength(JSON.stringify(await client.result('code_why', { ...args, ...more })))
    expect(await size({})).toBeLessThan(10_000)
    expect(await size({ max_tokens: 300 })).toBeLessThan(10_000 / 3)
  }
  const small = await client.call('code_why', { path: FILE, max_tokens: 100 })
  expect(small).toMatchObject({ must_hold: [{ text: expect.stringContaining('Constraint') }] })
  expect(await textOf(client, { path: FILE })).toMatch(
    /^Left out to keep it short: .* of must_hold/m,
  )
})

it('code_why says so when nothing is recorded', async () => {
  await using project = await setupCode()
  project.commit('Start', { 'README.md': 'Read me\n' })
  project.write({ 'src/new.ts': 'export const one = 1\n' })
  await using client = await connectTo(project)
  expect(await textOf(client, { path: 'src/new.ts' })).toBe(
    'nothing is recorded about this code\nsrc/new.ts is not committed yet.',
  )
})
