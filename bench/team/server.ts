import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { createServerFolder, startPostgres } from '../../scripts/postgres/server.ts'

export interface MeasuredServer extends AsyncDisposable {
  readonly url: string
  /** Milliseconds of CPU of all its processes. */
  cpu(): number
}

const MS_PER_TICK = 10

/** A server that flushes each commit. Its files are in memory where the system has such a place. */
export async function startMeasured(): Promise<MeasuredServer> {
  const folder = createServerFolder()
  const server = await startPostgres({ folder, isDurable: true })
  const master = String(server.process.pid)
  return {
    url: server.url,
    cpu: () => cpuOf(master) * MS_PER_TICK,
    [Symbol.asyncDispose]: async () => {
      await server.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Ticks of a process and its children, those that have ended too; NaN where there is no /proc. */
function cpuOf(master: string): number {
  const own = readStat(master)
  if (own === undefined) return Number.NaN
  const children = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(readStat)
    .filter((stat) => stat?.parent === master)
  return own.ticks + own.endedTicks + children.reduce((sum, stat) => sum + (stat?.ticks ?? 0), 0)
}

function readStat(pid: string) {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = text.slice(text.lastIndexOf(') ') + 2).split(' ')
    const ticks = (from: number): number => Number(fields[from]) + Number(fields[from + 1])
    return { parent: fields[1], ticks: ticks(11), endedTicks: ticks(13) }
  } catch {
    return undefined
  }
}
