import { wideAwake } from './client/load.ts'
import type { LoadOptions, LoadResult } from './client/load.ts'
import type { Contender } from './contenders.ts'
import type { Effort } from './options.ts'
import { ServerProcess } from './server-process.ts'
import { verifyAnswers } from './verification.ts'
import { toBigCall, toEchoCall } from './wire.ts'

/** One way of calling: which tool, and how many calls at a time. */
export interface Cell {
  readonly title: string
  readonly tool: 'echo' | 'big'
  readonly inFlight: number
  calls(effort: Effort): number
}

export const CELLS: readonly Cell[] = [
  { title: 'echo × 1', tool: 'echo', inFlight: 1, calls: ({ echoes }) => echoes },
  { title: 'echo × 32', tool: 'echo', inFlight: 32, calls: ({ echoesAtOnce }) => echoesAtOnce },
  { title: '10 KB × 1', tool: 'big', inFlight: 1, calls: ({ bigs }) => bigs },
  { title: '10 KB × 32', tool: 'big', inFlight: 32, calls: ({ bigsAtOnce }) => bigsAtOnce },
]

/** What one contender did in one cell of one round. */
export interface Sample {
  readonly callsPerSecond: number
  readonly cpuPerCall: number
  readonly p50: number
  readonly p99: number
}

/** Starts a contender, checks its answers, warms it up and measures every cell; in the order of the cells. */
export async function visit(
  contender: Contender,
  folder: string,
  effort: Effort,
): Promise<readonly Sample[]> {
  using server = await ServerProcess.start(contender, { folder })
  const { client } = server
  const { wire } = contender
  const lengths = await verifyAnswers(client, wire)
  const run = (
    tool: Cell['tool'],
    amount: Pick<LoadOptions, 'calls' | 'inFlight' | 'maxMs'>,
  ): Promise<LoadResult> =>
    wideAwake(
      client.load({
        ...amount,
        request: tool === 'echo' ? toEchoCall(wire) : toBigCall(wire),
        answerLength: lengths[tool],
      }),
    )

  const { warmUpMs, cellMs } = effort
  await run('echo', { calls: effort.warmUpEchoes, inFlight: 32, maxMs: warmUpMs })
  await run('big', { calls: effort.warmUpBigs, inFlight: 32, maxMs: warmUpMs })
  const samples: Sample[] = []
  for (const cell of CELLS) {
    const cpuBefore = await server.cpu()
    const { inFlight } = cell
    const result = await run(cell.tool, { calls: cell.calls(effort), inFlight, maxMs: cellMs })
    samples.push(toSample(result, (await server.cpu()) - cpuBefore))
  }
  return samples
}

function toSample({ calls, elapsedMs, latencies }: LoadResult, cpu: number): Sample {
  return {
    callsPerSecond: (calls * 1000) / elapsedMs,
    cpuPerCall: cpu / calls,
    p50: latencies[Math.floor(calls * 0.5)] ?? Number.NaN,
    p99: latencies[Math.floor(calls * 0.99)] ?? Number.NaN,
  }
}
