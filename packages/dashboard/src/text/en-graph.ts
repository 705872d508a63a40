import { count, formatNumber } from './plural.ts'

/** Words of the graph that only its own file needs. */
export const graphWords = {
  loose: 'Loose ends',
  cycles: 'Cycles',
  noCycles: 'Nothing blocks or contains itself.',
  cyclesCut: (shown: number, all: number) => `${formatNumber(shown)} of ${formatNumber(all)}`,
  orphans: 'Without any relation',
  noOrphans: 'Everything is linked to something.',
  pathTo: 'Path to number',
  noPath: (from: number, to: string) => `Nothing leads from #${from} to ${to} in eight steps.`,
  path: (length: number) => `The shortest path: ${count(length, 'step', 'steps')}`,
  copyDot: 'Copy as DOT',
}
