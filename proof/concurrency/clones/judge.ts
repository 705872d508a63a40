import type { CloneReport } from './record.ts'

export interface Judgement {
  readonly granted: number
  readonly provisional: number
  readonly completions: number
  readonly doubleGrants: number
  readonly staleCompletions: number
  readonly fencesReused: number
  readonly example: string | undefined
}

interface Holding {
  readonly report: CloneReport
  /** By a right clock: when the agent was told, and until when it relies on the lease. */
  readonly from: number
  until: number
}

/** Looks at what agents were told, with nothing but the true times at which they were. */
export function judge(reports: readonly CloneReport[]): Judgement {
  const tasks = [...new Set(reports.map(({ task }) => task))]
  const judged = tasks.map((id) => judgeTask(reports.filter(({ task }) => task === id)))
  const sum = (count: (one: (typeof judged)[number]) => number): number =>
    judged.reduce((total, one) => total + count(one), 0)
  const granted = reports.filter(isGrant)
  return {
    granted: judged.reduce((total, { holdings }) => total + holdings, 0),
    provisional: granted.filter(({ provisional }) => provisional).length,
    completions: reports.filter(({ kind }) => kind === 'completed').length,
    doubleGrants: sum(({ doubles }) => doubles.length),
    staleCompletions: sum(({ stale }) => stale.length),
    fencesReused: sum(({ reused }) => reused),
    example: judged.flatMap(({ doubles, stale }) => [...doubles, ...stale])[0],
  }
}

function judgeTask(reports: readonly CloneReport[]) {
  const holdings = toHoldings(reports)
  const doubles: string[] = []
  for (const later of holdings) {
    const earlier = holdings.find(
      (one) => one !== later && one.from < later.from && later.from < one.until,
    )
    if (earlier !== undefined) {
      doubles.push(`${show(later)} although ${show(earlier)} relies on it until ${earlier.until}`)
    }
  }
  const completed = reports.filter(({ kind, provisional }) => kind === 'completed' && !provisional)
  const stale = completed.flatMap((completion) => {
    const newer = holdings.find(
      ({ report, from }) => report.fence > completion.fence && from < completion.at,
    )
    return newer === undefined
      ? []
      : [`${show({ report: completion })} completed, after ${show(newer)}`]
  })
  const fences = holdings.map(({ report }) => report.fence)
  return { holdings: holdings.length, doubles, stale, reused: fences.length - new Set(fences).size }
}

/** One for each grant, as long as its renewals and the agent's own decision to end it make it. */
function toHoldings(reports: readonly CloneReport[]): Holding[] {
  const holdings = new Map<string, Holding>()
  for (const report of reports) {
    const key = `${report.clone} ${report.agent} ${report.fence} ${report.at}`
    // Told after its end, which the answer says: nothing to rely on.
    const isOver = (report.until ?? report.at) <= report.at
    if (isGrant(report) && !report.provisional && !isOver) {
      const known = holdings.get(key)
      if (known !== undefined) known.until = report.until ?? known.until
      else holdings.set(key, { report, from: report.at, until: report.until ?? report.at })
    }
  }
  for (const { kind, clone, agent, fence, at } of reports) {
    if (kind !== 'ending') continue
    for (const holding of holdings.values()) {
      const { report } = holding
      const isSame = report.clone === clone && report.agent === agent && report.fence === fence
      if (isSame) holding.until = Math.min(holding.until, at)
    }
  }
  return [...holdings.values()].toSorted((a, b) => a.from - b.from)
}

function isGrant({ kind }: CloneReport): boolean {
  return kind === 'granted'
}

function show({ report }: Pick<Holding, 'report'>): string {
  const { clone, agent, task, fence, at } = report
  return `${agent} in ${clone} got ${task} with fence ${fence} at ${at}`
}
