import type { LabHost } from '../host.ts'

export const COPILOT: LabHost = {
  id: 'copilot',
  title: 'Copilot CLI',
  packages: ['@github/copilot@1.0.102'],
  program: 'copilot',
  install: { host: 'copilot', scope: 'project' },
  env: ({ origin }) => ({
    COPILOT_OFFLINE: 'true',
    COPILOT_PROVIDER_BASE_URL: `${origin}/v1`,
    COPILOT_PROVIDER_API_KEY: 'stand-in',
    COPILOT_MODEL: 'gpt-4.1',
    // Exactly this also trusts the folder.
    COPILOT_ALLOW_ALL: 'true',
  }),
  start: (prompt) => ['-p', prompt],
  resume: (prompt) => ['--continue', '-p', prompt],
  edit: ({ path, before, after }) => [
    { tool: 'edit', args: { path, old_str: before, new_str: after } },
  ],
}
