import { execFile } from 'node:child_process'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { listenHttp } from '@waymark/baton/node'
import { expect, it } from 'vitest'
import { createFolder } from '../session/stores.ts'
import { createScenarioServer } from '../support/scenario.ts'
import { bundleProgram } from '../../../../scripts/vitest/bundle-program.ts'

const STDIO_SERVER = new URL('../fixtures/scenario-server.ts', import.meta.url)
const ADD = ['--method', 'tools/call', '--tool-name', 'add', '--tool-args-json', '{"a":1,"b":2}']
const ERAS = ['legacy', 'auto', 'modern'] as const

/** Runs the official Inspector as a person would, and reads what it prints. */
async function inspect(target: readonly string[], options: readonly string[]): Promise<unknown> {
  await using folder = await createFolder()
  const require = createRequire(import.meta.url)
  const manifest = require.resolve('@modelcontextprotocol/inspector/package.json')
  const { bin } = require(manifest) as { bin: Record<string, string> }
  const program = join(manifest, '..', bin['mcp-inspector'] ?? '')
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [program, '--cli', ...options, ...target, ...ADD, '--format', 'json'],
    { env: { ...process.env, MCP_CATALOG_PATH: join(folder.path, 'catalog.json') } },
  )
  return JSON.parse(stdout)
}

const SUM = { result: { structuredContent: { sum: 3 } } }

it.each(ERAS)('the Inspector calls a tool over stdio (%s)', async (era) => {
  const server = [process.execPath, bundleProgram(STDIO_SERVER)]
  expect(await inspect(server, ['--protocol-era', era])).toMatchObject(SUM)
})

it.each(ERAS)('the Inspector calls a tool over HTTP (%s)', async (era) => {
  await using listener = await listenHttp(createScenarioServer(), { authenticator: 'none' })
  const options = ['--protocol-era', era, '--transport', 'http']
  expect(await inspect([listener.url], options)).toMatchObject(SUM)
})

it('the Inspector calls a tool over HTTP+SSE', async () => {
  await using listener = await listenHttp(createScenarioServer(), { authenticator: 'none' })
  expect(await inspect([`${listener.url}/sse`], ['--transport', 'sse'])).toMatchObject(SUM)
})
