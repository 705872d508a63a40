import { count, formatNumber } from '../plural.ts'

/** Words of health and jobs. */
export const healthWords = {
  store: 'Store',
  relations: 'relations',
  events: 'events',
  index: 'Search index',
  current: 'up to date',
  stale: 'being brought up to date',
  words: 'words',
  vectors: 'vectors',
  sync: 'Sync',
  unsent: (n: number) => `${formatNumber(n)} not sent`,
  sent: 'all sent',
  refused: 'The remote refused:',
  annotations: 'Reasons for code',
  coverage: (n: number) => `${n} % of the latest commits`,
  hooks: 'Git hooks',
  running: 'Running…',
  ok: 'ok',
  findings: (n: number) => count(n, 'finding', 'findings'),
  size: (megabytes: string) => `${megabytes} MB on this disk`,
  free: (megabytes: string) => `${megabytes} MB free`,
  leases: 'Leases of seven days',
  noLeases: 'No lease has ended.',
  lost: (lost: number, all: number) => `${formatNumber(lost)} lost of ${formatNumber(all)}`,
  jobs: 'Checks and repairs',
  jobsHint: 'one at a time, in the background',
  cancel: 'Cancel',
  kinds: {
    doctor: {
      name: 'This machine',
      run: 'Run doctor',
      about: 'Node, SQLite, Git, the files of the project, hooks and settings.',
    },
    check: {
      name: 'Store',
      run: 'Check',
      about: 'Whether documents, log, indexes and relations fit together.',
    },
    repair: {
      name: 'Repair',
      run: 'Repair',
      about: 'The same check, and what can be rebuilt is rebuilt.',
    },
    verify: {
      name: 'Reasons for code',
      run: 'Verify',
      about: 'Whether the code still is what its reasons speak of.',
    },
    sync: { name: 'Sync', run: 'Sync now', about: 'Exchange knowledge with the Git remote.' },
    index: {
      name: 'Search index',
      run: 'Rebuild',
      about: 'Make the index anew from what is stored.',
    },
  },
} as const
