import { expect, it } from 'vitest'
import { joinAgent } from '../../../src/agent/operations.ts'
import { showBrief } from '../../../src/brief/operations.ts'
import type { Context } from '../../../src/core/context.ts'
import { execute } from '../../../src/core/execute.ts'
import { createEntity } from '../../../src/entity/operations.ts'
import { estimateTokens } from '../../../src/support/text/token-estimate.ts'
import { printForAgent } from '../../../src/core/show.ts'
import { claimTask } from '../../../src/task/lease/operations.ts'
import { createTask } from '../../../src/task/operations.ts'
import { connect, type DialectClient, type Fields } from '../../dialects/client.ts'
import { pathToOutside, type Setup, setup } from '../../setup.ts'
import { CLIENT, setupCode } from '../code/code-setup.ts'

const brief = (context: Context, input: object = {}) => execute(context, showBrief, input)

async function note(context: Context, title: string, note_type?: string, more: object = {}) {
  const properties = note_type === undefined ? {} : { note_type }
  return await execute(context, createEntity, { type: 'note', title, properties, ...more })
}

/** Ada holds a task that reserves the cart. */
async function reserveCart(project: Setup): Promise<void> {
  const fields = { title: 'Rework the cart', locks: ['src/cart/**'] }
  await execute(project.context, createTask, fields)
  await execute(project.as('ada'), claimTask, { id: '1' })
}

async function textOf(client: DialectClient, tool: string, args: Fields): Promise<string> {
  const { content } = await client.result(tool, args)
  return content.map(({ text }) => text).join('\n')
}

it('a brief with a topic brings the notes about it, dead ends and gotchas first', async () => {
  await using project = await setup()
  const { context } = project
  await note(context, 'The cart holds at most 99 items')
  await note(context, 'Redis for the cart lost items', 'dead_end')
  await note(context, 'The cart must be locked while it is merged', undefined, { tags: ['gotcha'] })
  await note(context, 'Buttons are blue')
  const found = await brief(context, { topic: 'cart' })
  const numbers = (found.notes ?? []).map(({ number }) => number)
  expect(new Set(numbers.slice(0, 2))).toEqual(new Set([2, 3]))
  expect(numbers).toEqual(expect.arrayContaining([1, 2, 3]))
  expect(numbers).not.toContain(4)
  expect(printForAgent(showBrief.show(found))).toMatch(
    /Notes that matter here:\n- #\d .*(dead end|gotcha)/,
  )
})

it('a brief with paths brings the notes that their words and annotations lead to', async () => {
  await using test = await setupCode()
  await note(test.context, 'Number() takes an empty text for zero', 'gotcha')
  await note(test.context, 'The client reconnects by itself')
  test.commit('Add a client', { 'src/client.ts': CLIENT })
  const region = { file: 'src/client.ts', anchor: 'parse', intent: 'Numbers only' }
  await test.annotate({ summary: 'Parse numbers', regions: [region], links: ['1'] })
  const { notes } = await brief(test.context, { paths: ['src/client.ts'] })
  expect(notes?.map(({ number }) => number)).toEqual([1, 2])
})

it('an open question is not repeated among the notes', async () => {
  await using project = await setup()
  await note(project.context, 'Which cart?', undefined, { tags: ['question'] })
  const found = await brief(project.context, { topic: 'cart' })
  expect(found.questions).toHaveLength(1)
  expect(found.notes).toBeUndefined()
})

it('a brief without topic, paths or task has no notes', async () => {
  await using project = await setup()
  await note(project.context, 'Redis for the cart lost items', 'dead_end')
  expect((await brief(project.context)).notes).toBeUndefined()
})

