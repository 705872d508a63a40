import { setImmediate as nextTurn } from 'node:timers/promises'
import { StudioError } from '../error.ts'
import { secondsOf, toSeconds } from '../music/piece.ts'
import type { Piece } from '../music/piece.ts'
import { createSampler } from '../soundfont/sampler.ts'
import type { SoundFont } from '../soundfont/soundfont.ts'
import type { Cue, Stage } from './stage.ts'
import { createSynthesiser } from './synthesiser.ts'
import { wavBytes, writeWav } from './wav.ts'

/** How a piece is rendered. */
export interface RenderOptions {
  readonly sampleRate: number
  /** Whose recordings are heard; the synthesiser plays if absent. */
  readonly soundFont?: SoundFont | undefined
  /** Most bytes of the file. */
  readonly limit: number
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
/** Samples rendered before yielding to the event loop. */
const WORK_PER_TURN = 1 << 20
/**
 * Samples of all notes together: some twenty seconds of computing, of which each makes 30 million with the synthesiser and
 * 60 million with a SoundFont (measured on a server of 2026), or ten minutes of twenty notes at once, at 44,100 hertz.
 */
const MOST_WORK = 6e8

/** Plays a piece into a file. */
export async function render(piece: Piece, options: RenderOptions): Promise<Recording> {
  const { sampleRate, soundFont, signal, progress } = options
  const { seconds, length, notes } = measure(piece, options)
  const stage = { left: new Float32Array(length), right: new Float32Array(length), sampleRate }
  let all = 0
  let sinceTurn = 0
  for (const { work, done } of perform(piece, stage, soundFont)) {
    all += work
    refuseTooMuch(all)
    sinceTurn += work
    if (sinceTurn < WORK_PER_TURN) continue
    sinceTurn = 0
    progress(done, notes)
    await nextTurn()
    signal.throwIfAborted()
  }
  normalise(stage)
  return { wav: writeWav(stage.left, stage.right, sampleRate), seconds }
}

/** How much there will be: what is known to be too much is refused before anything is done. */
function measure(
  piece: Piece,
  { sampleRate, limit }: RenderOptions,
): { readonly seconds: number; readonly length: number; readonly notes: number } {
  const seconds = secondsOf(piece) + TAIL_SECONDS
  if (seconds > LONGEST_SECONDS)
    throw new StudioError(
      `the piece lasts ${Math.ceil(seconds)} seconds; at most ${LONGEST_SECONDS} can be rendered`,
    )
  const length = Math.round(seconds * sampleRate)
  const bytes = wavBytes(length)
  if (bytes > limit)
    throw new StudioError(
      `the WAV file would have ${bytes} bytes; at most ${limit} can be stored: lower sample_rate`,
    )
  const notes = piece.tracks.flatMap((track) => track.notes)
  const ticks = notes.reduce((sum, note) => sum + note.length, 0)
  refuseTooMuch(toSeconds(ticks, piece.tempo) * sampleRate)
  return { seconds, length, notes: notes.length }
}

/** A SoundFont decides how many samples a note is made of, so this is asked on the way too. */
function refuseTooMuch(work: number): void {
  if (work <= MOST_WORK) return
  throw new StudioError(
    'too many notes sound at once; render a part of the piece, or at a lower sample_rate',
  )
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

/** Scales the samples so that the loudest one is at `PEAK`. */
function normalise({ left, right }: Stage): void {
  let loudest = 0
  for (const samples of [left, right])
    for (const value of samples) loudest = Math.max(loudest, Math.abs(value))
  if (loudest === 0) return
  for (const samples of [left, right])
    for (let at = 0; at < samples.length; at += 1)
      samples[at] = (samples[at] ?? 0) * (PEAK / loudest)
}
