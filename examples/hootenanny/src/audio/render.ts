import { setImmediate as nextTurn } from 'node:timers/promises'
import { StudioError } from '../error.ts'
import { secondsOf, toSeconds } from '../music/piece.ts'
import type { Piece } from '../music/piece.ts'
import { createSampler } from '../soundfont/sampler.ts'
import type { SoundFont } from '../soundfont/soundfont.ts'
import type { Cue, Stage } from './stage.ts'
import { createSynthesiser } from './synthesiser.ts'
import { writeWav } from './wav.ts'

/** How a piece is rendered. */
export interface RenderOptions {
  readonly sampleRate: number
  /** Whose recordings are heard; the synthesiser plays if absent. */
  readonly soundFont?: SoundFont | undefined
  readonly signal: AbortSignal
  readonly progress: (done: number, total: number) => void
}

/** Sound as a file. */
export interface Recording {
  readonly wav: Uint8Array
  readonly seconds: number
}

/** Seconds after the end in which the last notes may fade. */
export const TAIL_SECONDS = 1
const LONGEST_SECONDS = 10 * 60
const PEAK = 0.89
/** Samples between two looks at whether somebody else wants to do something. */
const WORK_PER_TURN = 1 << 20
/** Samples of all notes together: ten minutes of some fifty notes at once, at the highest rate. */
const MOST_WORK = 3e9

/** Plays a piece into a file. */
export async function render(piece: Piece, options: RenderOptions): Promise<Recording> {
  const { sampleRate, soundFont, signal, progress } = options
  const seconds = secondsOf(piece) + TAIL_SECONDS
  if (seconds > LONGEST_SECONDS)
    throw new StudioError(
      `the piece lasts ${Math.ceil(seconds)} seconds; at most ${LONGEST_SECONDS} can be rendered`,
    )
  const length = Math.round(seconds * sampleRate)
  const stage = { left: new Float32Array(length), right: new Float32Array(length), sampleRate }
  const total = piece.tracks.reduce((sum, { notes }) => sum + notes.length, 0)
  let all = 0
  let sinceTurn = 0
  for (const { work, done } of perform(piece, stage, soundFont)) {
    all += work
    if (all > MOST_WORK)
      throw new StudioError(
        'too many notes sound at once; render a part of the piece, or at a lower sample_rate',
      )
    sinceTurn += work
    if (sinceTurn < WORK_PER_TURN) continue
    sinceTurn = 0
    progress(done, total)
    await nextTurn()
    signal.throwIfAborted()
  }
  normalise(stage)
  return { wav: writeWav(stage.left, stage.right, sampleRate), seconds }
}

/** Plays all notes, and says after each part of one how much there was to do. */
function* perform(
  { tracks, tempo }: Piece,
  stage: Stage,
  soundFont: SoundFont | undefined,
): Iterable<{ readonly work: number; readonly done: number }> {
  const toSamples = (ticks: number): number =>
    Math.round(toSeconds(ticks, tempo) * stage.sampleRate)
  const orchestra =
    soundFont === undefined ? createSynthesiser(stage.sampleRate) : createSampler(soundFont)
  let done = 0
  for (const [index, track] of tracks.entries()) {
    const play = orchestra(track, index)
    for (const note of track.notes) {
      const cue: Cue = { ...note, start: toSamples(note.start), length: toSamples(note.length) }
      for (const work of play(stage, cue)) yield { work, done }
      done += 1
    }
  }
}

/** Makes the loudest moment as loud as it may be, whatever the number of instruments. */
function normalise({ left, right }: Stage): void {
  let loudest = 0
  for (const samples of [left, right])
    for (const value of samples) loudest = Math.max(loudest, Math.abs(value))
  if (loudest === 0) return
  for (const samples of [left, right])
    for (let at = 0; at < samples.length; at += 1)
      samples[at] = (samples[at] ?? 0) * (PEAK / loudest)
}
