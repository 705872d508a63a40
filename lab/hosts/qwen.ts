import { join } from 'node:path'
import type { LabHost } from '../host.ts'

export const QWEN: LabHost = {
  id: 'qwen',
  title: 'Qwen Code',
  // It needs Node 22, which is a package as well.
  packages: ['@qwen-code/qwen-code@0.24.4', 'node@22'],
  program: 'qwen',
  install: { host: 'qwen', scope: 'project' },
  files: ({ home, repository }) => ({
    [join(home, '.qwen', 'settings.json')]: JSON.stringify({
      security: { auth: { selectedType: 'openai' } },
      privacy: { usageStatisticsEnabled: false },
    }),
    [join(home, '.qwen', 'trustedFolders.json')]: JSON.stringify({ [repository]: 'TRUST_FOLDER' }),
  }),
  env: ({ origin }) => ({
    OPENAI_API_KEY: 'stand-in',
    OPENAI_BASE_URL: `${origin}/v1`,
    OPENAI_MODEL: 'stand-in',
  }),
  approve: [['mcp', 'approve', 'waymark']],
  start: (prompt) => ['--yolo', prompt],
  resume: (prompt) => ['--yolo', '--continue', prompt],
  edit: ({ path, before, after }) => [
    { tool: 'read_file', args: { file_path: path } },
    { tool: 'edit', args: { file_path: path, old_string: before, new_string: after } },
  ],
  search: (tools) => ({
    tool: 'tool_search',
    args: { query: `select:${tools.map((tool) => `mcp__waymark__${tool}`).join(',')}` },
  }),
  callFound: (tool, args) => ({
    tool: 'tool_call',
    args: { name: `mcp__waymark__${tool}`, arguments: args },
  }),
}