it('a brief says who else is here, which task they hold and what they reserve [brief-tells-reserved]', async () => {
  await using project = await setup()
  await reserveCart(project)
  await execute(project.as('cy'), joinAgent, {})
  const bo = project.as('bo')
  await execute(bo, joinAgent, {})
  const found = await brief(bo)
  expect(found.agents).toEqual([
    { name: 'ada', number: 1, title: 'Rework the cart', reserves: ['src/cart/**'] },
    { name: 'cy' },
  ])
  expect(printForAgent(showBrief.show(found))).toMatch(
    /Also here:\n- ada: #1 Rework the cart, reserves src\/cart\/\*\*\n- cy: no task/,
  )
  expect((await brief(project.as('ada'))).agents?.map(({ name }) => name)).toEqual(
    expect.not.arrayContaining(['ada']),
  )
})

it('a brief with paths names the agent that has reserved them, with its task', async () => {
  await using project = await setup()
  await reserveCart(project)
  const bo = project.as('bo')
  const found = await brief(bo, {
    paths: ['src/cart/cart.ts', 'src/other.ts', pathToOutside('/etc/passwd')],
  })
  expect(found.reserved).toEqual([
    {
      path: 'src/cart/cart.ts',
      pattern: 'src/cart/**',
      by: 'ada',
      number: 1,
      title: 'Rework the cart',
      until: expect.any(String),
    },
  ])
  expect(printForAgent(showBrief.show(found))).toMatch(
    /- src\/cart\/cart\.ts by ada for #1 Rework the cart/,
  )
  expect((await brief(project.as('ada'), { paths: ['src/cart/cart.ts'] })).reserved).toBeUndefined()
  expect((await brief(bo, { paths: ['src/other.ts'] })).reserved).toBeUndefined()
})

it('with a topic, news and ready tasks leave room for what is known', async () => {
  await using project = await setup()
  for (let at = 0; at < 20; at++) {
    await execute(project.context, createTask, { title: `Task ${at} about something else` })
  }
  for (let at = 0; at < 6; at++) await note(project.context, `The cart, fact ${at}`, 'dead_end')
  const found = await brief(project.as('bo'), { topic: 'cart' })
  expect(found.notes).toHaveLength(6)
  expect(found.changes.length).toBeLessThanOrEqual(3)
  expect(found.ready.length).toBeLessThanOrEqual(5)
  expect(found.left_out).toMatchObject({ ready: 20 - found.ready.length })
  for (const max_tokens of [200, 400]) {
    const small = await brief(project.as('cy'), { topic: 'cart', max_tokens })
    expect(estimateTokens(JSON.stringify(small))).toBeLessThanOrEqual(max_tokens)
  }
})

it('brief, code_why and task_next name the reservations of others in words', async () => {
  await using project = await setupCode()
  project.commit('Add a cart', { 'src/cart/cart.ts': CLIENT })
  const { code } = project.context
  const server = { ...(code && { code }) }
  await using ada = await connect('waymark', { project, server })
  await using bo = await connect('waymark', { project, server })
  await ada.call('task_create', {
    tasks: [
      { title: 'Rework the cart', locks: ['src/cart/**'] },
      { title: 'Rename a field', locks: ['src/cart/cart.ts'] },
    ],
  })
  await ada.call('task_next', { claim: true, id: '1' })
  const path = 'src/cart/cart.ts'
  expect(await textOf(bo, 'code_why', { path })).toMatch(
    /^reserved by test.* until \S+Z: src\/cart\/\*\* for #1 Rework the cart$/m,
  )
  expect(await textOf(bo, 'brief', { paths: [path] })).toMatch(
    /^Reserved by others:\n- src\/cart\/cart\.ts by test.* for #1 Rework the cart/m,
  )
  const args = { claim: true, id: '2' }
  const { structuredContent, content } = await bo.result('task_next', args)
  const sentence = /^test.* has reserved src\/cart\/\*\* for #1 Rework the cart until \S+Z$/
  expect(structuredContent).toMatchObject({
    claimed: { overlaps: [expect.stringMatching(sentence)] },
  })
  expect(content.map(({ text }) => text).join('\n')).toMatch(
    /^careful: test.* has reserved src\/cart\/\*\* for #1 Rework the cart/m,
  )
  expect(JSON.stringify(content)).not.toContain('agent_id')
})
