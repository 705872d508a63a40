import type { Host } from './host.ts'
import { command, dollarEnv, url } from './shapes.ts'

export const CLAUDE_DESKTOP: Host = {
  name: 'claude-desktop',
  title: 'Claude Desktop',
  format: 'json',
  key: 'mcpServers',
  files: { global: ['{apps}/Claude/claude_desktop_config.json'] },
  signs: { global: ['{apps}/Claude'] },
  stdio: command(),
  folder: 'unknown',
  isDesktop: true,
  isEnvironmentCleared: true,
  next: 'quit Claude Desktop completely and start it again',
}

/** Applications that know of no project: the path of the one to serve is written into the entry. */
export const DESKTOP_HOSTS: readonly Host[] = [
  CLAUDE_DESKTOP,
  {
    name: 'antigravity',
    title: 'Antigravity',
    format: 'json',
    key: 'mcpServers',
    files: { global: ['{home}/.gemini/antigravity/mcp_config.json'] },
    signs: { global: ['{home}/.gemini/antigravity'], commands: ['antigravity'] },
    stdio: command(),
    http: url({ key: 'serverUrl' }),
    folder: 'unknown',
    isDesktop: true,
    next: 'refresh the list under Manage MCP Servers',
  },
  {
    name: 'lm-studio',
    title: 'LM Studio',
    format: 'json',
    key: 'mcpServers',
    files: { global: ['{home}/.lmstudio/mcp.json'] },
    signs: { global: ['{home}/.lmstudio'], commands: ['lms'] },
    stdio: command(),
    http: url(),
    folder: 'unknown',
    isDesktop: true,
    next: 'the server appears in the Program tab',
    link: (name, entry) =>
      `https://lmstudio.ai/install-mcp?name=${name}&config=${encodeURIComponent(
        Buffer.from(JSON.stringify(entry)).toString('base64'),
      )}`,
  },
  // These keep their configuration out of reach; `--print` shows what to paste.
  {
    name: 'jetbrains',
    title: 'JetBrains AI Assistant',
    format: 'json',
    key: 'mcpServers',
    files: {},
    signs: {},
    stdio: command(),
    http: url(),
    folder: 'unknown',
    isDesktop: true,
    next: 'paste this in Settings → Tools → AI Assistant → Model Context Protocol (MCP)',
  },
  {
    name: 'copilot-ide',
    title: 'Copilot in JetBrains, Eclipse and Xcode',
    format: 'json',
    key: 'servers',
    files: {},
    signs: {},
    stdio: command(),
    http: url({ variable: dollarEnv }),
    folder: 'unknown',
    isDesktop: true,
    next: 'paste this in the file that the tools icon of the chat opens',
  },
  {
    name: 'copilot-cloud',
    title: 'Copilot cloud agent',
    format: 'json',
    key: 'mcpServers',
    files: {},
    signs: {},
    // It cannot start local programs, and an `npx` command is unsafe while the name on npm is unclaimed.
    stdio: ({ args }) => ({
      type: 'local',
      command: 'waymark',
      args: args.slice(args.indexOf('serve')),
      tools: ['*'],
    }),
    folder: 'project',
    next: 'paste this in the repository’s Settings → Copilot → MCP servers, and let copilot-setup-steps.yml put waymark on PATH',
  },
]
