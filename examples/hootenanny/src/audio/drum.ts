import { createRandom } from '../music/random.ts'

/** A drum as a falling tone with noise on it. */
interface Drum {
  /** Hertz at the stroke and after it has died away; without a tone there is only noise. */
  readonly tone?: readonly [from: number, to: number]
  /** Share of noise. */
  readonly noise: number
  /** Seconds until little is left. */
  readonly decay: number
}

const KICK: Drum = { tone: [130, 45], noise: 0.05, decay: 0.35 }
const SNARE: Drum = { tone: [210, 170], noise: 0.7, decay: 0.22 }
const HAT: Drum = { noise: 1, decay: 0.06 }
const CYMBAL: Drum = { noise: 1, decay: 0.45 }
const TOM: Drum = { tone: [180, 90], noise: 0.1, decay: 0.4 }

const DRUMS: Readonly<Record<number, Drum>> = {
  35: KICK,
  36: KICK,
  37: HAT,
  38: SNARE,
  39: SNARE,
  40: SNARE,
  42: HAT,
  44: HAT,
  46: CYMBAL,
  49: CYMBAL,
  51: CYMBAL,
  54: HAT,
}

/** A stroke, as samples of its own. */
export function createStroke(pitch: number, sampleRate: number): Float32Array {
  const { tone, noise, decay } = DRUMS[pitch] ?? TOM
  const random = createRandom(`drum ${pitch}`)
  let phase = 0
  let before = 0
  return Float32Array.from({ length: Math.round(decay * sampleRate) }, (_, at) => {
    const fade = Math.exp((-5 * at) / (decay * sampleRate))
    const [from, to] = tone ?? [0, 0]
    phase += (2 * Math.PI * (to + (from - to) * fade * fade)) / sampleRate
    // The difference of two noises has lost its low end, as metal has.
    const now = random.next() * 2 - 1
    const hiss = tone === undefined ? (now - before) / 2 : now
    before = now
    return fade * (noise * hiss + (tone === undefined ? 0 : (1 - noise) * Math.sin(phase)))
  })
}
