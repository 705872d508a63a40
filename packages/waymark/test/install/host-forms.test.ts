import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parseEntry } from '../../src/install/ledger/entry.ts'
import { createHome } from './home.ts'

describe('an entry', () => {
  it('is spelled as Cline, Continue and Codex read it [install-host-forms]', async () => {
    await using home = await createHome()
    const options = { global: true, command: 'waymark' }
    await home.install(['cline', 'continue', 'codex', 'augment'], options)
    const text = (path: string) => home.read(join(home.home, path)).toString('utf8')
    expect(JSON.parse(text('.cline/data/settings/cline_mcp_settings.json'))).toEqual({
      mcpServers: {
        waymark: { transport: { type: 'stdio', command: 'waymark', args: ['serve'] } },
      },
    })
    expect(text('.continue/config.yaml')).toBe(
      'name: waymark\nversion: 0.0.1\nschema: v1\nmcpServers:\n  - name: waymark\n    type: stdio\n    command: waymark\n    args:\n      - serve\n',
    )
    expect(text('.codex/config.toml')).toContain('env_vars = [ "WAYMARK_ACTOR", ')
    expect(JSON.parse(text('.augment/settings.json'))).toEqual({
      mcpServers: { waymark: { command: 'waymark', args: ['serve'] } },
    })
  })

  it.each([
    ['opencode', 'opencode.json', '$schema', 'https://opencode.ai/config.json'],
    ['kilo', '.kilo/kilo.jsonc', '$schema', 'https://app.kilo.ai/config.json'],
    ['qwen', '.qwen/settings.json', '$version', 4],
  ])('has what %s would add to %s, and leaves nothing behind', async (name, file, key, value) => {
    await using home = await createHome()
    const before = home.files()
    await home.install([name])
    const path = join(home.root, file)
    const text = home.read(path).toString('utf8')
    expect(JSON.parse(text)).toMatchObject({ [key]: value })
    for (const later of [value, 'of a newer version']) {
      await home.install([name])
      home.write(path, JSON.stringify({ ...JSON.parse(text), [key]: later }))
      await home.install([name], { uninstall: true })
      expect(home.files()).toEqual(before)
    }
  })

  it('passes variables of ours on where the host clears the environment, and no others', () => {
    const entry = { command: 'waymark', env_vars: ['WAYMARK_ACTOR', 'NODE_OPTIONS'] }
    expect(parseEntry(entry)).toMatchObject({ passed: ['WAYMARK_ACTOR'] })
  })
})

describe('instructions', () => {
  it('reach Qwen Code once, and speak of all projects in a global file', async () => {
    await using home = await createHome()
    await home.install(['qwen', 'opencode'], { instructions: true })
    expect(existsSync(join(home.root, 'QWEN.md'))).toBe(false)
    expect(
      home
        .read(join(home.root, 'AGENTS.md'))
        .toString()
        .match(/waymark:begin/g),
    ).toHaveLength(1)
    await home.install(['claude-code'], { instructions: true, global: true })
    expect(home.read(join(home.home, '.claude/CLAUDE.md')).toString()).toContain(
      'the project does not use it',
    )
  })
})

describe('what remains to be done', () => {
  it.each([
    ['claude-code', {}, 'approve the server once'],
    ['claude-code', { global: true }, '`/mcp` shows the server'],
    ['codex', {}, 'trust the folder'],
    ['codex', { global: true }, '`/mcp` shows the server'],
    ['codex', { hooks: true }, 'Codex: review the hook with `/hooks`'],
    ['gemini', { global: true }, 'trust its folder; until then the server is disabled'],
    ['qwen', {}, '`qwen mcp approve waymark`'],
    ['copilot', { global: true }, '`/mcp` shows the server'],
  ])('the next step of %s with %j: %s', async (name, options, step) => {
    await using home = await createHome()
    expect((await home.install([name], options)).err).toContain(step)
  })

  it('says where a file cannot hold the credential of an HTTP server [install-http-credential]', async () => {
    await using home = await createHome()
    const http = 'http://127.0.0.1:7777/mcp'
    for (const name of ['kilo', 'amp']) {
      const { err } = await home.install([name], { http })
      expect(err).toContain('add the header `Authorization: Bearer <secret>` yourself')
      expect(err).not.toContain('WAYMARK_TOKEN')
    }
    const { err } = await home.install(['kilo'], { http, global: true })
    expect(err).toContain('WAYMARK_TOKEN must hold')
    expect(err).not.toContain('yourself')
    const file = join(home.home, '.config/kilo/kilo.jsonc')
    expect(home.read(file).toString('utf8')).toContain('"Bearer {env:WAYMARK_TOKEN}"')
  })
})
