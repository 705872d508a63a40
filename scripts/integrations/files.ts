import type { DialectPrompt } from '../../packages/waymark/src/dialects/dialect.ts'
import { PROMPTS } from '../../packages/waymark/src/dialects/waymark/prompts.ts'
import type { Edit, Json } from '../../packages/waymark/src/install/format/edit.ts'
import { FORMATS } from '../../packages/waymark/src/install/format/formats.ts'
import { pluginFile } from '../../packages/waymark/src/install/hosts/hook-files.ts'
import { type Host, SERVER_NAME } from '../../packages/waymark/src/install/hosts/host.ts'
import { HOSTS } from '../../packages/waymark/src/install/hosts/hosts.ts'
import { machineOf } from '../../packages/waymark/src/install/machine/machine.ts'
import { entryOf, targetsOf, type Wish } from '../../packages/waymark/src/install/target.ts'
import { read } from '../generated-file.ts'
import type { PackageFacts } from '../reference/registry-files.ts'
import { claudeCommand, geminiCommand, opencodeCommand, qwenCommand } from './commands.ts'

type Files = Readonly<Record<string, string>>

const OWNER = { name: 'The Waymark authors' }

/** What `waymark install` would write on a machine with the command on PATH. */
const WISH: Wish = {
  machine: machineOf({ HOME: '/home/user' }, 'linux'),
  scope: 'project',
  root: '/project',
  program: { words: ['waymark'], absolute: ['waymark'] },
  serveOptions: [],
}

const SKILL: Files = { 'skills/waymark/SKILL.md': read('scripts/integrations/SKILL.md') }

/** The packages of hosts, by their path in `integrations/`. The folder itself is a marketplace for three of them. */
export function integrationFiles({ name, version, description, license }: PackageFacts): Files {
  const about = { name, version, description }
  const plugin = { ...about, author: OWNER, license }
  const offered = { name, description, version }
  return {
    ...within('claude-code', {
      '.claude-plugin/plugin.json': json(plugin),
      '.mcp.json': json(servers('claude-code')),
      'hooks/hooks.json': json(hooks('claude-code')),
      ...commands('commands', 'md', claudeCommand),
      ...SKILL,
    }),
    '.claude-plugin/marketplace.json': json({
      name,
      owner: OWNER,
      metadata: { description },
      plugins: [{ ...offered, source: './claude-code' }],
    }),
    ...within('codex', {
      '.codex-plugin/plugin.json': json({
        ...plugin,
        skills: './skills/',
        mcpServers: './.mcp.json',
        hooks: './hooks/hooks.json',
      }),
      '.mcp.json': json(servers('codex')),
      'hooks/hooks.json': json(hooks('codex')),
      ...SKILL,
    }),
    '.agents/plugins/marketplace.json': json({
      name,
      plugins: [
        {
          name,
          source: { source: 'local', path: './codex' },
          policy: { installation: 'AVAILABLE', authentication: 'ON_INSTALL' },
          category: 'Productivity',
        },
      ],
    }),
    ...within('copilot', {
      'plugin.json': json({
        ...plugin,
        skills: 'skills/',
        hooks: 'hooks.json',
        mcpServers: '.mcp.json',
      }),
      '.mcp.json': json(servers('copilot')),
      'hooks.json': json(hooks('copilot')),
      ...SKILL,
    }),
    '.github/plugin/marketplace.json': json({
      name,
      owner: OWNER,
      metadata: { description, version },
      plugins: [{ ...offered, source: './copilot' }],
    }),
    ...within('gemini', {
      'gemini-extension.json': json({
        ...about,
        ...servers('gemini'),
      }),
      'hooks/hooks.json': json(hooks('gemini')),
      ...commands('commands/waymark', 'toml', geminiCommand),
      ...SKILL,
    }),
    ...within('qwen', {
      'qwen-extension.json': json({
        ...about,
        ...servers('qwen'),
        ...hooks('qwen'),
      }),
      ...commands('commands/waymark', 'md', qwenCommand),
      ...SKILL,
    }),
    ...within('opencode', {
      'opencode.json': json({ ...hostOf('opencode').defaults, ...servers('opencode', 'mcp') }),
      ...commands('command', 'md', opencodeCommand, 'waymark-'),
      ...within('plugin', opencodePlugin()),
      ...SKILL,
    }),
  }
}

/** The plugin that `waymark install opencode --hooks` adds, without the line that says so. */
function opencodePlugin(): Files {
  const { program, machine } = WISH
  const run = { line: () => '', words: program.words, platform: machine.platform }
  return Object.fromEntries(
    Object.entries(pluginFile('opencode')(run)).map(([name, text]) => [
      name,
      text.replace(/^.*\n/, '// Runs `waymark hook` on what happens in a session.\n'),
    ]),
  )
}

function servers(host: string, key = 'mcpServers'): Readonly<Record<string, Json>> {
  return { [key]: { [SERVER_NAME]: entryOf(hostOf(host), WISH) } }
}

/** The hooks that `waymark install --hooks` adds, as a file of their own. */
function hooks(host: string): Readonly<Record<string, unknown>> {
  const edits = targetsOf(hostOf(host), 'hook', WISH).flatMap((target) => target.edits)
  const put = (text: string, edit: Edit) => FORMATS.json.put(text, edit)
  const parsed = JSON.parse(edits.reduce(put, '')) as { version?: number; hooks: object }
  const { version, hooks: byEvent } = parsed
  return { ...(version !== undefined && { version }), hooks: byEvent }
}

function hostOf(name: string): Host {
  const host = HOSTS.find((known) => known.name === name)
  if (host === undefined) throw new Error(`no host ${name}`)
  return host
}

function commands(
  folder: string,
  extension: string,
  render: (prompt: DialectPrompt) => string,
  prefix = '',
): Files {
  return Object.fromEntries(
    PROMPTS.map((prompt) => [`${folder}/${prefix}${prompt.name}.${extension}`, render(prompt)]),
  )
}

function within(folder: string, files: Files): Files {
  return Object.fromEntries(
    Object.entries(files).map(([path, text]) => [`${folder}/${path}`, text]),
  )
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`
}
