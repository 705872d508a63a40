import type { Key } from './key.ts'
import { toDegree } from './key.ts'
import type { Motif } from './melody.ts'
import { melodyOf, MIDDLE_C, TICKS_PER_BAR } from './piece.ts'
import type { Note, Piece } from './piece.ts'
import { STYLE_NAMES, STYLES } from './style.ts'
import type { StyleName } from './style.ts'

/** What can be learned from a piece in order to go on with it. */
export interface Material {
  readonly key: Key
  readonly tempo: number
  readonly style: StyleName
  readonly firstPitch: number
  readonly lastPitch: number
  /** Absent if the tune has no bar that could be taken up. */
  readonly motif: Motif | undefined
}

const SIXTEENTH = TICKS_PER_BAR / 16

/** Listens to a piece. */
export function toMaterial(piece: Piece): Material {
  const melody = melodyOf(piece)
  return {
    key: piece.key,
    tempo: piece.tempo,
    style: guessStyle(piece),
    firstPitch: melody.at(0)?.pitch ?? MIDDLE_C,
    lastPitch: melody.at(-1)?.pitch ?? MIDDLE_C,
    motif: findMotif(melody, piece.key),
  }
}

/** The style whose instruments are most like those of the piece. */
function guessStyle({ tracks }: Piece): StyleName {
  const heard = new Set(tracks.map(({ program }) => program))
  const score = (name: StyleName): number =>
    Object.values(STYLES[name].programs).filter((program) => heard.has(program)).length
  return STYLE_NAMES.reduce((best, name) => (score(name) > score(best) ? name : best), 'folk')
}

/** The tune's first bar, if it fits a grid of sixteenths. */
function findMotif(melody: readonly Note[], key: Key): Motif | undefined {
  const from = Math.floor((melody[0]?.start ?? 0) / TICKS_PER_BAR) * TICKS_PER_BAR
  const bar = melody.filter(({ start }) => start >= from && start < from + TICKS_PER_BAR)
  const steps = bar.map(({ start }) => Math.round((start - from) / SIXTEENTH))
  const isPlayable =
    bar.length > 0 && new Set(steps).size === steps.length && steps.every((s) => s < 16)
  if (!isPlayable) return undefined
  const [first = 0] = steps
  const lengths = steps.map((step, index) => (steps[index + 1] ?? 16) - step)
  const degrees = bar.map(({ pitch }) => toDegree(key, pitch))
  const leaps = degrees.map((degree, index) => degree - (degrees[index - 1] ?? degree))
  return { rhythm: first > 0 ? [-first, ...lengths] : lengths, leaps }
}
