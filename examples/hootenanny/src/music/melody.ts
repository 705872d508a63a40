import type { Bar } from './accompany.ts'
import { toTick } from './accompany.ts'
import { toPitch } from './key.ts'
import { sample } from './random.ts'
import type { Choice, Random, Sampling } from './random.ts'
import type { Note } from './piece.ts'
import type { Style } from './style.ts'

/** How far a tune leaps, in steps of the scale, and how likely each leap is. */
const LEAPS = [0, 1, 2, 3, 4, 5, 7] as const
const LEAP_WEIGHTS = { 0: 2, 1: 8, 2: 5, 3: 2, 4: 2, 5: 1, 7: 0.5 } as const
const CHORD_TONE_BONUS = 5
const MOTIF_BONUS = 12

/** A short idea that a tune comes back to: a bar's rhythm, and the way from note to note. */
export interface Motif {
  /** In sixteenths; negative ones are rests. */
  readonly rhythm: readonly number[]
  /** Steps of the scale, the first from the root of the bar's chord. */
  readonly leaps: readonly number[]
}

/** A melody that is written bar by bar and remembers where it is. */
export interface Melody {
  /** Writes the next bar; without a motif it goes where chance leads it. */
  writeBar(bar: Bar, options: BarOptions): Note[]
}

/** What one bar of a melody has to respect. */
interface BarOptions {
  readonly rhythm: readonly number[]
  readonly motif?: Motif | undefined
  /** The degree that the tune is drawn to. */
  readonly centre: number
  readonly style: Style
}

/** Starts a melody at a degree of the scale. */
export function createMelody(random: Random, sampling: Sampling, firstDegree: number): Melody {
  let degree = firstDegree

  function writeBar(bar: Bar, { rhythm, motif, centre, style }: BarOptions): Note[] {
    const notes: Note[] = []
    let step = 0
    let count = 0
    for (const length of rhythm) {
      if (length > 0) {
        const wanted = motif?.leaps[count]
        const from = count === 0 && wanted !== undefined ? nearest(bar.root, degree) : degree
        degree = sample(
          random,
          weigh(from, { bar, centre, wanted, isStrong: step % 8 === 0 }),
          sampling,
        )
        notes.push({
          start: bar.start + toTick(style, step),
          // Up to where the next one begins, which may swing.
          length: toTick(style, step + length) - toTick(style, step),
          pitch: toPitch(bar.key, degree),
          velocity: (step % 8 === 0 ? 96 : 82) + Math.floor(random.next() * 8),
        })
        count += 1
      }
      step += Math.abs(length)
    }
    return notes
  }

  return { writeBar }
}

/** Makes up a motif. */
export function inventMotif(random: Random, rhythm: readonly number[]): Motif {
  const leaps = rhythm.map((_, index) =>
    index === 0 ? random.pick([0, 2, 4]) : random.pick([-2, -1, -1, 1, 1, 2]),
  )
  return { rhythm, leaps }
}

interface Surroundings {
  readonly bar: Bar
  readonly centre: number
  readonly wanted: number | undefined
  readonly isStrong: boolean
}

function weigh(
  from: number,
  { bar, centre, wanted, isStrong }: Surroundings,
): [Choice<number>, ...Choice<number>[]] {
  const choices = LEAPS.flatMap((size) =>
    (size === 0 ? [0] : [size, -size]).map((leap): Choice<number> => {
      const value = from + leap
      const isChordTone = [0, 2, 4].includes((((value - bar.root) % 7) + 7) % 7)
      const pull = 1 / (1 + (Math.abs(value - centre) / 3) ** 2)
      const fitsChord = isStrong && isChordTone ? CHORD_TONE_BONUS : 1
      const fitsMotif = leap === wanted ? MOTIF_BONUS : 1
      return { value, weight: LEAP_WEIGHTS[size] * pull * fitsChord * fitsMotif }
    }),
  )
  return choices as [Choice<number>, ...Choice<number>[]]
}

/** The degree with this name in the octave that is nearest to where the tune is. */
function nearest(root: number, degree: number): number {
  return root + 7 * Math.round((degree - root) / 7)
}
