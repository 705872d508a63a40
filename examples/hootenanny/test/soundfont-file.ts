import { createRandom } from '../src/music/random.ts'

/** A setting of a zone: its number in the format, and its amount. */
export type Generator = readonly [id: number, amount: number]

export interface FontSample {
  readonly name: string
  readonly frames: readonly number[]
  readonly loop?: readonly [start: number, end: number]
  readonly rate: number
  readonly rootKey: number
  readonly correction?: number
  readonly kind?: number
}

/** What a file is written from; zones are lists of generators, as in the format. */
export interface Font {
  readonly presets: readonly {
    readonly name: string
    readonly bank: number
    readonly program: number
    readonly zones: readonly (readonly Generator[])[]
  }[]
  readonly instruments: readonly {
    readonly name: string
    readonly zones: readonly (readonly Generator[])[]
  }[]
  readonly samples: readonly FontSample[]
}

export const KEYS = 43
export const VELOCITIES = 44
export const INSTRUMENT = 41
export const SAMPLE = 53
export const LOOP_MODE = 54
export const LOOPED: Generator = [LOOP_MODE, 1]

/** From the lowest to the highest, in one amount. */
export const range = (low: number, high: number): number => low | (high << 8)

const PERIOD = 100
/** Four waves of exactly 440 hertz, the middle two of which can be repeated. */
export const SINE: FontSample = {
  name: 'Sine',
  frames: Array.from({ length: 4 * PERIOD }, (_, at) =>
    Math.round(20_000 * Math.sin((2 * Math.PI * at) / PERIOD)),
  ),
  loop: [PERIOD, 3 * PERIOD],
  rate: 44_000,
  rootKey: 69,
}

const random = createRandom('noise')
/** Half a second. */
export const NOISE: FontSample = {
  name: 'Noise',
  frames: Array.from({ length: 4000 }, () => Math.round((random.next() * 2 - 1) * 20_000)),
  rate: 8000,
  rootKey: 60,
}

/** A font of one preset, which plays a sine as the generators say. */
export function toSineFont(generators: readonly Generator[] = [LOOPED], sample = SINE): Font {
  return {
    presets: [{ name: 'Flute', bank: 0, program: 73, zones: [[[INSTRUMENT, 0]]] }],
    instruments: [{ name: 'Sine', zones: [[...generators, [SAMPLE, 0]]] }],
    samples: [sample],
  }
}

/** A sine to play and a drum to strike. */
export const BAND: Font = {
  presets: [
    { name: 'Flute', bank: 0, program: 73, zones: [[[INSTRUMENT, 0]]] },
    { name: 'Kit', bank: 128, program: 0, zones: [[[INSTRUMENT, 1]]] },
  ],
  instruments: [
    { name: 'Sine', zones: [[LOOPED, [SAMPLE, 0]]] },
    {
      name: 'Drums',
      zones: [
        [
          [KEYS, range(36, 38)],
          [SAMPLE, 1],
        ],
      ],
    },
  ],
  samples: [SINE, NOISE],
}

/** Spells a font as a SoundFont 2 file. */
export function writeSoundFont(font: Font): Buffer {
  const presets = toZoneTables(font.presets.map(({ zones }) => zones))
  const instruments = toZoneTables(font.instruments.map(({ zones }) => zones))
  const phdr = [...font.presets, { name: 'EOP', bank: 0, program: 0 }].map((preset, index) =>
    Buffer.concat([
      title(preset.name),
      words(preset.program, preset.bank, presets.firstBags[index]!),
      Buffer.alloc(12),
    ]),
  )
  const inst = [...font.instruments, { name: 'EOI' }].map(({ name }, index) =>
    Buffer.concat([title(name), words(instruments.firstBags[index]!)]),
  )
  const { headers, frames } = toSampleTables(font.samples)
  const tables = {
    phdr: Buffer.concat(phdr),
    pbag: presets.bags,
    pmod: Buffer.alloc(10),
    pgen: presets.generators,
    inst: Buffer.concat(inst),
    ibag: instruments.bags,
    imod: Buffer.alloc(10),
    igen: instruments.generators,
    shdr: headers,
  }
  const pdta = Object.entries(tables).map(([name, bytes]) => chunk(name, bytes))
  const info = [chunk('ifil', words(2, 4)), chunk('INAM', Buffer.from('Test Band\0'))]
  const lists = [list('INFO', info), list('sdta', [chunk('smpl', frames)]), list('pdta', pdta)]
  return chunk('RIFF', Buffer.concat([Buffer.from('sfbk'), ...lists]))
}

function toZoneTables(owners: readonly (readonly (readonly Generator[])[])[]): {
  readonly firstBags: readonly number[]
  readonly bags: Buffer
  readonly generators: Buffer
} {
  const zones = owners.flat()
  const firstBags = sums(owners.map(({ length }) => length))
  const bags = sums(zones.map(({ length }) => length)).map((first) => words(first, 0))
  const generators = [...zones.flat(), [0, 0]].map(([id = 0, amount = 0]) => words(id, amount))
  return { firstBags, bags: Buffer.concat(bags), generators: Buffer.concat(generators) }
}

function toSampleTables(samples: readonly FontSample[]): { headers: Buffer; frames: Buffer } {
  const starts = sums(samples.map(({ frames }) => frames.length))
  const headers = samples.map(({ name, frames, loop = [0, 0], ...sample }, index) => {
    const start = starts[index]!
    const places = longs(start, start + frames.length, start + loop[0], start + loop[1])
    const pitch = Buffer.from([sample.rootKey, (sample.correction ?? 0) & 0xff])
    return Buffer.concat([
      title(name),
      places,
      longs(sample.rate),
      pitch,
      words(0, sample.kind ?? 1),
    ])
  })
  return {
    headers: Buffer.concat([...headers, Buffer.alloc(46)]),
    frames: words(...samples.flatMap(({ frames }) => frames)),
  }
}

/** Where each of some things begins that stand one after the other, and where the last ends. */
function sums(lengths: readonly number[]): number[] {
  return lengths.reduce((all, length) => [...all, all.at(-1)! + length], [0])
}

export function chunk(name: string, bytes: Uint8Array): Buffer {
  const padding = Buffer.alloc(bytes.length % 2)
  return Buffer.concat([Buffer.from(name), longs(bytes.length), bytes, padding])
}

function list(name: string, chunks: readonly Buffer[]): Buffer {
  return chunk('LIST', Buffer.concat([Buffer.from(name), ...chunks]))
}

function title(name: string): Buffer {
  return Buffer.concat([Buffer.from(name), Buffer.alloc(20)], 20)
}

function words(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 2)
  for (const [index, value] of values.entries()) bytes.writeUInt16LE(value & 0xffff, index * 2)
  return bytes
}

function longs(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4)
  for (const [index, value] of values.entries()) bytes.writeUInt32LE(value, index * 4)
  return bytes
}
