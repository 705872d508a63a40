/** How a style of music sounds: plain data that the composer follows. */
export interface Style {
  readonly tempo: number
  readonly mode: 'major' | 'minor'
  /** Chords of four bars, as scale degrees from 0. */
  readonly progressions: readonly [readonly number[], ...(readonly number[])[]]
  /** Note lengths that fill a bar, in sixteenths; negative ones are rests. */
  readonly rhythms: readonly [readonly number[], ...(readonly number[])[]]
  /** Thirds that are stacked on a chord's root. */
  readonly chordSize: 3 | 4
  readonly accompaniment: 'pad' | 'stabs' | 'strum' | 'broken'
  readonly bass: 'held' | 'walking' | 'offbeat' | 'alternating'
  /** General MIDI programs, from 0. */
  readonly programs: { readonly melody: number; readonly chords: number; readonly bass: number }
  /** One bar for each drum, by its General MIDI pitch: sixteen steps, `x` loud, `o` soft. */
  readonly drums: Readonly<Record<number, string>>
  /** How far every second eighth is late, in sixteenths. */
  readonly swing: number
}

const KICK = 36
const SNARE = 38
const CLOSED_HAT = 42
const OPEN_HAT = 46
const RIDE = 51
const TAMBOURINE = 54

export const STYLES = {
  ambient: {
    tempo: 72,
    mode: 'minor',
    progressions: [
      [0, 5, 3, 4],
      [0, 2, 5, 3],
    ],
    rhythms: [[16], [8, 8], [12, 4], [-4, 12], [6, 10]],
    chordSize: 4,
    accompaniment: 'pad',
    bass: 'held',
    programs: { melody: 88, chords: 89, bass: 38 },
    drums: {},
    swing: 0,
  },
  techno: {
    tempo: 128,
    mode: 'minor',
    progressions: [
      [0, 0, 5, 6],
      [0, 0, 3, 0],
    ],
    rhythms: [
      [2, 2, -2, 2, 2, 2, -2, 2],
      [3, 3, 2, 3, 3, 2],
      [-2, 2, 4, -2, 2, 4],
    ],
    chordSize: 3,
    accompaniment: 'stabs',
    bass: 'offbeat',
    programs: { melody: 81, chords: 90, bass: 38 },
    drums: {
      [KICK]: 'x...x...x...x...',
      [SNARE]: '....x.......x...',
      [CLOSED_HAT]: 'o.o.o.o.o.o.o.o.',
      [OPEN_HAT]: '..x...x...x...x.',
    },
    swing: 0,
  },
  jazz: {
    tempo: 144,
    mode: 'major',
    progressions: [
      [1, 4, 0, 5],
      [0, 5, 1, 4],
    ],
    rhythms: [
      [2, 2, 2, 2, 4, -4],
      [-2, 2, 4, 2, 2, 4],
      [6, 2, 2, 2, -4],
      [4, 2, 2, 8],
    ],
    chordSize: 4,
    accompaniment: 'stabs',
    bass: 'walking',
    programs: { melody: 66, chords: 0, bass: 32 },
    drums: { [RIDE]: 'x...x.o.x...x.o.', [CLOSED_HAT]: '....x.......x...' },
    swing: 0.66,
  },
  folk: {
    tempo: 112,
    mode: 'major',
    progressions: [
      [0, 3, 0, 4],
      [0, 4, 5, 3],
      [0, 3, 4, 0],
    ],
    rhythms: [
      [4, 4, 4, 4],
      [4, 2, 2, 4, 4],
      [6, 2, 4, 4],
      [2, 2, 4, 8],
    ],
    chordSize: 3,
    accompaniment: 'strum',
    bass: 'alternating',
    programs: { melody: 105, chords: 25, bass: 32 },
    drums: { [TAMBOURINE]: '....x.......x...' },
    swing: 0,
  },
  classical: {
    tempo: 100,
    mode: 'major',
    progressions: [
      [0, 3, 4, 0],
      [0, 5, 1, 4],
    ],
    rhythms: [
      [4, 4, 4, 4],
      [6, 2, 4, 4],
      [8, 4, 4],
      [2, 2, 2, 2, 8],
    ],
    chordSize: 3,
    accompaniment: 'broken',
    bass: 'held',
    programs: { melody: 73, chords: 0, bass: 42 },
    drums: {},
    swing: 0,
  },
} as const satisfies Record<string, Style>

export type StyleName = keyof typeof STYLES

export const STYLE_NAMES = Object.keys(STYLES) as [StyleName, ...StyleName[]]
