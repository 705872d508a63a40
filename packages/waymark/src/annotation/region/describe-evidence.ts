import type { Verdict } from '../freshness.ts'

const SHORT = 12

/** `renamed by 0123456789ab, 9 of 12 lines left`; undefined if the code is unchanged, or nothing is known. */
export function describeEvidence({ state, changed, evidence }: Verdict): string | undefined {
  if (evidence === undefined) return undefined
  const { kept, of, blamed, by, isPart } = evidence
  const moved = changed.includes('file') ? 'moved' : 'renamed'
  const how = state === 'orphaned' ? 'deleted' : isPart ? 'split off' : moved
  const lines =
    kept !== undefined && of !== undefined
      ? `${kept} of ${of} lines left`
      : blamed === undefined
        ? undefined
        : `${blamed} lines of that commit left`
  const parts = [by === undefined ? undefined : `${how} by ${by.slice(0, SHORT)}`, lines]
  const told = parts.filter((part) => part !== undefined).join(', ')
  return told === '' ? undefined : told
}
