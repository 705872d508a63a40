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
import { refusedIn } from './server-json.ts'

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

it('server.json keeps to the rules of the registry, and names no package before there is one [server-json-rules]', () => {
  const server = read('server.json') as Record<string, unknown>
  expect(refusedIn(server)).toEqual([])
  expect(Object.keys(server)).toEqual(['$schema', 'name', 'title', 'description', 'version'])
})

const PACKAGE = {
  registryType: 'npm',
  registryBaseUrl: 'https://registry.example.com',
  identifier: 'waymark',
  version: '0.1.0',
  transport: { type: 'stdio' },
  packageArguments: [{ type: 'positional', value: 'serve' }],
  environmentVariables: [{ name: 'WAYMARK_ACTOR', description: 'a name', format: 'string' }],
}
const BUNDLE = { registryType: 'mcpb', identifier: 'https://example.com/waymark.mcpb' }

it('the check of server.json accepts what the registry documents', () => {
  const server = read('server.json')
  const repository = { url: 'https://example.com/waymark', source: 'github', subfolder: 'packages' }
  const transport = { type: 'streamable-http', url: 'https://example.com/mcp' }
  for (const more of [
    { packages: [PACKAGE], repository, websiteUrl: 'https://example.com' },
    { packages: [{ ...BUNDLE, fileSha256: 'a'.repeat(64), transport: { type: 'stdio' } }] },
    { packages: [{ ...PACKAGE, version: '1.0.0-rc.1', transport }], remotes: [transport] },
  ])
    expect(refusedIn({ ...server, ...more })).toEqual([])
})

it.each<[field: string, broken: object]>([
  ['/name', { name: 'waymark' }],
  ['/name', { name: 'io.github.waymark/way/mark' }],
  ['/name', { name: `io.github.waymark/${'w'.repeat(200)}` }],
  ['/name', { name: undefined }],
  ['/description', { description: 'd'.repeat(101) }],
  ['/description', { description: '' }],
  ['/title', { title: 't'.repeat(101) }],
  ...['^1.2.3', '~1.2.3', '>=1.2.3', '1.x', '1.*', '1.2 || 1.3', '1.0 - 2.0', 'latest', ''].map(
    (version) => ['/version', { version }] as [string, object],
  ),
  ['/$schema', { $schema: 'https://static.modelcontextprotocol.io/schemas/2025-07-09/x.json' }],
  ['/$schema', { $schema: undefined }],
  ['/websiteUrl', { websiteUrl: 'example.com' }],
  ['/repository/source', { repository: { url: 'https://example.com' } }],
  ['/repository/subfolder', { repository: { url: 'https://a.b', source: 'g', subfolder: '../a' } }],
  ['/licence', { licence: 'MIT' }],
  ['/packages/0/registryType', { packages: [{ ...PACKAGE, registryType: 'crates' }] }],
  ['/packages/0/registryType', { packages: [{ ...PACKAGE, registryType: undefined }] }],
  ['/packages/0/identifier', { packages: [{ ...PACKAGE, identifier: undefined }] }],
  ['/packages/0/version', { packages: [{ ...PACKAGE, version: '^0.1.0' }] }],
  ['/packages/0/version', { packages: [{ ...PACKAGE, version: 'latest' }] }],
  ['/packages/0/version', { packages: [{ ...PACKAGE, version: undefined }] }],
  ['/packages/0/transport', { packages: [{ ...PACKAGE, transport: undefined }] }],
  ['/packages/0/transport/type', { packages: [{ ...PACKAGE, transport: { type: 'pipe' } }] }],
  ['/packages/0/transport/url', { packages: [{ ...PACKAGE, transport: { type: 'sse' } }] }],
  ['/packages/0/fileSha256', { packages: [{ ...BUNDLE, transport: { type: 'stdio' } }] }],
  ['/packages/0/fileSha256', { packages: [{ ...PACKAGE, fileSha256: 'ABC' }] }],
  ['/packages/0/registry_name', { packages: [{ ...PACKAGE, registry_name: 'npm' }] }],
  ['/packages/0/packageArguments/0/value', { packages: [withArgument({ type: 'positional' })] }],
  ['/packages/0/packageArguments/0/name', { packages: [withArgument({ type: 'named' })] }],
  ['/packages/0/packageArguments/0/type', { packages: [withArgument({ value: 'serve' })] }],
  [
    '/packages/0/environmentVariables/0/name',
    { packages: [{ ...PACKAGE, environmentVariables: [{ value: 'x' }] }] },
  ],
  ['/remotes/0/type', { remotes: [{ type: 'stdio', url: 'https://example.com/mcp' }] }],
  ['/remotes/0/url', { remotes: [{ type: 'sse', url: 'ftp://example.com' }] }],
])('the check of server.json refuses a broken %s: %j', (field, broken) => {
  // As JSON, where a field without a value is absent.
  const server: unknown = JSON.parse(JSON.stringify({ ...read('server.json'), ...broken }))
  expect(refusedIn(server)).toContain(field)
})

function withArgument(argument: object): object {
  return { ...PACKAGE, packageArguments: [argument] }
}

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
