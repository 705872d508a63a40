import { describe, expect, it } from 'vitest'
import { SEED } from '../../../packages/baton/test/seed.ts'
import { render } from '../src/audio/render.ts'
import { StudioError } from '../src/error.ts'
import { parseKey } from '../src/music/key.ts'
import { createRandom } from '../src/music/random.ts'
import { readSoundFont } from '../src/soundfont/soundfont.ts'
import { BAND, chunk, INSTRUMENT, LOOPED, SAMPLE, SINE } from './soundfont-file.ts'
import { toSineFont, writeSoundFont } from './soundfont-file.ts'
import type { Font, FontSample, Generator } from './soundfont-file.ts'

const ROUNDS = Number(process.env['HOOTENANNY_RUNS'] ?? 500)
const NOTE = { start: 0, length: 40, pitch: 69, velocity: 100 }
const TRACK = { name: '', channel: 0, program: 73, notes: [NOTE] }
const DRUMS = { ...TRACK, channel: 9, notes: [{ ...NOTE, pitch: 36 }] }

/** Reads a file and plays a flute and a drum with it. */
async function play(bytes: Uint8Array): Promise<Uint8Array> {
  const { wav } = await render(
    { tempo: 300, key: parseKey('C')!, bars: 1, tracks: [TRACK, DRUMS] },
    {
      sampleRate: 8000,
      limit: 2 ** 20,
      signal: new AbortController().signal,
      progress: () => {},
      soundFont: readSoundFont(bytes),
    },
  )
  return wav
}

/** Why a file is not played. */
async function refusal(bytes: Uint8Array | Font): Promise<string> {
  const file = bytes instanceof Uint8Array ? bytes : writeSoundFont(bytes)
  const error: unknown = await play(file).catch((reason: unknown) => reason)
  if (!(error instanceof StudioError)) throw new Error('the file was not refused', { cause: error })
  return error.message
}

/** The band with other bytes in one of its chunks, counted from the chunk's content. */
function changed(name: string, change: (content: Buffer, header: Buffer) => void): Buffer {
  const file = writeSoundFont(BAND)
  const at = file.indexOf(name)
  change(file.subarray(at + 8), file.subarray(at, at + 8))
  return file
}

/** The band with another chunk in the place of one. */
function replaced(name: string, content: Buffer): Buffer {
  const file = writeSoundFont(BAND)
  const at = file.indexOf(name)
  const list = file.lastIndexOf('LIST', at)
  const end = at + 8 + file.readUInt32LE(at + 4)
  const listEnd = list + 8 + file.readUInt32LE(list + 4)
  const inside = [file.subarray(list + 8, at), content, file.subarray(end, listEnd)]
  const lists = [
    file.subarray(8, list),
    chunk('LIST', Buffer.concat(inside)),
    file.subarray(listEnd),
  ]
  return chunk('RIFF', Buffer.concat(lists))
}

const withSample = (changes: Partial<FontSample>, ...generators: Generator[]): Font =>
  toSineFont([LOOPED, ...generators], { ...SINE, ...changes })

