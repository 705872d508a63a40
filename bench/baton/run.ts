import { buildServers } from './build-servers.ts'
import type { BuiltServers } from './build-servers.ts'
import { FLOOR, isFloorOf, listContenders, toLabel } from './contenders.ts'
import type { Contender } from './contenders.ts'
import { measureGrowth, measureIdleSession } from './memory.ts'
import type { Options } from './options.ts'
import type { Results } from './results.ts'
import { ServerProcess } from './server-process.ts'
import { shuffled } from './statistics.ts'
import { visit } from './visit.ts'

type Phase = 'calls' | 'cold' | 'memory' | 'sessions'

/** Runs the selected measurements. A contender that fails is reported and skipped from then on. */
export async function run(options: Options): Promise<Results> {
  const { rounds, effort } = options
  const contenders = listContenders(options.builds.length)
  const built = await buildAll(contenders, options.builds)
  const folderOf = ({ build = 0, isBundled = false }: Contender): string =>
    built[build]?.[isBundled ? 'bundled' : 'asInstalled'] ?? ''
  const results: Results = {
    rounds,
    calls: new Map(),
    coldStarts: new Map(),
    growth: new Map(),
    sessionKb: new Map(),
    failures: [],
  }
  const failed = new Set<Contender>()

  async function each(
    phase: Phase,
    chosen: readonly Contender[],
    measure: (contender: Contender) => Promise<void>,
  ): Promise<void> {
    for (const contender of shuffled(chosen)) {
      if (failed.has(contender)) continue
      try {
        await measure(contender)
      } catch (error) {
        failed.add(contender)
        results.failures.push(`${phase} ${toLabel(contender)}: ${String(error)}`)
      }
    }
  }

  const called = select('calls', contenders, options.only)
  const started = select('cold', contenders, options.only)
  for (let round = 0; round < rounds; round++) {
    process.stderr.write(`round ${round + 1} of ${rounds}\n`)
    await each('calls', called, async (contender) => {
      const samples = await visit(contender, folderOf(contender), effort)
      listOf(results.calls, contender)[round] = samples
    })
    for (let again = 0; again < effort.coldStartsPerRound; again++) {
      await each('cold', started, async (contender) => {
        using server = await ServerProcess.start(contender, { folder: folderOf(contender) })
        const at = round * effort.coldStartsPerRound + again
        listOf(results.coldStarts, contender)[at] = await server.coldStarts()
      })
    }
  }
  process.stderr.write('memory\n')
  await each('memory', select('memory', contenders, options.only), async (contender) => {
    results.growth.set(contender, await measureGrowth(contender, folderOf(contender), effort))
  })
  await each('sessions', select('sessions', contenders, options.only), async (contender) => {
    results.sessionKb.set(
      contender,
      await measureIdleSession(contender, folderOf(contender), effort),
    )
  })
  return inOrder(results, contenders)
}

/** Restores the order of the contenders: they were measured in random order. */
function inOrder(results: Results, contenders: readonly Contender[]): Results {
  const sorted = <T>(values: Map<Contender, T>): Map<Contender, T> =>
    new Map([...values].toSorted(([a], [b]) => contenders.indexOf(a) - contenders.indexOf(b)))
  return {
    ...results,
    calls: sorted(results.calls),
    coldStarts: sorted(results.coldStarts),
    growth: sorted(results.growth),
    sessionKb: sorted(results.sessionKb),
  }
}

function buildAll(
  contenders: readonly Contender[],
  builds: readonly string[],
): Promise<readonly BuiltServers[]> {
  const entries = [...new Set(contenders.map(({ entry }) => entry)), 'memory-probe']
  return Promise.all(builds.map((folder, at) => buildServers(entries, folder, String(at))))
}

/** The contenders of a phase: the selected ones and their floors. */
function select(phase: Phase, contenders: readonly Contender[], only: RegExp): Contender[] {
  const able = contenders.filter((contender) => canTakePart(phase, contender))
  const chosen = able.filter((contender) => only.test(`${phase} ${toLabel(contender)}`))
  return able.filter(
    (contender) =>
      chosen.includes(contender) || chosen.some((other) => isFloorOf(other, contender)),
  )
}

function canTakePart(phase: Phase, { name, transport, wire, isOnlyStarted }: Contender): boolean {
  if (isOnlyStarted === true) return phase === 'cold'
  return phase !== 'sessions' || (transport === 'http' && wire === 'legacy' && name !== FLOOR)
}

function listOf<T>(lists: Map<Contender, T[]>, contender: Contender): T[] {
  const list = lists.get(contender) ?? []
  lists.set(contender, list)
  return list
}
