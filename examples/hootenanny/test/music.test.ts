import toneMidi from '@tonejs/midi'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createEmbeddedGenerator } from '../src/generator/embedded.ts'
import type { GenerationRequest } from '../src/generator/generator.ts'
import { guessKey, isInKey, parseKey, toSignature } from '../src/music/key.ts'
import { MidiError, readMidi } from '../src/music/midi-reader.ts'
import { writeMidi } from '../src/music/midi-writer.ts'
import { melodyOf, pitchedNotes, TICKS_PER_BAR } from '../src/music/piece.ts'
import { STYLE_NAMES, STYLES } from '../src/music/style.ts'

const REQUEST: GenerationRequest = {
  task: 'generate',
  model: 'base',
  temperature: 1,
  topP: 0.95,
  maxTokens: 3000,
  variations: 1,
  seed: 7,
  bars: 8,
  inputs: [],
}

async function generate(request: Partial<GenerationRequest> = {}): Promise<Uint8Array[]> {
  const context = { jobId: 'job', signal: new AbortController().signal, progress: () => {} }
  const variations = await createEmbeddedGenerator().generate({ ...REQUEST, ...request }, context)
  return variations.map(({ midi }) => midi)
}

async function generateOne(request: Partial<GenerationRequest> = {}): Promise<Uint8Array> {
  const [midi] = await generate(request)
  if (midi === undefined) throw new Error('nothing was generated')
  return midi
}

describe('the embedded generator', () => {
  it.each(STYLE_NAMES)(
    '%s: another library reads the file, in key, tempo and length [music-another-library]',
    async (style) => {
      const key = parseKey('F# minor')!
      const bytes = await generateOne({ style, key: 'F# minor', tempo: 90 })
      const midi = new toneMidi.Midi(bytes)
      expect(midi.header.tempos[0]?.bpm).toBeCloseTo(90, 2)
      expect(midi.header.keySignatures[0]).toMatchObject({ scale: 'minor' })
      expect(midi.duration).toBeLessThanOrEqual((8 * 4 * 60) / 90 + 0.001)
      expect(midi.duration).toBeGreaterThan((7 * 4 * 60) / 90)
      const pitched = midi.tracks
        .filter(({ channel }) => channel !== 9)
        .flatMap(({ notes }) => notes)
      expect(pitched.length).toBeGreaterThan(20)
      expect(pitched.filter(({ midi: pitch }) => !isInKey(key, pitch))).toEqual([])
      const programs = midi.tracks
        .filter(({ channel }) => channel === 0)
        .map(({ instrument }) => instrument.number)
      expect(programs).toContain(STYLES[style].programs.melody)
    },
  )

  it('gives the same music for the same seed, and other music for another', async () => {
    const [one, again, other] = [
      await generateOne(),
      await generateOne(),
      await generateOne({ seed: 8 }),
    ]
    expect(again).toEqual(one)
    expect(other).not.toEqual(one)
  })

  it('variations differ from each other, and the first is what one alone would be', async () => {
    const variations = await generate({ variations: 4 })
    const texts = variations.map((midi) => Buffer.from(midi).toString('hex'))
    expect(new Set(texts).size).toBe(4)
    expect(variations[0]).toEqual(await generateOne())
  })

  it('models decide which parts are written, and tokens how long it gets', async () => {
    expect(readMidi(await generateOne({ model: 'mono_melodies' })).tracks).toHaveLength(1)
    expect(readMidi(await generateOne({ model: 'children' })).tracks).toHaveLength(2)
    const short = pitchedNotes(readMidi(await generateOne({ maxTokens: 120, bars: 64 })))
    expect(short.length).toBeLessThanOrEqual(40)
    expect(short.length).toBeGreaterThan(0)
  })

  it('at temperature 0 a tune takes no chances', async () => {
    const leaps = async (temperature: number): Promise<number> => {
      const notes = melodyOf(readMidi(await generateOne({ temperature, bars: 32, style: 'folk' })))
      return (
        notes.reduce(
          (sum, { pitch }, at) => sum + Math.abs(pitch - (notes[at - 1]?.pitch ?? pitch)),
          0,
        ) / notes.length
      )
    }
    expect(await leaps(0)).toBeLessThan(await leaps(2))
  })

  it('a continuation keeps key, tempo and style, takes up the tune where it ended, and is new material only', async () => {
    const before = readMidi(await generateOne({ style: 'jazz', key: 'Bb', tempo: 150 }))
    const after = readMidi(
      await generateOne({ task: 'continue', bars: 4, inputs: [writeMidi(before)], seed: 3 }),
    )
    expect(after).toMatchObject({ key: before.key, tempo: 150, bars: 4 })
    expect(after.tracks.map(({ program }) => program)).toEqual(
      before.tracks.map(({ program }) => program),
    )
    const [last, first] = [melodyOf(before).at(-1)!, melodyOf(after)[0]!]
    expect(Math.abs(last.pitch - first.pitch)).toBeLessThanOrEqual(12)
  })

  it('a seeded piece has the rhythm of its seed', async () => {
    const seed = readMidi(await generateOne({ style: 'folk', seed: 11 }))
    const piece = readMidi(
      await generateOne({ task: 'generate_seeded', inputs: [writeMidi(seed)], seed: 12 }),
    )
    const firstBar = (notes: ReturnType<typeof melodyOf>): number[] =>
      notes.map(({ start }) => start).filter((start) => start < TICKS_PER_BAR)
    expect(firstBar(melodyOf(piece))).toEqual(firstBar(melodyOf(seed)))
  })

  it('a bridge begins in the key of one side and ends in that of the other', async () => {
    const [a, b] = [
      await generateOne({ key: 'C', style: 'folk' }),
      await generateOne({ key: 'E', seed: 9 }),
    ]
    const bridge = readMidi(await generateOne({ task: 'bridge', model: 'bridge', inputs: [a, b] }))
    const notes = pitchedNotes(bridge)
    const half = 4 * TICKS_PER_BAR
    expect(
      notes.filter(({ start, pitch }) => start < half && !isInKey(parseKey('C')!, pitch)),
    ).toEqual([])
    expect(
      notes.filter(({ start, pitch }) => start >= half && !isInKey(parseKey('E')!, pitch)),
    ).toEqual([])
    const back = readMidi(await generateOne({ task: 'bridge', model: 'bridge', inputs: [a] }))
    expect(back.key).toEqual(parseKey('C'))
  })

  it('nothing in a loop sounds beyond its end', async () => {
    const loop = readMidi(await generateOne({ task: 'loop', style: 'techno', bars: 4 }))
    const ends = loop.tracks.flatMap(({ notes }) =>
      notes.map(({ start, length }) => start + length),
    )
    expect(Math.max(...ends)).toBeLessThanOrEqual(4 * TICKS_PER_BAR)
    expect(loop.bars).toBe(4)
  })
})