describe('a damaged SoundFont is refused in words', () => {
  it('wherever it is cut', async () => {
    const file = writeSoundFont(toSineFont())
    await play(file)
    for (let length = 0; length < file.length; length += 1) {
      const cut = Buffer.from(file.subarray(0, length))
      expect(await refusal(cut)).toMatch(/cut short|does not begin with RIFF/)
      // As if it had been meant to end there.
      if (length < 12) continue
      cut.writeUInt32LE(length - 8, 4)
      expect(await refusal(cut)).toMatch(/cut short|has no (list|chunk)|made of records/)
    }
  })

  it('if it is something else', async () => {
    expect(await refusal(Buffer.alloc(0))).toContain('does not begin with RIFF')
    expect(await refusal(Buffer.from('MThd and no more'))).toContain('does not begin with RIFF')
    expect(await refusal(chunk('RIFF', Buffer.from('WAVEfmt ')))).toContain('of kind WAVE')
    const compressed = changed('ifil', (content) => content.writeUInt16LE(3))
    expect(await refusal(compressed)).toContain('is of version 3; convert it to version 2')
    expect(await refusal(withSample({ kind: 0x11 }))).toContain(
      '“Sine” of the SoundFont is compressed',
    )
    expect(await refusal(withSample({ kind: 0x8001 }))).toContain('memory of a sound card')
  })

  it.each(['LIST', 'ifil', 'smpl', 'phdr', 'pbag', 'pgen', 'inst', 'ibag', 'igen', 'shdr'])(
    'if chunk %s says that it is longer than it can be, or is not there',
    async (name) => {
      const endless = changed(name, (_, header) => header.writeUInt32LE(0xffff_ffff, 4))
      expect(await refusal(endless)).toContain(`chunk ${name} says that it has 4294967295 bytes`)
      const lost = changed(name, (_, header) => header.write('none'))
      expect(await refusal(lost)).toMatch(
        new RegExp(`no list INFO|no chunk ${name}|ifil|from frame`),
      )
    },
  )

  it.each<[string, string, (content: Buffer) => void]>([
    [
      'phdr',
      'record 0 of phdr in the SoundFont points to pbag 999',
      (c) => c.writeUInt16LE(999, 38 + 24),
    ],
    ['phdr', 'begins at pbag 65535 and ends before it', (c) => c.writeUInt16LE(65_535, 24)],
    ['pbag', 'record 0 of pbag in the SoundFont points to pgen 77', (c) => c.writeUInt16LE(77, 4)],
    [
      'pgen',
      'zone 0 of pbag in the SoundFont plays inst 9, and there are 2',
      (c) => c.writeUInt16LE(9, 2),
    ],
    [
      'inst',
      'record 1 of inst in the SoundFont points to ibag 50',
      (c) => c.writeUInt16LE(50, 2 * 22 + 20),
    ],
    [
      'ibag',
      'record 1 of ibag in the SoundFont begins at igen 2 and ends before it',
      (c) => c.writeUInt16LE(0, 8),
    ],
    [
      'igen',
      'zone 0 of ibag in the SoundFont plays shdr 2, and there are 2',
      (c) => c.writeUInt16LE(2, 6),
    ],
  ])('if %s points nowhere: %s', async (name, reason, change) => {
    expect(await refusal(changed(name, change))).toContain(reason)
  })

  it('if a sample or its loop lies outside of the recordings, or is empty', async () => {
    const shdr = (value: number, at: number): Promise<string> =>
      refusal(changed('shdr', (content) => content.writeUInt32LE(value, at)))
    expect(await shdr(0xffff_ffff, 20)).toContain(
      '“Sine” of the SoundFont reaches from frame 4294967295',
    )
    expect(await shdr(0xffff_ffff, 24)).toContain('to 4294967295; it must be')
    expect(await shdr(0, 24)).toContain('from frame 0 to 0')
    expect(await shdr(0xffff_ffff, 32)).toContain('the loop of sample “Sine”')
    expect(await shdr(0, 36)).toContain('has no frames per second')
    expect(await refusal(withSample({ loop: [100, 100] }))).toContain('from frame 100 to 100')
    expect(await refusal(withSample({ loop: [300, 100] }))).toContain('from frame 300 to 100')
    expect(await refusal(withSample({}, [0, -1 & 0xffff]))).toContain('from frame -1')
    expect(await refusal(withSample({}, [12, 1]))).toContain('to 33168')
  })

  it('if its tables are not whole, or empty', async () => {
    expect(await refusal(replaced('pgen', chunk('pgen', Buffer.alloc(5))))).toContain(
      'records of 4 bytes',
    )
    expect(await refusal(replaced('shdr', chunk('shdr', Buffer.alloc(0))))).toContain('has 0 bytes')
    expect(await refusal(replaced('phdr', chunk('phdr', Buffer.alloc(38))))).toContain(
      'has no presets',
    )
  })

  it('if there is more of something than makes sense', async () => {
    const chunks = Buffer.concat(Array.from({ length: 1001 }, () => chunk('junk', Buffer.alloc(0))))
    expect(await refusal(replaced('pmod', chunks))).toContain('more than 1000 chunks')
    const records = chunk('pgen', Buffer.alloc(4 * 65_537))
    expect(await refusal(replaced('pgen', records))).toContain('has 65537 records')
    const presets = chunk('phdr', Buffer.alloc(38 * (129 * 128 + 2)))
    expect(await refusal(replaced('phdr', presets))).toContain('has 16513 presets')
    const many = <T>(count: number, one: T): T[] => Array.from({ length: count }, () => one)
    const layers = (outer: number, inner: number): Font => ({
      presets: [{ name: 'Wall', bank: 0, program: 73, zones: many(outer, [[INSTRUMENT, 0]]) }],
      instruments: [{ name: 'Sine', zones: many(inner, [LOOPED, [SAMPLE, 0]]) }],
      samples: [SINE],
    })
    expect(await refusal(layers(257, 512))).toContain('have 131584 regions')
    expect(await refusal(layers(1, 65))).toContain('plays more than 64 samples for key 69 at once')
    await play(writeSoundFont(layers(8, 8)))
  })
})

it('whatever is changed in a SoundFont, it is played or refused, and nothing else happens [soundfont-damage-whatever-changed]', async () => {
  const random = createRandom(`damage ${SEED}`)
  const below = (limit: number): number => Math.floor(random.next() * limit)
  // The recordings may be anything, so what surrounds them is changed.
  const file = writeSoundFont({ ...BAND, samples: [SINE, { ...SINE, name: 'Stroke' }] })
  const smpl = file.indexOf('smpl') + 8
  const places = [...file.keys()].filter((at) => at < smpl || at >= smpl + 1600)
  const outcomes = { played: 0, refused: 0 }
  for (let round = 0; round < ROUNDS; round += 1) {
    const damaged = Buffer.from(file)
    for (let count = 1 + below(4); count > 0; count -= 1)
      damaged[places[below(places.length)]!] = random.pick([0, 1, 0x7f, 0x80, 0xff, below(256)])
    try {
      const wav = await play(damaged)
      expect(wav).toHaveLength(44 + (0.8 + 1) * 8000 * 4)
      outcomes.played += 1
    } catch (error) {
      if (!(error instanceof StudioError)) throw new Error(`round ${round}`, { cause: error })
      outcomes.refused += 1
    }
  }
  expect(outcomes.played).toBeGreaterThan(ROUNDS / 20)
  expect(outcomes.refused).toBeGreaterThan(ROUNDS / 20)
})
