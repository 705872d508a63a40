import type { Key } from './key.ts'

export const TICKS_PER_BEAT = 480
export const TICKS_PER_BAR = 4 * TICKS_PER_BEAT
/** The channel that General MIDI gives to percussion, counted from 0. */
export const DRUM_CHANNEL = 9

export const MIDDLE_C = 60

/** A note; times are in ticks. */
export interface Note {
  readonly start: number
  readonly length: number
  /** `MIDDLE_C` and above or below it, in semitones. */
  readonly pitch: number
  /** 1 to 127. */
  readonly velocity: number
}

/** What one instrument plays. */
export interface Track {
  readonly name: string
  readonly channel: number
  /** The General MIDI instrument, counted from 0; means nothing for drums. */
  readonly program: number
  /** Which of several sets of instruments the program is from, where there are several; the first if absent. */
  readonly bank?: number
  readonly notes: readonly Note[]
}

/** Music in four-four time at one tempo. */
export interface Piece {
  /** Beats per minute. */
  readonly tempo: number
  readonly key: Key
  readonly bars: number
  readonly tracks: readonly Track[]
}

/** Every note of a piece that has a pitch, in the order of their beginnings. */
export function pitchedNotes({ tracks }: Piece): readonly Note[] {
  return tracks
    .filter(({ channel }) => channel !== DRUM_CHANNEL)
    .flatMap(({ notes }) => notes)
    .toSorted((one, other) => one.start - other.start)
}

/** The part that carries the tune: the highest on average. */
export function melodyOf({ tracks }: Piece): readonly Note[] {
  const mean = ({ notes }: Track): number =>
    notes.reduce((sum, { pitch }) => sum + pitch, 0) / notes.length
  const pitched = tracks.filter(
    ({ channel, notes }) => channel !== DRUM_CHANNEL && notes.length > 0,
  )
  const [first, ...rest] = pitched
  if (first === undefined) return []
  return rest.reduce((best, track) => (mean(track) > mean(best) ? track : best), first).notes
}

/** How long a piece lasts, to the end of its last bar or of its last note, whichever is later. */
export function secondsOf({ tempo, bars, tracks }: Piece): number {
  const ends = tracks.flatMap(({ notes }) => notes.map(({ start, length }) => start + length))
  const ticks = ends.reduce((latest, end) => Math.max(latest, end), bars * TICKS_PER_BAR)
  return toSeconds(ticks, tempo)
}

/** The time of a tick. */
export function toSeconds(ticks: number, tempo: number): number {
  return (ticks / TICKS_PER_BEAT) * (60 / tempo)
}
