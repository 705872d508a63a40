/** What each of these took in each round, in the same order for all of them. */
export type Samples<Sample> = ReadonlyMap<string, readonly Sample[]>

/**
 * Measures one after the other in each round, so that a busy machine hits all of them alike. Each round begins with
 * another, so that none always pays for what the one before it left behind. The first round of all warms up and does not count.
 */
export async function takeTurns<Sample>(
  rounds: number,
  contenders: Readonly<Record<string, () => Promise<Sample>>>,
): Promise<Samples<Sample>> {
  const all = Object.entries(contenders).map(([name, measure]) => ({
    name,
    measure,
    samples: [] as Sample[],
  }))
  for (let round = -1; round < rounds; round += 1) {
    for (const { measure, samples } of inTurn(all, Math.max(round, 0))) {
      const sample = await measure()
      if (round >= 0) samples.push(sample)
    }
  }
  return new Map(all.map(({ name, samples }) => [name, samples]))
}

/** The same contenders, beginning with another in each round. */
export function inTurn<Contender>(all: readonly Contender[], round: number): readonly Contender[] {
  const first = round % all.length
  return [...all.slice(first), ...all.slice(0, first)]
}
