import { cutAt, playBass, playChord, playDrums, startOf } from './accompany.ts'
import type { Bar } from './accompany.ts'
import type { Key } from './key.ts'
import { toDegree } from './key.ts'
import { createMelody, inventMotif } from './melody.ts'
import type { Motif } from './melody.ts'
import { DRUM_CHANNEL } from './piece.ts'
import type { Note, Piece, Track } from './piece.ts'
import { createRandom } from './random.ts'
import type { Sampling } from './random.ts'
import { STYLES } from './style.ts'
import type { Style, StyleName } from './style.ts'

/** Everything that decides how a piece turns out; the same plan always gives the same piece. */
export interface Plan {
  readonly seed: string
  readonly style: StyleName
  readonly key: Key
  readonly tempo: number
  readonly bars: number
  readonly sampling: Sampling
  /** Which parts are written. */
  readonly parts: 'all' | 'tune and chords' | 'tune'
  /** No more notes than this; the piece ends with the bar that would exceed it. */
  readonly maxNotes: number
  /** A motif to build on instead of a new one. */
  readonly motif?: Motif
  /** The pitch that the tune starts from. */
  readonly fromPitch?: number
  /** The pitch and key that the piece is on its way to. */
  readonly to?: { readonly pitch: number; readonly key: Key }
  /** The end leads back to the beginning. */
  readonly isLoop?: boolean
}

const MIDDLE_OF_THE_TUNE = 7
const TONIC = 0
const DOMINANT = 4

/** Composes a piece; yields after each bar, so that the caller can yield to the event loop. */
export function* compose(plan: Plan): Generator<number, Piece> {
  const style: Style = STYLES[plan.style]
  const random = createRandom(plan.seed)
  const progression = random.pick(style.progressions)
  const motif = plan.motif ?? inventMotif(random, random.pick(style.rhythms))
  const first =
    plan.fromPitch === undefined ? MIDDLE_OF_THE_TUNE : toDegree(plan.key, plan.fromPitch)
  const melody = createMelody(random, plan.sampling, first)
  const parts = {
    melody: [] as Note[],
    chords: [] as Note[],
    bass: [] as Note[],
    drums: [] as Note[],
  }

  let bars = 0
  for (; bars < plan.bars; bars += 1) {
    const bar = toBar(plan, progression, bars)
    const next = toBar(plan, progression, bars + 1)
    const isMotif = bars % 2 === 0
    const written = {
      melody: melody.writeBar(bar, {
        rhythm: isMotif ? motif.rhythm : random.pick(style.rhythms),
        motif: isMotif ? motif : undefined,
        centre: toCentre(plan, first, bars),
        style,
      }),
      chords: plan.parts === 'tune' ? [] : playChord(style, bar),
      bass: plan.parts === 'all' ? playBass(style, bar, next.root) : [],
      drums: plan.parts === 'all' ? playDrums(style, bar.start) : [],
    }
    if (bars > 0 && count(parts) + count(written) > plan.maxNotes) break
    for (const part of PARTS) parts[part].push(...written[part])
    yield bars + 1
  }
  return { tempo: plan.tempo, key: plan.key, bars, tracks: toTracks(parts, style, startOf(bars)) }
}

const PARTS = ['melody', 'chords', 'bass', 'drums'] as const
type Parts = Readonly<Record<(typeof PARTS)[number], Note[]>>

function toBar(plan: Plan, progression: readonly number[], index: number): Bar {
  const isLast = index === plan.bars - 1
  const isArriving = plan.to !== undefined && index >= plan.bars / 2
  const root = progression[index % progression.length] ?? TONIC
  return {
    start: startOf(index),
    key: isArriving ? (plan.to?.key ?? plan.key) : plan.key,
    root: isLast ? (plan.isLoop === true || plan.to !== undefined ? DOMINANT : TONIC) : root,
  }
}

/** A tune is drawn to the middle of its range, or gradually to where it has to arrive. */
function toCentre({ to, bars, isLoop }: Plan, first: number, index: number): number {
  if (to !== undefined) {
    const share = (index + 1) / bars
    return first + (toDegree(to.key, to.pitch) - first) * share
  }
  return isLoop === true && index === bars - 1 ? first : MIDDLE_OF_THE_TUNE
}

function toTracks(parts: Parts, style: Style, end: number): Track[] {
  const { melody, chords, bass } = style.programs
  const tracks: Track[] = [
    { name: 'Melody', channel: 0, program: melody, notes: cutAt(end, parts.melody) },
    { name: 'Chords', channel: 1, program: chords, notes: cutAt(end, parts.chords) },
    { name: 'Bass', channel: 2, program: bass, notes: cutAt(end, parts.bass) },
    { name: 'Drums', channel: DRUM_CHANNEL, program: 0, notes: cutAt(end, parts.drums) },
  ]
  return tracks.filter(({ notes }) => notes.length > 0)
}

function count(parts: Parts): number {
  return PARTS.reduce((sum, part) => sum + parts[part].length, 0)
}
