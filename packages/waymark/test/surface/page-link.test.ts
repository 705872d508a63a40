import { join } from 'node:path'
import { expect, it } from 'vitest'
import { initialiseProject } from '../../src/core/project/project.ts'
import { locateProject } from '../../src/core/project/locate-project.ts'
import { putFile } from '../../src/support/files/put-file.ts'
import { runCli } from '../../src/surfaces/cli/cli.ts'
import { pageFolder } from '../../src/surfaces/page/page-sessions.ts'
import { rememberServedPage } from '../../src/surfaces/page/served-page.ts'
import { createTestRepository } from '../git/repository.ts'
import { createTestTerminal } from './test-terminal.ts'

const URL = 'http://127.0.0.1:7777'

it('what a person prints ends with its address in the page, while one is served [page-link]', async () => {
  await using test = createTestRepository()
  await initialiseProject(test.directory)
  test.commit('Add a file', { 'src/a b.ts': 'export const a = 1\n' })
  const run = async (words: string, options: Parameters<typeof createTestTerminal>[1] = {}) => {
    const terminal = createTestTerminal(test.directory, { interactive: true, ...options })
    await runCli(
      words.split(' ').map((word) => word.replace('_', ' ')),
      terminal,
    )
    return terminal.output.out
  }
  await run('task add Dial')
  await run('add note Phones')
  const state = locateProject(test.directory)?.stateDir ?? ''
  expect(await run('get 1')).not.toContain('open:')
  await rememberServedPage(state, { url: URL, port: 7777 })
  expect(await run('get 1')).toMatch(/\nopen: http:\/\/127\.0\.0\.1:7777\/ui\/t\/1\n$/)
  expect(await run('task get 1')).toContain(`open: ${URL}/ui/t/1\n`)
  expect(await run('get 2')).toContain(`open: ${URL}/ui/k/2\n`)
  expect(await run('code why src/a_b.ts')).toContain(`open: ${URL}/ui/code/src/a%20b.ts\n`)
  expect(await run('code show src/a_b.ts')).toContain(`open: ${URL}/ui/code/src/a%20b.ts\n`)
  // Neither for programs nor for agents, nor for what the page does not show.
  expect(await run('get 1', { interactive: false })).not.toContain('open:')
  expect(await run('get 1 --json')).not.toContain('open:')
  expect(await run('get 1', { env: { CLAUDECODE: '1' } })).not.toContain('open:')
  expect(await run('list')).not.toContain('open:')
  const ended = JSON.stringify({ url: URL, port: 7777, process: 'x 1 1 y' })
  await putFile(join(pageFolder(state), 'server.json'), (file) => file.writeFile(ended))
  expect(await run('get 1')).not.toContain('open:')
})
