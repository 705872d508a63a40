import { join } from 'node:path'
import type { LabHost } from '../host.ts'

export const CODEX: LabHost = {
  id: 'codex',
  title: 'Codex',
  packages: ['@openai/codex@0.166.0'],
  program: 'codex',
  install: { host: 'codex', scope: 'project' },
  files: ({ home, repository, origin }) => ({
    [join(home, '.codex', 'config.toml')]: [
      // A model that it knows, so that it offers the tools that it has for it.
      'model = "gpt-5.5"',
      'model_provider = "lab"',
      '',
      '[model_providers.lab]',
      'name = "Lab"',
      `base_url = "${origin}/v1"`,
      'wire_api = "responses"',
      'env_key = "LAB_KEY"',
      '',
      `[projects."${repository}"]`,
      'trust_level = "trusted"',
      '',
    ].join('\n'),
  }),
  env: () => ({ LAB_KEY: 'stand-in' }),
  start: (prompt) => ['exec', ...UNATTENDED, prompt],
  resume: (prompt) => ['exec', ...UNATTENDED, 'resume', '--last', prompt],
  edit: ({ relative, before, after }) => [
    {
      tool: 'apply_patch',
      args: {
        input: `*** Begin Patch\n*** Update File: ${relative}\n@@\n-${before}+${after}*** End Patch`,
      },
    },
  ],
  search: (tools) => ({
    tool: 'tool_search',
    args: { query: `waymark ${tools.join(' ')}`, limit: 20 },
  }),
}

/** Hooks run once a person has reviewed them, or with this option. */
const UNATTENDED = ['--sandbox', 'workspace-write', '--dangerously-bypass-hook-trust'] as const
