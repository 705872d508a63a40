import { setImmediate as nextTurn } from 'node:timers/promises'
import { StudioError } from '../error.ts'
import { DRUM_CHANNEL, secondsOf, toSeconds } from '../music/piece.ts'
import type { Note, Piece, Track } from '../music/piece.ts'
import { createStroke } from './drum.ts'
import { toInstrument } from './instrument.ts'
import { addTone, createWave } from './tone.ts'
import { writeWav } from './wav.ts'

/** How a piece is rendered. */
export interface RenderOptions {
  readonly sampleRate: number
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
/** Notes between two looks at whether somebody else wants to do something. */
const NOTES_PER_TURN = 64
/** From left to right, where the instruments stand. */
const PLACES = [0.5, 0.35, 0.55, 0.65] as const

/** Plays a piece into a file. */
export async function render(piece: Piece, options: RenderOptions): Promise<Recording> {
  const { sampleRate, signal, progress } = options
  const seconds = secondsOf(piece) + TAIL_SECONDS
  if (seconds > LONGEST_SECONDS)
    throw new StudioError(
      `the piece lasts ${Math.ceil(seconds)} seconds; at most ${LONGEST_SECONDS} can be rendered`,
    )
  const length = Math.round(seconds * sampleRate)
  const left = new Float32Array(length)
  const right = new Float32Array(length)
  const total = piece.tracks.reduce((sum, { notes }) => sum + notes.length, 0)
  let done = 0
  for (const [index, track] of piece.tracks.entries()) {
    const samples = new Float32Array(length)
    const play = createPlayer(track, piece.tempo, sampleRate)
    for (const note of track.notes) {
      play(samples, note)
      done += 1
      if (done % NOTES_PER_TURN !== 0) continue
      progress(done, total)
      await nextTurn()
      signal.throwIfAborted()
    }
    const place = PLACES[index % PLACES.length] ?? 0.5
    mix(left, samples, 1 - place)
    mix(right, samples, place)
  }
  normalise(left, right)
  return { wav: writeWav(left, right, sampleRate), seconds }
}

type Player = (samples: Float32Array, note: Note) => void

/** A player of one track, which computes each wave once. */
function createPlayer({ channel, program }: Track, tempo: number, sampleRate: number): Player {
  const toSamples = (ticks: number): number => Math.round(toSeconds(ticks, tempo) * sampleRate)
  const soundsByPitch = new Map<number, Float32Array>()
  const soundOf = (pitch: number, make: () => Float32Array): Float32Array => {
    const sound = soundsByPitch.get(pitch) ?? make()
    soundsByPitch.set(pitch, sound)
    return sound
  }
  if (channel === DRUM_CHANNEL)
    return (samples, { pitch, start, velocity }) => {
      const stroke = soundOf(pitch, () => createStroke(pitch, sampleRate))
      mix(samples.subarray(toSamples(start)), stroke, velocity / 127)
    }
  const instrument = toInstrument(program)
  return (samples, { pitch, start, length, velocity }) => {
    const frequency = 440 * 2 ** ((pitch - 69) / 12)
    const wave = soundOf(pitch, () => createWave(instrument, frequency, sampleRate))
    const tone = { wave, instrument, frequency, start: toSamples(start), length: toSamples(length) }
    addTone(samples, { ...tone, gain: velocity / 127 }, sampleRate)
  }
}

/** Adds one sound to another, as far as it reaches. */
function mix(into: Float32Array, sound: Float32Array, gain: number): void {
  const end = Math.min(into.length, sound.length)
  for (let at = 0; at < end; at += 1) into[at] = (into[at] ?? 0) + (sound[at] ?? 0) * gain
}

/** Makes the loudest moment as loud as it may be, whatever the number of instruments. */
function normalise(...channels: readonly Float32Array[]): void {
  let loudest = 0
  for (const samples of channels)
    for (const value of samples) loudest = Math.max(loudest, Math.abs(value))
  if (loudest === 0) return
  for (const samples of channels)
    for (let at = 0; at < samples.length; at += 1)
      samples[at] = (samples[at] ?? 0) * (PEAK / loudest)
}
