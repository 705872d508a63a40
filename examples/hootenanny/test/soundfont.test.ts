import { describe, expect, it } from 'vitest'
import { render, TAIL_SECONDS } from '../src/audio/render.ts'
import { parseKey } from '../src/music/key.ts'
import { TICKS_PER_BEAT } from '../src/music/piece.ts'
import type { Note, Track } from '../src/music/piece.ts'
import { readSoundFont } from '../src/soundfont/soundfont.ts'
import {
  BAND,
  INSTRUMENT,
  KEYS,
  LOOP_MODE,
  LOOPED,
  NOISE,
  range,
  SAMPLE,
} from './soundfont-file.ts'
import { SINE, toSineFont, VELOCITIES, writeSoundFont } from './soundfont-file.ts'
import type { Font, Generator } from './soundfont-file.ts'

const RATE = 22_050
/** A second at 120 beats per minute. */
const NOTE: Note = { start: 0, length: 2 * TICKS_PER_BEAT, pitch: 69, velocity: 127 }
const FLUTE: Track = { name: '', channel: 0, program: 73, notes: [NOTE] }

interface Sound {
  readonly seconds: number
  readonly left: Float64Array
  readonly right: Float64Array
}

async function record(font: Font | undefined, tracks: readonly Track[] = [FLUTE]): Promise<Sound> {
  const { wav, seconds } = await render(
    { tempo: 120, key: parseKey('C')!, bars: 1, tracks },
    {
      sampleRate: RATE,
      limit: 2 ** 20,
      signal: new AbortController().signal,
      progress: () => {},
      soundFont: font && readSoundFont(writeSoundFont(font)),
    },
  )
  const all = new Int16Array(wav.slice(44).buffer)
  const side = (odd: number): Float64Array =>
    Float64Array.from(
      all.filter((_, index) => index % 2 === odd),
      (value) => value / 0x8000,
    )
  return { seconds, left: side(0), right: side(1) }
}

/** Between two moments, in seconds. */
function part(samples: Float64Array, from: number, to: number): Float64Array {
  return samples.subarray(Math.round(from * RATE), Math.round(to * RATE))
}

function rms(samples: Float64Array): number {
  return Math.sqrt(samples.reduce((sum, value) => sum + value ** 2, 0) / samples.length)
}

/** Hertz, from the first to the last upward crossing of zero. */
function pitchOf(samples: Float64Array): number {
  const crossings: number[] = []
  for (let at = 1; at < samples.length; at += 1) {
    const [before = 0, now = 0] = [samples[at - 1], samples[at]]
    if (before < 0 && now >= 0) crossings.push(at - now / (now - before))
  }
  return ((crossings.length - 1) * RATE) / (crossings.at(-1)! - crossings[0]!)
}

const flute = (...notes: Partial<Note>[]): Track[] => [
  { ...FLUTE, notes: notes.map((changes) => ({ ...NOTE, ...changes })) },
]

