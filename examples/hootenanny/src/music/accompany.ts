import type { Key } from './key.ts'
import { toPitch } from './key.ts'
import { TICKS_PER_BAR, TICKS_PER_BEAT } from './piece.ts'
import type { Note } from './piece.ts'
import type { Style } from './style.ts'

const SIXTEENTH = TICKS_PER_BEAT / 4
const STEPS = 16

/** A bar to be filled: where it begins, its key and the root of its chord as a scale degree. */
export interface Bar {
  readonly start: number
  readonly key: Key
  readonly root: number
}

/** Moves every second eighth of a bar, given in sixteenths, as far as the style swings. */
export function toTick(style: Style, step: number): number {
  return (step + (step % 4 === 2 ? style.swing : 0)) * SIXTEENTH
}

/** The chord of a bar, played in the manner of the style. */
export function playChord(style: Style, { start, key, root }: Bar): Note[] {
  const degrees = Array.from({ length: style.chordSize }, (_, third) => root + 2 * third)
  // Roots far up the scale are taken an octave down, so that the chords stay together.
  const pitches = degrees.map((degree) => toPitch(key, root > 3 ? degree - 7 : degree))
  const struck = (step: number, length: number, velocity: number): Note[] =>
    pitches.map((pitch) => ({
      start: start + toTick(style, step),
      length: length * SIXTEENTH,
      pitch,
      velocity,
    }))
  switch (style.accompaniment) {
    case 'pad':
      return struck(0, STEPS, 55)
    case 'stabs':
      return [2, 6, 10, 14].flatMap((step) => struck(step, 1.5, 60))
    case 'strum':
      return [4, 6, 12, 14].flatMap((step) => struck(step, 2, step % 4 === 0 ? 66 : 54))
    case 'broken':
      return Array.from({ length: 8 }, (_, eighth) => ({
        start: start + eighth * 2 * SIXTEENTH,
        length: 2 * SIXTEENTH,
        pitch: pitches[[0, 2, 1, 2][eighth % 4] ?? 0] ?? 60,
        velocity: 56,
      }))
  }
}

/** The bass of a bar; a walking one is on its way to the next root. */
export function playBass(style: Style, { start, key, root }: Bar, nextRoot: number): Note[] {
  const low = root > 4 ? root - 21 : root - 14
  const note = (step: number, length: number, degree: number): Note => ({
    start: start + toTick(style, step),
    length: length * SIXTEENTH,
    pitch: toPitch(key, degree),
    velocity: 84,
  })
  switch (style.bass) {
    case 'held':
      return [note(0, STEPS, low)]
    case 'offbeat':
      return [2, 6, 10, 14].map((step) => note(step, 1.5, low))
    case 'alternating':
      return [note(0, 4, low), note(8, 4, low + 4)]
    case 'walking':
      return [low, low + 2, low + 4, low + nextRoot - root - 1].map((degree, beat) =>
        note(beat * 4, 3.5, degree),
      )
  }
}

/** The drums of a bar. */
export function playDrums(style: Style, start: number): Note[] {
  return Object.entries(style.drums).flatMap(([pitch, pattern]) =>
    Array.from(pattern, (mark, step) => ({ mark, step }))
      .filter(({ mark }) => mark !== '.')
      .map(({ mark, step }) => ({
        start: start + toTick(style, step),
        length: SIXTEENTH,
        pitch: Number(pitch),
        velocity: mark === 'x' ? 96 : 60,
      })),
  )
}

/** Cuts what would sound beyond the end of a piece. */
export function cutAt(end: number, notes: readonly Note[]): Note[] {
  return notes.map((note) => ({ ...note, length: Math.min(note.length, end - note.start) }))
}

/** The tick at which a bar begins. */
export function startOf(bar: number): number {
  return bar * TICKS_PER_BAR
}
