import { join } from 'node:path'
import type { LabHost, Place } from '../host.ts'

/** opencode, and Kilo, which is made from it. */
function opencodeLike(
  facts: Pick<LabHost, 'id' | 'title' | 'packages' | 'program' | 'install'> & {
    readonly settings: (home: string) => string
  },
): LabHost {
  const { settings, ...host } = facts
  return {
    ...host,
    files: ({ home, origin }: Place) => ({
      [settings(home)]: JSON.stringify({
        model: 'lab/stand-in',
        provider: {
          lab: {
            npm: '@ai-sdk/openai-compatible',
            name: 'Lab',
            options: { baseURL: `${origin}/v1`, apiKey: 'stand-in' },
            models: { 'stand-in': { name: 'Stand-in', tool_call: true } },
          },
        },
      }),
    }),
    env: () => ({}),
    start: (prompt) => ['run', '--auto', prompt],
    resume: (prompt) => ['run', '--auto', '--continue', prompt],
    edit: ({ path, before, after }) => [
      { tool: 'read', args: { filePath: path } },
      { tool: 'edit', args: { filePath: path, oldString: before, newString: after } },
    ],
  }
}

export const OPENCODE = opencodeLike({
  id: 'opencode',
  title: 'opencode',
  packages: ['opencode-ai@1.18.33'],
  program: 'opencode',
  install: { host: 'opencode', scope: 'project' },
  settings: (home) => join(home, '.config', 'opencode', 'opencode.json'),
})

export const KILO = opencodeLike({
  id: 'kilo',
  title: 'Kilo',
  // The newest whose packages for platforms are in the registry.
  packages: ['@kilocode/cli@7.7.7'],
  program: 'kilo',
  install: { host: 'kilo', scope: 'project' },
  settings: (home) => join(home, '.config', 'kilo', 'kilo.json'),
})