/** A MIDI file of chunks with these events. */
function toFile(...chunks: readonly (readonly number[])[]): Uint8Array {
  const header = [0, 0, 0, 6, 0, 1, 0, chunks.length, 1, 224]
  const tracks = chunks.map((events) => {
    const bytes = [...events, 0, 0xff, 0x2f, 0]
    return Buffer.concat([Buffer.from('MTrk'), Buffer.from([0, 0, 0, bytes.length, ...bytes])])
  })
  return Buffer.concat([Buffer.from('MThd'), Buffer.from(header), ...tracks])
}

describe('MIDI files', () => {
  it('are read back as they were written', async () => {
    const bytes = await generateOne({ style: 'jazz' })
    expect(writeMidi(readMidi(bytes))).toEqual(bytes)
  })

  it('with a changing tempo keep their length in seconds', () => {
    const midi = new toneMidi.Midi()
    midi.header.fromJSON({
      ...midi.header.toJSON(),
      tempos: [
        { ticks: 0, bpm: 120 },
        { ticks: 960, bpm: 60 },
      ],
    })
    midi.addTrack().addNote({ midi: 60, ticks: 960, durationTicks: 480 })
    const piece = readMidi(midi.toArray())
    expect(piece.tempo).toBe(120)
    // Two beats of half a second, then one of a whole second: that is two beats at the first tempo.
    expect(piece.tracks[0]?.notes).toEqual([
      { pitch: 60, start: 960, length: 960, velocity: expect.any(Number) as number },
    ])
  })

  it('change their instruments where a program or a bank is changed, whichever chunk says so', () => {
    const changes = [0, 0xc0, 10, 96, 0xb0, 0, 8, 0, 0xc0, 20]
    const notes = [0, 0x90, 60, 90, 96, 0x90, 62, 90, 0, 0x80, 60, 0, 96, 62, 0]
    const piece = readMidi(toFile(changes, notes))
    const voices = piece.tracks.map(({ bank, program, notes: [note] }) => [
      bank,
      program,
      note?.pitch,
    ])
    expect(voices).toEqual([
      [0, 10, 60],
      [8, 20, 62],
    ])
    expect(readMidi(writeMidi(piece)).tracks).toEqual(piece.tracks)
  })

  it('sound to their end where a key is never let go', () => {
    const { tracks } = readMidi(toFile([0, 0x90, 60, 90, 96, 0x90, 64, 90, 96, 0xb0, 7, 100]))
    expect(tracks[0]?.notes).toEqual([
      { start: 0, length: 192, pitch: 60, velocity: 90 },
      { start: 96, length: 96, pitch: 64, velocity: 90 },
    ])
  })

  it('with a length that is negative in 32 bits are refused instead of parsed for ever', () => {
    // Eight bytes back, to the beginning of the same event.
    const text = [0, 0xff, 0x01, 0x8f, 0xff, 0xff, 0xff, 0x78]
    expect(() => readMidi(toFile(text))).toThrow(MidiError)
  })

  it('that are none, or broken, are refused in words, whatever the bytes', async () => {
    const good = await generateOne({ bars: 2 })
    const bytes = fc.uint8Array({ maxLength: 200 })
    const cut = fc.integer({ min: 0, max: good.length - 1 }).map((end) => good.subarray(0, end))
    const bent = fc
      .tuple(fc.nat(good.length - 1), fc.nat(255))
      .map(([at, byte]) => good.with(at, byte))
    fc.assert(
      fc.property(fc.oneof(bytes, cut, bent), (input) => {
        try {
          readMidi(input)
        } catch (error) {
          expect(error).toBeInstanceOf(MidiError)
        }
      }),
      { seed: 1, numRuns: 500 },
    )
    expect(() => readMidi(good.subarray(0, good.length - 9))).toThrow('cut short')
  })
})

describe('keys', () => {
  it('are read in the usual spellings and written as signatures', () => {
    expect(parseKey('C')).toEqual({ tonic: 0, mode: 'major' })
    expect(parseKey('f# minor')).toEqual({ tonic: 6, mode: 'minor' })
    expect(parseKey('Bbm')).toEqual({ tonic: 10, mode: 'minor' })
    expect(parseKey('H')).toBeUndefined()
    expect(['C', 'G', 'F', 'Am', 'Ebm'].map((name) => toSignature(parseKey(name)!))).toEqual([
      0, 1, -1, 0, 6,
    ])
  })

  it('are heard in music that does not say its own', async () => {
    const piece = readMidi(await generateOne({ key: 'A', style: 'folk' }))
    expect(guessKey(pitchedNotes(piece))).toEqual(parseKey('A'))
  })
})
