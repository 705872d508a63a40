import { join } from 'node:path'
import type { LabHost } from '../host.ts'

export const CLINE: LabHost = {
  id: 'cline',
  title: 'Cline CLI',
  packages: ['cline@3.0.65'],
  program: 'cline',
  install: { host: 'cline', scope: 'global' },
  byHand: ({ home }) => ({
    [join(home, '.cline', 'data', 'settings', 'cline_mcp_settings.json')]: JSON.stringify({
      mcpServers: {
        waymark: { transport: { type: 'stdio', command: 'waymark', args: ['serve'] } },
      },
    }),
  }),
  // A port of its own, so that it does not meet the hub of the person who runs this.
  env: () => ({ CLINE_HUB_PORT: '25464' }),
  end: [['hub', 'stop']],
  prepare: ({ origin }) => [
    ['auth', '-p', 'openai-compatible', '-k', 'stand-in', '-m', 'stand-in', '-b', `${origin}/v1`],
  ],
  start: (prompt) => [prompt],
  resume: (prompt) => [prompt],
  note: 'It resumes a session in a terminal only, so the second session is a new one. It waits three seconds for a hook of a plugin and then lets the edit go ahead.',
  edit: ({ path, before, after }) => [
    { tool: 'editor', args: { path, old_text: before, new_text: after } },
  ],
}
