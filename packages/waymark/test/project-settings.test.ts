import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ignoredSettings, loadConfig } from '../src/core/project/config.ts'
import { PROJECT_SETTINGS } from '../src/core/project/settings.ts'
import { runCli } from '../src/surfaces/cli/cli.ts'
import { setup } from './setup.ts'
import { createFolder } from './store/workspace.ts'
import { createTestTerminal } from './surface/test-terminal.ts'

describe('the settings file of a clone', () => {
  it('names no agent, and says where the name belongs', async () => {
    await using project = await setup()
    writeSettings(project.directory, { actor: 'Lead Maintainer' })
    const terminal = createTestTerminal(project.directory)
    expect(await runCli(['add', 'note', 'a note', '--json'], terminal)).toBe(0)
    expect(JSON.parse(terminal.output.out)).toMatchObject({ created_by: 'Test Author' })
    expect(terminal.output.err).toContain(
      'actor is ignored in .waymark/config.json: a project cannot name the agents of those who clone it; set WAYMARK_ACTOR instead',
    )
    const env = { WAYMARK_ACTOR: 'me' }
    expect(loadConfig(project.directory, env).actor).toBe('me')
  })

  it('sends no text anywhere, not even to this machine [project-settings-sends-text]', async () => {
    await using project = await setup()
    const requests: string[] = []
    const server = createServer((request, response) => {
      requests.push(request.url ?? '')
      response.end('{}')
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    writeSettings(project.directory, {
      embedding: { url: `http://127.0.0.1:${port}/admin/delete?x=`, model: 'm' },
    })
    const terminal = createTestTerminal(project.directory)
    expect(await runCli(['add', 'note', 'a private note'], terminal)).toBe(0)
    expect(await runCli(['search', 'semantic', 'private'], terminal)).toBe(0)
    server.close()
    expect(requests).toEqual([])
    expect(terminal.output.err).toContain(
      'embedding is ignored in .waymark/config.json: a project cannot say where your texts are sent; set WAYMARK_EMBEDDING_URL and WAYMARK_EMBEDDING_MODEL instead',
    )
  })

  it.each([
    ['requestTimeoutMs', 1, 5_000, 'WAYMARK_REQUEST_TIMEOUT_MS'],
    ['requestTimeoutMs', 10 ** 12, 3_600_000, 'WAYMARK_REQUEST_TIMEOUT_MS'],
    ['maxConcurrentRequests', 1, 8, 'WAYMARK_MAX_CONCURRENT_REQUESTS'],
    ['maxConcurrentRequests', 10 ** 9, 1_024, 'WAYMARK_MAX_CONCURRENT_REQUESTS'],
    ['maxBatchSize', 1, 10, 'WAYMARK_MAX_BATCH_SIZE'],
    ['maxBatchSize', 10 ** 9, 1_000, 'WAYMARK_MAX_BATCH_SIZE'],
    ['maxArtifactBytes', 1, 2 ** 20, 'WAYMARK_MAX_ARTIFACT_BYTES'],
    ['maxArtifactBytes', 2 ** 50, 2 ** 30, 'WAYMARK_MAX_ARTIFACT_BYTES'],
  ] as const)('cannot make the server useless: %s %j is %j', (name, value, taken, variable) => {
    using folder = createFolder()
    writeSettings(folder.path, { [name]: value })
    expect(loadConfig(folder.path, {})[name]).toBe(taken)
    expect(ignoredSettings(folder.path)).toEqual([
      `${name} is ${value} in .waymark/config.json and taken as ${taken}, as far as a project may go; set ${variable} to go further`,
    ])
    expect(loadConfig(folder.path, { [variable]: '3' })[name]).toBe(3)
  })

  it('allows single texts that look like secrets, and no whole kind of them', () => {
    using folder = createFolder()
    writeSettings(folder.path, {
      allowedSecrets: ['3f1c0a9be2d7', 'github-token', 'x'.repeat(999)],
    })
    expect([...loadConfig(folder.path, {}).allowedSecrets]).toEqual(['3f1c0a9be2d7'])
    expect(ignoredSettings(folder.path)).toEqual([
      `allowedSecrets: "github-token", "${'x'.repeat(40)}…" ignored in .waymark/config.json: a project can allow single texts by their fingerprints, not all secrets of a kind; set WAYMARK_ALLOWED_SECRETS instead`,
    ])
    const env = { WAYMARK_ALLOWED_SECRETS: 'jwt, github-token' }
    const allowed = ['3f1c0a9be2d7', 'jwt', 'github-token']
    expect([...loadConfig(folder.path, env).allowedSecrets]).toEqual(allowed)
  })

  it('cannot allow secrets by a text instead of a list, which an error does not show', () => {
    using folder = createFolder()
    writeSettings(folder.path, { allowedSecrets: 'jwt, hunter2' })
    let failure: unknown
    try {
      loadConfig(folder.path, {})
    } catch (error) {
      failure = error
    }
    expect(failure).toMatchObject({
      message: 'allowedSecrets: must be a list of fingerprints, as the errors name them',
      details: { field: 'allowedSecrets' },
    })
    expect(JSON.stringify(failure)).not.toContain('hunter2')
  })

  it('sets values in range and describes the project without a warning', () => {
    using folder = createFolder()
    writeSettings(folder.path, {
      logLevel: 'debug',
      requestTimeoutMs: 60_000,
      maxBatchSize: 200,
      description: 'A shop',
      allowedSecrets: ['3f1c0a9be2d7'],
    })
    expect(loadConfig(folder.path, {})).toMatchObject({
      logLevel: 'debug',
      requestTimeoutMs: 60_000,
      maxBatchSize: 200,
      maxConcurrentRequests: PROJECT_SETTINGS.maxConcurrentRequests.default,
      description: 'A shop',
    })
    expect(ignoredSettings(folder.path)).toEqual([])
  })
})

function writeSettings(root: string, settings: object): void {
  mkdirSync(join(root, '.waymark'), { recursive: true })
  writeFileSync(join(root, '.waymark', 'config.json'), JSON.stringify(settings))
}
