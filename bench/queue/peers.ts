import { join } from 'node:path'
import {
  installPeers,
  startBacklog,
  startMemory,
  startWaymark,
  type Contender,
} from './contenders.ts'
import { ms, quantile, sum, timed } from '../statistics.ts'
import { inTurn } from '../turns.ts'

const CALLS = Number(process.env['WAYMARK_CALLS'] ?? 1_000)
const PER_ROUND = 25
/** Tasks that a large project has already. */
const STORED = Number(process.env['WAYMARK_STORED'] ?? 10_000)

/** What must be known before the figures are compared; it is printed above them. */
const UNLIKE = `  not the same promise: when waymark answers, the change is flushed to the disk and a claim excludes others; the
  other two write files that they do not flush, have no claims, and are measured by the calls that come nearest`

/** A thousand tasks made, then claimed and completed, one call after the other through each program's own MCP server. */
export async function measurePeers(folder: string): Promise<void> {
  const peers = installPeers(join(folder, 'peers'))
  const contenders = [
    await startWaymark(join(folder, 'waymark')),
    await startMemory(peers, join(folder, 'memory')),
    await startBacklog(peers, join(folder, 'backlog')),
  ]
  console.log(`\n${CALLS} calls one after the other over MCP, in turns of ${PER_ROUND}`)
  console.log(UNLIKE)
  await compare('create', contenders, (each, at) => each.create(at))
  await compare('claim + complete', contenders, (each, at) => each.claimAndComplete(at))
  for (const contender of contenders) await contender.close()
  await measureLarge(folder, peers)
}

/** The same where many tasks are stored. Backlog.md has a file for each, and would take hours to make them. */
async function measureLarge(folder: string, peers: string): Promise<void> {
  const contenders = [
    await startWaymark(join(folder, 'large-waymark')),
    await startMemory(peers, join(folder, 'large-memory')),
  ]
  for (const contender of contenders) await contender.fill(STORED)
  console.log(`\nthe same calls with ${STORED} tasks stored before`)
  await compare('create', contenders, (each, at) => each.create(STORED + at))
  await compare('claim + complete', contenders, (each, at) => each.claimAndComplete(at))
  for (const contender of contenders) await contender.close()
}

async function compare(
  title: string,
  contenders: readonly Contender[],
  call: (contender: Contender, at: number) => Promise<unknown>,
): Promise<void> {
  const samples = contenders.map((): number[] => [])
  const used = contenders.map((each) => -each.cpu())
  for (let start = 0; start < CALLS; start += PER_ROUND) {
    for (const [index, contender] of inTurn([...contenders.entries()], start / PER_ROUND)) {
      for (let at = start; at < Math.min(CALLS, start + PER_ROUND); at += 1) {
        samples[index]?.push(await timed(() => call(contender, at)))
      }
    }
  }
  for (const [index, each] of contenders.entries()) used[index] = (used[index] ?? 0) + each.cpu()
  const [own = []] = samples
  const [ownCpu = 0] = used
  console.log(`  ${title}`)
  for (const [index, { name }] of contenders.entries()) {
    const each = samples[index] ?? []
    const tenth = Math.ceil(each.length / 10)
    const growth = quantile(each.slice(-tenth), 0.5) / quantile(each.slice(0, tenth), 0.5)
    console.log(
      `    ${name.padEnd(40)} p50 ${ms(quantile(each, 0.5))} p95 ${ms(quantile(each, 0.95))}` +
        `  all ×${(sum(each) / sum(own)).toFixed(2)}  CPU ×${((used[index] ?? 0) / ownCpu).toFixed(2)}` +
        `  last tenth ×${growth.toFixed(2)} of the first`,
    )
  }
}
