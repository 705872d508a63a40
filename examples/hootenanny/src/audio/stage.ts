import type { Track } from '../music/piece.ts'

/** Where sound is added up, sample by sample. */
export interface Stage {
  readonly left: Float32Array
  readonly right: Float32Array
  /** Samples per second. */
  readonly sampleRate: number
}

/** How loud a sound is on both sides. */
export interface Gains {
  readonly left: number
  readonly right: number
}

/** A note on a stage; times are in samples. */
export interface Cue {
  readonly start: number
  readonly length: number
  readonly pitch: number
  readonly velocity: number
}

/** Plays a note part by part, and says how much there was to do for each, so that others get their turn. */
export type Player = (stage: Stage, cue: Cue) => Iterable<number>

/** Finds a player for a track, of which the piece has some before it. */
export type Orchestra = (track: Track, index: number) => Player
