import { join } from 'node:path'
import type { LabHost } from '../host.ts'

export const GEMINI_CLI: LabHost = {
  id: 'gemini',
  title: 'Gemini CLI',
  packages: ['@google/gemini-cli@0.61.0'],
  program: 'gemini',
  install: { host: 'gemini', scope: 'project' },
  files: ({ home, repository }) => ({
    [join(home, '.gemini', 'settings.json')]: JSON.stringify({
      security: { auth: { selectedType: 'gemini-api-key' }, folderTrust: { enabled: true } },
      privacy: { usageStatisticsEnabled: false },
    }),
    [join(home, '.gemini', 'trustedFolders.json')]: JSON.stringify({
      [repository]: 'TRUST_FOLDER',
    }),
  }),
  env: ({ origin }) => ({ GEMINI_API_KEY: 'stand-in', GOOGLE_GEMINI_BASE_URL: origin }),
  start: (prompt) => [...UNATTENDED, '-p', prompt],
  resume: (prompt) => [...UNATTENDED, '--resume', 'latest', '-p', prompt],
  edit: ({ path, before, after }) => [
    {
      tool: 'replace',
      args: {
        file_path: path,
        old_string: before,
        new_string: after,
        instruction: 'Count up.',
      },
    },
  ],
}

const UNATTENDED = ['--yolo', '--model', 'gemini-2.5-pro'] as const
