import { expect, it } from 'vitest'
import { addArtifact } from '../../src/artifact/operations.ts'
import { execute } from '../../src/core/execute.ts'
import { sendMessage } from '../../src/message/operations.ts'
import { createRelation } from '../../src/relation/operations.ts'
import { runCli } from '../../src/surfaces/cli/cli.ts'
import { createTask } from '../../src/task/operations.ts'
import { setup } from '../setup.ts'
import { createTestTerminal } from './test-terminal.ts'

async function eventsFor(directory: string, ...words: readonly string[]): Promise<string> {
  const terminal = createTestTerminal(directory)
  expect(await runCli(['events', 'list', ...words], terminal)).toBe(0)
  return terminal.output.out
}

it('events name what was said and what was related, without ids', async () => {
  await using project = await setup({ clock: Date.now })
  for (const title of ['Paint', 'Dry']) await execute(project.context, createTask, { title })
  await execute(project.context, createRelation, { source: '1', type: 'blocks', target: '2' })
  await execute(project.as('bo'), sendMessage, { body: 'here I am' })
  await execute(project.as('ann'), sendMessage, { body: 'which\ncolour?', to: 'bo' })
  await execute(project.context, addArtifact, { text: 'wet', name: 'paint.log' })
  await execute(project.context, addArtifact, { text: 'dry' })
  const told = await eventsFor(project.directory)
  expect(told).toMatch(/\tpaint\.log\tartifact\.added\t/)
  expect(told).toMatch(/\tcas:\/\/[0-9a-f]{12}\tartifact\.added\t/)
  expect(told).toMatch(/\t#1 Paint blocks #2 Dry\trelation\.created\ttester\t/)
  expect(told).toMatch(/\tmessage 1 to all: here I am\tmessage\.sent\tbo\t/)
  expect(told).toMatch(/\tmessage 2 to bo: which colour\?\tmessage\.sent\tann\t/)
  expect(told).not.toMatch(/[0-9a-f]{8}-[0-9a-f]{4}/)
})

it('events show an agent only the messages that were sent to all', async () => {
  await using project = await setup({ clock: Date.now })
  await execute(project.as('bo'), sendMessage, { body: 'here I am' })
  await execute(project.as('ann'), sendMessage, { body: 'a secret', to: 'bo' })
  const told = await eventsFor(project.directory, '--actor', 'cy')
  expect(told).toContain('message 1 to all: here I am')
  expect(told).toContain('message 2 to bo\t')
  expect(told).not.toContain('a secret')
})