describe('a piece that is played with a SoundFont', () => {
  it('has its length, is heard while the note sounds, and is not what the synthesiser plays [soundfont-length-heard]', async () => {
    const sound = await record(BAND)
    expect(sound.seconds).toBe(2 + TAIL_SECONDS)
    expect(sound.left).toHaveLength(3 * RATE)
    expect(rms(part(sound.left, 0.1, 0.9))).toBeGreaterThan(0.3)
    expect(rms(part(sound.left, 1.1, 3))).toBe(0)
    const synthesised = await record(undefined)
    expect(synthesised.left).toHaveLength(sound.left.length)
    expect(synthesised.left).not.toEqual(sound.left)
  })

  it.each<[string, number, Font]>([
    ['as recorded', 440, toSineFont()],
    [
      'raised by a coarse and a fine tuning',
      440 * 2 ** (250 / 1200),
      toSineFont([LOOPED, [51, 2], [52, 50]]),
    ],
    ['with another root key', 880, toSineFont([LOOPED, [58, 57]])],
    ['in quarter tones', 440 * 2 ** (-200 / 1200), toSineFont([LOOPED, [56, 50], [58, 73]])],
    [
      'with the correction of its sample',
      440 * 2 ** (-30 / 1200),
      toSineFont([LOOPED], { ...SINE, correction: -30 }),
    ],
    ['from a sample of another rate', 220, toSineFont([LOOPED], { ...SINE, rate: 22_000 })],
  ])('sounds at its pitch, %s', async (_, expected, font) => {
    const { left } = await record(font)
    expect(pitchOf(part(left, 0.1, 0.9)) / expected).toBeCloseTo(1, 3)
  })

  it('goes up and down by semitones', async () => {
    for (const pitch of [57, 60, 76, 81]) {
      const { left } = await record(BAND, flute({ pitch }))
      expect(pitchOf(part(left, 0.1, 0.9)) / (440 * 2 ** ((pitch - 69) / 12))).toBeCloseTo(1, 3)
    }
  })

  it('is louder the harder a key is struck', async () => {
    const notes = flute({ velocity: 127 }, { velocity: 64, start: NOTE.length })
    const { left } = await record(BAND, notes)
    const ratio = rms(part(left, 0.2, 0.8)) / rms(part(left, 1.2, 1.8))
    expect(ratio).toBeCloseTo((127 / 64) ** 2, 1)
  })

  it('sustains a sample of nine milliseconds as long as it is looped, and no longer', async () => {
    const looped = await record(toSineFont())
    expect(rms(part(looped.left, 0.8, 0.95))).toBeCloseTo(rms(part(looped.left, 0.1, 0.25)), 2)
    const once = await record(toSineFont([]))
    expect(rms(part(once.left, 0, 0.009))).toBeGreaterThan(0.3)
    expect(rms(part(once.left, 0.012, 1))).toBe(0)
  })

  it('leaves the loop when the key is let go, if the sample asks for it', async () => {
    const tail = [...SINE.frames, ...NOISE.frames]
    const slow: Generator = [38, 1200]
    const rest = toSineFont([[LOOP_MODE, 3], slow], { ...SINE, frames: tail })
    const { left } = await record(rest)
    expect(pitchOf(part(left, 0.1, 0.9))).toBeCloseTo(440, 0)
    expect(pitchOf(part(left, 1.01, 1.08))).toBeGreaterThan(2000)
    expect(rms(part(left, 1.2, 3))).toBe(0)
  })

  it('rises, holds, falls to what is held, and fades when the key is let go', async () => {
    const half = -1200
    const shape: Generator[] = [
      [34, half * 2],
      [35, half * 2],
      [36, 1200],
      [37, 200],
      [38, 0],
    ]
    const { left } = await record(toSineFont([LOOPED, ...shape]))
    const peak = rms(part(left, 0.3, 0.5))
    expect(rms(part(left, 0.12, 0.13)) / peak).toBeCloseTo(0.5, 1)
    // It falls by 100 decibels in two seconds, so by 10 in a fifth of one.
    expect(rms(part(left, 0.695, 0.705)) / peak).toBeCloseTo(10 ** (-10 / 20), 1)
    expect(rms(part(left, 0.93, 0.99)) / peak).toBeCloseTo(10 ** (-20 / 20), 2)
    expect(rms(part(left, 1.095, 1.105)) / peak).toBeCloseTo(10 ** (-30 / 20), 2)
    expect(rms(part(left, 2.1, 3))).toBe(0)
  })

  it('stands where its zone puts it, and is as quiet as that says', async () => {
    const zones: Generator[][] = [
      [LOOPED, [KEYS, range(0, 69)], [17, -500 & 0xffff], [SAMPLE, 0]],
      [LOOPED, [KEYS, range(70, 127)], [17, 500], [48, 500], [SAMPLE, 0]],
    ]
    const font = { ...toSineFont(), instruments: [{ name: 'Two', zones }] }
    const { left, right } = await record(font, flute({}, { pitch: 81, start: NOTE.length }))
    const [early, late] = [part(left, 0.2, 0.8), part(right, 1.2, 1.8)]
    expect(rms(part(right, 0.2, 0.8))).toBe(0)
    expect(rms(part(left, 1.2, 1.8))).toBeLessThan(0.001)
    expect(rms(early) / rms(late)).toBeCloseTo(10, 0)
  })

  it('takes the zone for its key and velocity, and adds what the preset and the common zones say', async () => {
    const font: Font = {
      presets: [
        {
          name: 'Layers',
          bank: 0,
          program: 73,
          zones: [
            [[51, 12]],
            [
              [VELOCITIES, range(0, 99)],
              [INSTRUMENT, 0],
            ],
            [
              [VELOCITIES, range(100, 127)],
              [51, -12],
              [INSTRUMENT, 0],
            ],
          ],
        },
      ],
      instruments: [
        {
          name: 'Sine',
          zones: [
            [LOOPED, [52, 0]],
            [
              [KEYS, range(60, 72)],
              [SAMPLE, 0],
            ],
          ],
        },
      ],
      samples: [SINE],
    }
    const notes = flute(
      { velocity: 60 },
      { start: NOTE.length },
      { start: 2 * NOTE.length, pitch: 73 },
    )
    const { left } = await record(font, notes)
    expect(pitchOf(part(left, 0.1, 0.9))).toBeCloseTo(880, 0)
    expect(pitchOf(part(left, 1.1, 1.9))).toBeCloseTo(220, 0)
    expect(rms(part(left, 2.1, 2.9))).toBe(0)
  })
})

