/** How an instrument sounds: its overtones and how its notes come and go, in seconds. */
export interface Instrument {
  /** Strength of the fundamental and of each overtone. */
  readonly partials: readonly number[]
  readonly attack: number
  /** How fast the sound falls from its peak; a plucked string falls to nothing. */
  readonly decay: number
  /** Share of the peak that is held. */
  readonly sustain: number
  readonly release: number
}

const saw = (count: number): number[] =>
  Array.from({ length: count }, (_, index) => 1 / (index + 1))
const odd = (count: number): number[] =>
  Array.from({ length: count }, (_, index) => (index % 2 === 0 ? 1 / (index + 1) : 0))

const PLUCKED = {
  partials: [1, 0.6, 0.35, 0.2, 0.12, 0.08],
  attack: 0.003,
  decay: 0.5,
  sustain: 0,
  release: 0.15,
}
const BASS = {
  partials: [1, 0.5, 0.15, 0.05],
  attack: 0.005,
  decay: 0.9,
  sustain: 0.3,
  release: 0.08,
}
const BOWED = { partials: saw(8), attack: 0.12, decay: 1, sustain: 0.85, release: 0.3 }
const BLOWN = { partials: odd(7), attack: 0.04, decay: 1, sustain: 0.8, release: 0.12 }

/** One for each eight programs of General MIDI. */
const FAMILIES: readonly Instrument[] = [
  {
    partials: [1, 0.5, 0.25, 0.12, 0.08, 0.04],
    attack: 0.004,
    decay: 1.2,
    sustain: 0.05,
    release: 0.25,
  },
  { partials: [1, 0, 0, 0.35, 0, 0, 0, 0.12], attack: 0.002, decay: 0.6, sustain: 0, release: 0.3 },
  { partials: [1, 0.8, 0.6, 0.3], attack: 0.02, decay: 1, sustain: 0.9, release: 0.08 },
  PLUCKED,
  BASS,
  BOWED,
  BOWED,
  { partials: saw(10), attack: 0.05, decay: 0.6, sustain: 0.7, release: 0.15 },
  BLOWN,
  { partials: [1, 0.25, 0.06], attack: 0.05, decay: 1, sustain: 0.85, release: 0.12 },
  { partials: saw(16), attack: 0.008, decay: 0.4, sustain: 0.6, release: 0.12 },
  { partials: saw(6), attack: 0.4, decay: 2, sustain: 0.8, release: 0.9 },
  { partials: [1, 0.4, 0.3, 0.3], attack: 0.2, decay: 1.5, sustain: 0.5, release: 0.8 },
  PLUCKED,
  { partials: [1, 0, 0.3, 0, 0.2], attack: 0.002, decay: 0.25, sustain: 0, release: 0.1 },
  { partials: saw(12), attack: 0.1, decay: 0.8, sustain: 0.3, release: 0.4 },
]

/** The instrument that plays a General MIDI program. */
export function toInstrument(program: number): Instrument {
  return FAMILIES[program >> 3] ?? BOWED
}
