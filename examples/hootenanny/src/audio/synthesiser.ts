import { DRUM_CHANNEL } from '../music/piece.ts'
import { createStroke } from './drum.ts'
import { toInstrument } from './instrument.ts'
import type { Instrument } from './instrument.ts'
import type { Gains, Orchestra, Player } from './stage.ts'
import { addSound, addTone, createWave } from './tone.ts'

/** From left to right, where the instruments stand. */
const PLACES = [0.5, 0.35, 0.55, 0.65] as const

/** Plays tracks without any recording, with waves that it computes once for each instrument and pitch. */
export function createSynthesiser(sampleRate: number): Orchestra {
  const drums = createShelf((pitch) => createStroke(pitch, sampleRate))
  const wavesByInstrument = new Map<Instrument, Shelf>()
  return ({ channel, program }, index) => {
    const place = PLACES[index % PLACES.length] ?? 0.5
    if (channel === DRUM_CHANNEL) return createDrummer(drums, place)
    const instrument = toInstrument(program)
    const waves =
      wavesByInstrument.get(instrument) ??
      createShelf((pitch) => createWave(instrument, toFrequency(pitch), sampleRate))
    wavesByInstrument.set(instrument, waves)
    return createSinger(instrument, waves, place)
  }
}

/** Sounds by their pitch. */
type Shelf = (pitch: number) => Float32Array

function createShelf(make: Shelf): Shelf {
  const soundsByPitch = new Map<number, Float32Array>()
  return (pitch) => {
    const sound = soundsByPitch.get(pitch) ?? make(pitch)
    soundsByPitch.set(pitch, sound)
    return sound
  }
}

function createDrummer(strokes: Shelf, place: number): Player {
  return function* play(stage, { pitch, start, velocity }) {
    yield addSound(stage, { sound: strokes(pitch), start, gains: toGains(velocity, place) })
  }
}

function createSinger(instrument: Instrument, waves: Shelf, place: number): Player {
  return function* play(stage, { pitch, start, length, velocity }) {
    const sound = { wave: waves(pitch), frequency: toFrequency(pitch), instrument }
    yield addTone(stage, { ...sound, start, length, gains: toGains(velocity, place) })
  }
}

function toFrequency(pitch: number): number {
  return 440 * 2 ** ((pitch - 69) / 12)
}

function toGains(velocity: number, place: number): Gains {
  const loudness = velocity / 127
  return { left: loudness * (1 - place), right: loudness * place }
}
