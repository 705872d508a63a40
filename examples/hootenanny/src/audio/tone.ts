import type { Instrument } from './instrument.ts'
import type { Gains, Stage } from './stage.ts'

const TABLE_LENGTH = 2048

/** One period of an instrument's wave, without overtones that the sample rate could not carry. */
export function createWave(
  { partials }: Instrument,
  frequency: number,
  sampleRate: number,
): Float32Array {
  const audible = partials.filter((_, index) => (index + 1) * frequency < sampleRate / 2)
  const loudness = audible.reduce((sum, strength) => sum + strength, 0) || 1
  return Float32Array.from({ length: TABLE_LENGTH }, (_, at) => {
    const phase = (2 * Math.PI * at) / TABLE_LENGTH
    return (
      audible.reduce((sum, strength, index) => sum + strength * Math.sin(phase * (index + 1)), 0) /
      loudness
    )
  })
}

/** A tone to be added to what already sounds; times are in samples. */
interface Tone {
  readonly wave: Float32Array
  readonly instrument: Instrument
  readonly frequency: number
  readonly start: number
  readonly length: number
  readonly gains: Gains
}

/** Adds a tone, and says how many samples that were. */
export function addTone({ left, right, sampleRate }: Stage, tone: Tone): number {
  const { wave, instrument, start, length, gains } = tone
  const end = Math.min(left.length, start + length + Math.round(instrument.release * sampleRate))
  const step = (tone.frequency * TABLE_LENGTH) / sampleRate
  const nextLevel = createEnvelope(instrument, length, sampleRate)
  let phase = 0
  for (let at = start; at < end; at += 1) {
    const index = Math.floor(phase)
    const here = wave[index] ?? 0
    const next = wave[(index + 1) % TABLE_LENGTH] ?? 0
    const value = (here + (next - here) * (phase - index)) * nextLevel()
    left[at] = (left[at] ?? 0) + value * gains.left
    right[at] = (right[at] ?? 0) + value * gains.right
    phase = (phase + step) % TABLE_LENGTH
  }
  return end - start
}

/** Adds a sound as far as the stage reaches, and says how many samples that were. */
export function addSound(
  { left, right }: Stage,
  { sound, start, gains }: { sound: Float32Array; start: number; gains: Gains },
): number {
  const end = Math.min(left.length, start + sound.length)
  for (let at = start; at < end; at += 1) {
    const value = sound[at - start] ?? 0
    left[at] = (left[at] ?? 0) + value * gains.left
    right[at] = (right[at] ?? 0) + value * gains.right
  }
  return end - start
}

/** How loud a note is, sample by sample: it rises, falls to what is held, and fades once it is let go. */
function createEnvelope(
  { attack, decay, sustain, release }: Instrument,
  length: number,
  sampleRate: number,
): () => number {
  const rise = 1 / (attack * sampleRate)
  const fall = Math.exp(-4 / (decay * sampleRate))
  const fade = 1 / (release * sampleRate)
  let at = 0
  let level = 0
  let held = 1
  let left = 1
  return () => {
    at += 1
    if (at > length) left = Math.max(0, left - fade)
    else if (level < 1 && held === 1) level = Math.min(1, level + rise)
    else {
      held *= fall
      level = sustain + (1 - sustain) * held
    }
    return level * left
  }
}
