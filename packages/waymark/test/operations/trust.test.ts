import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parseOrigin } from '../../src/agent/origin.ts'
import { describeTrust } from '../../src/agent/trust-text.ts'
import { execute } from '../../src/core/execute.ts'
import { joinAgent } from '../../src/agent/operations.ts'
import { showBrief } from '../../src/brief/operations.ts'
import { supersedeDecision } from '../../src/decision/operations.ts'
import { createEntity, getEntity, updateEntity } from '../../src/entity/operations.ts'
import { searchByText } from '../../src/search/operations.ts'
import { importTasks } from '../../src/task/import/operations.ts'
import { getTask, getTasks } from '../../src/task/operations.ts'
import { runCli } from '../../src/surfaces/cli/cli.ts'
import { connect } from '../dialects/client.ts'
import { createReplica } from '../replica/replicas.ts'
import { createTestTerminal } from '../surface/test-terminal.ts'
import { setup } from '../setup.ts'
import { CLIENT, setupCode } from './code/code-setup.ts'
import { toAgentId } from '../../src/agent/agent.ts'

const FILE = 'src/client.ts'
const decision = { type: 'decision', title: 'Retries are bounded' }

describe('who wrote a text', () => {
  it('is told with it: through what, by which agent and with which model', async () => {
    await using project = await setup()
    const one = project.as('one', {
      agent: { name: 'one', surface: 'mcp', id: toAgentId('A0000001') },
    })
    await execute(one, joinAgent, { model: 'a-model' })
    await execute(one, createEntity, decision)
    const { trust } = await execute(project.context, getEntity, { id: '1' })
    expect(trust).toEqual({ via: 'mcp', agent: 'A0000001', model: 'a-model' })
  })

  it('is told also of the one who changed it since', async () => {
    await using project = await setup()
    await execute(project.as('one'), createEntity, decision)
    await execute(project.as('two'), updateEntity, { id: '1', title: 'Retries are unbounded' })
    const { results } = await execute(project.context, searchByText, { query: 'retries' })
    expect(results[0]).toMatchObject({ created_by: 'one', trust: { changed_by: 'two' } })
  })

  it('is the tool that a text was taken over from', async () => {
    await using project = await setup()
    mkdirSync(join(project.directory, '.beads'))
    const task = JSON.stringify({ id: 'bd-1', title: 'Elsewhere', status: 'open' })
    writeFileSync(join(project.directory, '.beads/issues.jsonl'), task)
    await execute(project.context, importTasks, { format: 'beads' })
    const { trust } = await execute(project.context, getEntity, { id: '1' })
    expect(trust).toMatchObject({ via: 'api', imported_from: 'beads' })
    const whole = await execute(project.context, getTask, { id: '1' })
    expect(whole.trust).toEqual(trust)
    const { tasks } = await execute(project.context, getTasks, { ids: ['1'] })
    expect(tasks[0]?.trust).toEqual(trust)
    await using client = await connect('waymark', { project })
    const expected = { tasks: [{ via: 'api', imported_from: 'beads' }] }
    expect(await client.call('task_get', { ids: ['1'] })).toMatchObject(expected)
    const terminal = createTestTerminal(project.directory)
    expect(await runCli(['task', 'get', '1'], terminal)).toBe(0)
    expect(terminal.output.out).toContain('trust: imported from beads')
  })

  it('goes with the text to other clones, as a claim of its sender', async () => {
    await using ada = await createReplica('ada')
    await using bob = await createReplica('bob')
    const { id } = await ada.run(createEntity, decision)
    await bob.takeIn(await ada.lines())
    const { trust } = await bob.run(getEntity, { id })
    const claimed = (await ada.run(getEntity, { id })).trust
    expect(trust).toEqual({ via: 'sync', proved: false, claimed })
    expect(claimed).toMatchObject({ via: 'api' })
  })

  it.each([['{'], ['[]'], ['null'], ['{"via":1}'], [7], ['{"proved":"yes"}']])(
    'is left out where it cannot be read: %s',
    (text) => expect(parseOrigin(text)).toBeNull(),
  )
})

describe('whether a text still holds', () => {
  it('is told of what was superseded', async () => {
    await using project = await setup()
    await execute(project.context, createEntity, decision)
    await execute(project.context, createEntity, { type: 'decision', title: 'No retries' })
    await execute(project.context, supersedeDecision, { old: '1', new: '2' })
    const { trust } = await execute(project.context, getEntity, { id: '1' })
    expect(trust).toMatchObject({ superseded_by: 2 })
  })

  it('is checked against the code that it belongs to, whenever it is recalled', async () => {
    await using test = await setupCode()
    test.commit('Add a client', { [FILE]: CLIENT })
    await execute(test.context, createEntity, { ...decision, properties: { status: 'accepted' } })
    await test.annotate({
      summary: 'A client that retries on its own',
      regions: [{ file: FILE, anchor: 'Client.connect', intent: 'Dial with bounded retries' }],
      links: ['1'],
    })
    const recalled = async () => {
      const { results } = await execute(test.context, searchByText, { query: 'retries' })
      const { trust } = await execute(test.context, getEntity, { id: '1' })
      const { decisions } = await execute(test.context, showBrief, { topic: 'retries' })
      const found = results.map(({ kind, trust: { code } }) => [kind, code])
      return { found: Object.fromEntries(found), got: trust.code, brief: decisions[0]?.code }
    }
    const all = (state: string) => ({
      found: { entity: state, annotation: state },
      got: state,
      brief: state,
    })
    await test.read({ path: FILE })
    expect(await recalled()).toEqual(all('fresh'))
    test.write({ [FILE]: CLIENT.replace('(this.url, retries)', '(this.url, retries * 2)') })
    expect(await recalled()).toEqual(all('drifted'))
    test.commit('Drop the client', { [FILE]: 'export const nothing = 1\n' })
    expect(await recalled()).toEqual(all('orphaned'))
  })
})

it('a hypothesis is not taken for a fact, on the command line either', async () => {
  await using project = await setup()
  const properties = { note_type: 'hypothesis' }
  await execute(project.context, createEntity, {
    type: 'note',
    title: 'The cache is cold',
    properties,
  })
  const run = async (...words: string[]) => {
    const terminal = createTestTerminal(project.directory)
    await runCli(words, terminal)
    return terminal.output.out
  }
  expect(await run('search', 'cache')).toContain('[note, hypothesis, by tester]')
  expect(await run('get', '1')).not.toContain('trust:')
})

it('trust is said in words, and nothing is said of what is not known', () => {
  expect(describeTrust({})).toEqual([])
  expect(
    describeTrust({
      by: 'ada',
      via: 'mcp',
      model: 'm',
      imported_from: 'beads',
      changed_by: 'bob',
      superseded_by: 7,
      code: 'drifted',
    }),
  ).toEqual([
    'by ada via mcp m',
    'imported from beads',
    'changed by bob',
    'superseded by #7',
    'code drifted',
  ])
})
