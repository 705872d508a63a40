import type { Random } from '../../../../packages/baton/test/support/random.ts'
import { forgedId } from '../../../../packages/waymark/test/replica/hostile-log.ts'
import { AIMED } from './aimed.ts'
import { DAMAGED } from './damaged.ts'
import type { Forge, Targets } from './forge.ts'
import { GIANT, REFUSED } from './refused.ts'
import { LARGE, OTHERS } from './taken.ts'

/** Lines to be pushed. */
export interface Attack {
  readonly name: string
  readonly lines: readonly string[]
  /** Each line is whole and breaks a limit, so that it has to be reported by its hash. */
  readonly isRefused?: boolean
}

const GROUPS = [REFUSED, GIANT, LARGE, OTHERS, AIMED, DAMAGED]

/** How often mutations of honest lines are made beside the rest. */
const MUTATIONS = ['mutated', 'mutated_edit', 'mutated_operations']

interface ForgeOptions {
  readonly random: Random
  readonly targets: Targets
  readonly firstId: number
  /** Also those of many megabytes, each once. */
  readonly withGiants: boolean
}

/** At least so many lines, each production in turn and mutations of honest lines between them. */
export function* forgeAttacks(count: number, options: ForgeOptions): Generator<Attack> {
  let id = options.firstId
  const forge: Forge = { ...options, newId: () => forgedId((id += 1)) }
  const all = GROUPS.flatMap((group) => Object.entries(group))
  const giants = new Set([GIANT, LARGE].flatMap((group) => Object.keys(group)))
  for (let made = 0, turn = 0; made < count; turn += 1) {
    const [name = '', produce] = all[turn % all.length] ?? []
    if (giants.has(name) && (turn >= all.length || !options.withGiants)) continue
    const attack = {
      name,
      lines: produce?.(forge) ?? [],
      isRefused: name in REFUSED || name in GIANT,
    }
    made += attack.lines.length
    yield attack
    if (turn < all.length) continue
    const mutation = forge.random.pick(MUTATIONS)
    const mutated = { name: mutation, lines: OTHERS[mutation]?.(forge) ?? [] }
    made += mutated.lines.length
    yield mutated
  }
}
