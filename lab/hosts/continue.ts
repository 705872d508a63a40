import { join } from 'node:path'
import type { LabHost, Place } from '../host.ts'

export const CONTINUE: LabHost = {
  id: 'continue',
  title: 'Continue',
  packages: ['@continuedev/cli@1.5.47'],
  program: 'cn',
  install: { host: 'continue', scope: 'global' },
  files: (place) => ({ [settingsIn(place)]: settings(place) }),
  byHand: (place) => ({ [settingsIn(place)]: settings(place) + SERVER }),
  env: () => ({ CONTINUE_TELEMETRY_ENABLED: '0' }),
  note: 'This version has the code of hooks but runs none, so no program can stop an edit; the brief tells what is reserved.',
  start: (prompt) => ['--auto', '-p', prompt],
  resume: (prompt) => ['--auto', '--resume', '-p', prompt],
  edit: ({ path, before, after }) => [
    { tool: 'Read', args: { filepath: path } },
    {
      tool: 'MultiEdit',
      args: { file_path: path, edits: [{ old_string: before, new_string: after }] },
    },
  ],
}

function settingsIn({ home }: Place): string {
  return join(home, '.continue', 'config.yaml')
}

function settings({ origin }: Place): string {
  return `name: Lab
version: 1.0.0
schema: v1
models:
  - name: Stand-in
    provider: openai
    model: gpt-4o
    apiKey: stand-in
    apiBase: ${origin}/v1
    roles: [chat]
    capabilities: [tool_use]
`
}

const SERVER = `mcpServers:
  - name: waymark
    command: waymark
    args: [serve]
`