describe('the instruments of a piece', () => {
  /** Presets of one sine, told apart by their pitch: an octave up for each, from 220 hertz. */
  const presets = (...numbers: readonly [bank: number, program: number][]): Font => ({
    presets: numbers.map(([bank, program], index) => ({
      name: `${bank}:${program}`,
      bank,
      program,
      zones: [
        [
          [51, 12 * (index - 1)],
          [INSTRUMENT, 0],
        ],
      ],
    })),
    instruments: [{ name: 'Sine', zones: [[LOOPED, [SAMPLE, 0]]] }],
    samples: [SINE],
  })
  const FONT = presets([0, 10], [8, 20], [128, 0], [0, 20])
  const play = async (changes: Partial<Track>): Promise<number> => {
    const { left } = await record(FONT, [{ ...FLUTE, ...changes }])
    return pitchOf(part(left, 0.1, 0.9))
  }

  it('are those of their programs and banks, and drums are in a bank of their own', async () => {
    expect(await play({ program: 10 })).toBeCloseTo(220, 0)
    expect(await play({ program: 20, bank: 8 })).toBeCloseTo(440, 0)
    expect(await play({ program: 20 })).toBeCloseTo(1760, 0)
    expect(await play({ program: 0, channel: 9 })).toBeCloseTo(880, 0)
  })

  it('are the nearest that there are, if there are no such', async () => {
    expect(await play({ program: 12 })).toBeCloseTo(220, 0)
    expect(await play({ program: 127, bank: 7 })).toBeCloseTo(440, 0)
    expect(await play({ program: 16, channel: 9 })).toBeCloseTo(880, 0)
    const { left } = await record(toSineFont(), [{ ...FLUTE, channel: 9 }])
    expect(pitchOf(part(left, 0.1, 0.9))).toBeCloseTo(440, 0)
  })

  it('strike drums once', async () => {
    const drums = [{ ...FLUTE, channel: 9, notes: [{ ...NOTE, pitch: 36 }] }]
    const { left } = await record(BAND, drums)
    expect(rms(part(left, 0.01, 0.9))).toBeGreaterThan(0.1)
    const beyond = await record(BAND, [{ ...FLUTE, channel: 9, notes: [{ ...NOTE, pitch: 60 }] }])
    expect(rms(beyond.left)).toBe(0)
  })
})

describe('a piece that takes long with a SoundFont', () => {
  const many = <T>(count: number, one: T): T[] => Array.from({ length: count }, () => one)
  /** Plays a piece until it has been asked for the next turn so often, and says how often that was. */
  async function turnsOf(font: Font, tracks: readonly Track[], most = Infinity): Promise<number> {
    const controller = new AbortController()
    let turns = 0
    const rendering = render(
      { tempo: 120, key: parseKey('C')!, bars: 1, tracks },
      {
        sampleRate: RATE,
        limit: 2 ** 24,
        signal: controller.signal,
        progress: () => {
          turns += 1
          // From outside, which only a rendering that pauses lets happen.
          if (turns === most) setImmediate(() => controller.abort())
        },
        soundFont: readSoundFont(writeSoundFont(font)),
      },
    )
    if (most === Infinity) await rendering
    else await expect(rendering).rejects.toThrow('aborted')
    return turns
  }

  const layers: Font = {
    ...toSineFont(),
    presets: [{ name: 'Wall', bank: 0, program: 73, zones: many(64, [[INSTRUMENT, 0]]) }],
  }

  it('is stopped between the layers of a note', async () => {
    const long = flute({ length: 60 * 2 * TICKS_PER_BEAT })
    expect(await turnsOf(layers, long, 2)).toBeLessThan(5)
  })

  it('lets others have their turn between notes that are hardly heard', async () => {
    expect(await turnsOf(layers, flute(...many(200, { length: 0 })))).toBeGreaterThan(0)
  })

  it('lets others have their turn while presets are chosen', async () => {
    const presets = Array.from({ length: 4000 }, (_, index) => ({
      name: '',
      bank: index >> 7,
      program: index & 127,
      zones: [],
    }))
    const tracks = Array.from({ length: 100 }, (_, program) => ({ ...FLUTE, program }))
    const font = { ...BAND, presets }
    // 100 times 4000 presets of 8 samples each, of which a turn has a million.
    expect(await turnsOf(font, tracks)).toBe(3)
    expect(await turnsOf(font, tracks, 1)).toBe(1)
  })

  it('is refused on the way if only the search for what sounds would take that long', async () => {
    const unheard: Font = {
      presets: [
        {
          name: 'Maze',
          bank: 0,
          program: 73,
          zones: many(256, [
            [KEYS, 0],
            [INSTRUMENT, 0],
          ]),
        },
      ],
      instruments: [{ name: 'Sine', zones: many(512, [[SAMPLE, 0]]) }],
      samples: [SINE],
    }
    await expect(record(unheard, flute(...many(700, {})))).rejects.toThrow('too many notes sound')
  })
})
