import type { Random } from '../../../packages/baton/test/support/random.ts'
import { hashOf } from '../../../packages/waymark/test/replica/hostile-log.ts'
import { git } from '../../durability/acknowledgement.ts'
import { type Ground, LOG_REF } from './ground.ts'
import { type Attack, forgeAttacks } from './lines/attacks.ts'
import { forgeNotes, type HostileNote } from './note-grammar.ts'
import { deletionOf, type Entry, push, toSegmentFiles } from './push.ts'

export interface Size {
  readonly lines: number
  readonly notes: number
  /** With the first strike there are also lines of many megabytes. */
  readonly withGiants: boolean
}

/** What every clone has to report. */
export interface Reportable {
  /** Hashes of lines. */
  readonly lines: readonly string[]
  /** Commits of notes. */
  readonly notes: readonly string[]
}

/** Writes to the remote what its generators make of the honest knowledge there. */
export class Attacker {
  readonly #ground: Ground
  readonly #random: Random
  #lines = 0
  #notes = 0

  constructor(ground: Ground, random: Random) {
    this.#ground = ground
    this.#random = random
  }

  /** How many lines and notes so far. */
  get struck(): number {
    return this.#lines + this.#notes
  }

  strike({ lines, notes, ...size }: Size): Reportable {
    const { remote, targets } = this.#ground
    const [random, firstId] = [this.#random, 100_000 * (1 + this.#lines)]
    const withGiants = size.withGiants && this.#lines === 0
    const attacks = [...forgeAttacks(lines, { random, targets, firstId, withGiants })]
    const forged = withoutReplaced(forgeNotes(notes, { random, targets: this.#noteTargets() }))
    push(remote, [...this.#deletions(), ...toSegmentFiles(attacks, random)], forged)
    this.#lines += attacks.reduce((sum, attack) => sum + attack.lines.length, 0)
    this.#notes += forged.length
    return {
      lines: attacks.filter(isReportable).flatMap((attack) => attack.lines.map(hashOf)),
      notes: forged.filter(({ isRefused }) => isRefused).map(({ path }) => path),
    }
  }

  #noteTargets() {
    const { commits, records } = this.#ground
    return { annotated: commits.slice(0, 2), records, bare: commits.slice(2) }
  }

  /**
   * Takes away a segment, perhaps one that not all clones have read. Not one about entities whose operations are forged
   * elsewhere in the log: a clone that has never seen the true ones could not tell them apart.
   */
  #deletions(): readonly Entry[] {
    const { remote, targets } = this.#ground
    const names = git(remote, 'ls-tree', '--name-only', LOG_REF).trim().split('\n')
    const name = this.#random.pick(names)
    const text = git(remote, 'cat-file', 'blob', `${LOG_REF}:${name}`)
    return targets.kept.some(({ id }) => text.includes(id)) ? [] : [deletionOf(name)]
  }
}

function isReportable({ isRefused }: Attack): boolean {
  return isRefused === true
}

/** One note for each path. Those that have to be reported stay. */
function withoutReplaced(notes: Iterable<HostileNote>): readonly HostileNote[] {
  const byPath = new Map<string, HostileNote>()
  for (const note of notes) {
    if (byPath.get(note.path)?.isRefused !== true) byPath.set(note.path, note)
  }
  return [...byPath.values()]
}
