import { Session } from 'node:inspector/promises'

/** Microseconds in the code of one part, and in the statements that it runs. */
export interface Part {
  readonly part: string
  readonly script: number
  readonly sql: number
}

/** The first of these that matches the URL of a frame names its part. */
const PARTS: readonly (readonly [part: string, url: RegExp])[] = [
  ['validation, output check', /zod|core\/(schema|parse)/],
  ['secrets', /src\/secret\//],
  ['search', /src\/search\//],
  ['log of changes (CRDT)', /src\/sync\//],
  ['events', /src\/event\//],
  ['leases', /src\/task\/lease\//],
  ['tasks', /src\/task\//],
  ['entities, relations', /src\/(entity|relation|decision)\//],
  ['agents, messages', /src\/(agent|message)\//],
  ['brief', /src\/brief\//],
  ['answer (dialect, text)', /src\/(dialects|surfaces)\//],
  ['protocol (baton)', /packages\/baton\//],
  ['transaction', /src\/core\//],
]
const SQL = /packages\/sqlite\//
const OTHER = 'Node, garbage collection'

/** Samples the work and attributes each sample to the innermost part on its stack. */
export async function profileParts(work: () => Promise<void>): Promise<readonly Part[]> {
  const session = new Session()
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.setSamplingInterval', { interval: 100 })
  await session.post('Profiler.start')
  await work()
  const { profile } = await session.post('Profiler.stop')
  session.disconnect()

  const nodes = new Map(profile.nodes.map((node) => [node.id, node]))
  const parents = new Map(
    profile.nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id] as const)),
  )
  const found = new Map<string, { script: number; sql: number }>()
  const { samples = [], timeDeltas = [] } = profile
  for (const [at, sample] of samples.entries()) {
    if (nodes.get(sample)?.callFrame.functionName === '(idle)') continue
    const { part, isSql } = classify(sample, (id) => nodes.get(id)?.callFrame.url ?? '', parents)
    const sums = found.get(part) ?? { script: 0, sql: 0 }
    sums[isSql ? 'sql' : 'script'] += timeDeltas[at] ?? 0
    found.set(part, sums)
  }
  return [...found]
    .map(([part, sums]) => ({ part, ...sums }))
    .toSorted((a, b) => b.script + b.sql - a.script - a.sql)
}

function classify(
  leaf: number,
  urlOf: (id: number) => string,
  parents: ReadonlyMap<number, number>,
): { readonly part: string; readonly isSql: boolean } {
  let isSql = false
  for (let id: number | undefined = leaf; id !== undefined; id = parents.get(id)) {
    const url = urlOf(id)
    if (SQL.test(url)) isSql = true
    // Where transactions are run, the statements are those of the part that asked for them.
    const part =
      isSql && url.includes('core/sqlite') ? undefined : PARTS.find(([, of]) => of.test(url))
    if (part !== undefined) return { part: part[0], isSql }
  }
  return { part: isSql ? 'transaction' : OTHER, isSql }
}
