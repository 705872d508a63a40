import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { expect, it } from 'vitest'
import { PROMPTS } from '../../src/dialects/waymark/prompts.ts'
import { initialiseProject } from '../../src/core/project/project.ts'
import { createRepository } from '../setup.ts'
import { manifestErrors } from './mcpb-manifest.ts'

interface Manifest {
  readonly server: { readonly mcp_config: { readonly command: string; readonly args: string[] } }
  readonly tools: readonly { readonly name: string }[]
}

const folder = fileURLToPath(new URL('../../', import.meta.url))
const read = (name: string) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as object
const facts = read('package.json') as Record<string, string>

it('server.json has the version and the name that the package claims', () => {
  expect(read('server.json')).toMatchObject({ name: facts['mcpName'], version: facts['version'] })
})

it('server.json keeps to what the schema of the registry allows, and names no package before there is one', () => {
  const server = read('server.json') as Record<string, unknown>
  const allowed = ['$schema', 'name', 'title', 'description', 'version']
  expect(Object.keys(server)).toEqual(allowed)
  expect(server['name']).toMatch(/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/)
  expect(String(server['description']).length).toBeLessThanOrEqual(100)
})

it('manifest.json keeps to the schema of version 0.3 of its format [mcpb-manifest-schema]', () => {
  const manifest = read('manifest.json') as Record<string, unknown>
  expect(manifestErrors(manifest)).toEqual([])
  expect(manifestErrors({ ...manifest, server: { type: 'node' } })).not.toEqual([])
  expect(manifest).toMatchObject({
    server: { type: 'node', entry_point: 'bin/waymark.js' },
    user_config: { repository: { type: 'directory', required: true } },
    prompts: PROMPTS.map(({ name }) => ({
      name,
      text: expect.stringContaining('${arguments.'),
    })),
  })
})

it('the bundle starts as its manifest says, from any folder, and offers the tools it lists', async () => {
  await using repository = createRepository()
  await initialiseProject(repository.directory)
  const elsewhere = mkdtempSync(join(tmpdir(), 'waymark-elsewhere-'))
  const manifest = read('manifest.json') as Manifest
  expect(manifest).toMatchObject({ name: facts['name'], version: facts['version'] })
  const { args } = manifest.server.mcp_config
  const client = new Client({ name: 'a-host', version: '1' })
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: args.map((word) =>
      word
        .replace('${__dirname}', folder)
        .replace('${user_config.repository}', repository.directory),
    ),
    cwd: elsewhere,
    stderr: 'ignore',
  })
  // The 1.x types predate exact optional properties; at run time this is how the package is meant to be used.
  await client.connect(transport as Parameters<Client['connect']>[0])
  const { tools } = await client.listTools()
  expect(client.getServerVersion()?.version).toBe(facts['version'])
  await client.close()
  expect(tools.map(({ name }) => name)).toEqual(manifest.tools.map(({ name }) => name))
  rmSync(elsewhere, { recursive: true, force: true, maxRetries: 10 })
})
