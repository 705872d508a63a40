import { join } from 'node:path'
import type { LabHost } from '../host.ts'

export const CLAUDE: LabHost = {
  id: 'claude',
  title: 'Claude Code',
  // The last one that runs on Node 20.
  packages: ['@anthropic-ai/claude-code@2.1.197'],
  program: 'claude',
  install: { host: 'claude-code', scope: 'project' },
  files: ({ home, repository }) => ({
    [join(home, '.claude.json')]: JSON.stringify({
      hasCompletedOnboarding: true,
      projects: {
        [repository]: { hasTrustDialogAccepted: true, enabledMcpjsonServers: ['waymark'] },
      },
    }),
  }),
  env: ({ origin }) => ({
    ANTHROPIC_BASE_URL: origin,
    ANTHROPIC_API_KEY: 'stand-in',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    // Off by default with a service that is not Anthropic's, on with theirs.
    ENABLE_TOOL_SEARCH: 'true',
  }),
  start: (prompt) => ['-p', prompt, ...UNATTENDED],
  resume: (prompt) => ['-c', '-p', prompt, ...UNATTENDED],
  edit: ({ path, before, after }) => [
    { tool: 'Read', args: { file_path: path } },
    { tool: 'Edit', args: { file_path: path, old_string: before, new_string: after } },
  ],
  search: (tools) => ({
    tool: 'ToolSearch',
    args: { query: `select:${tools.map((tool) => `mcp__waymark__${tool}`).join(',')}` },
  }),
}

const UNATTENDED = ['--permission-mode', 'acceptEdits', '--allowedTools', 'mcp__waymark'] as const
