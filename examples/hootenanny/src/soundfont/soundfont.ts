import { StudioError } from '../error.ts'
import { MIDDLE_C } from '../music/piece.ts'
import { openTable } from './records.ts'
import type { Table } from './records.ts'
import { readChunks, readRiff, toText, toView } from './riff.ts'
import { readZones } from './zone.ts'
import type { Zone } from './zone.ts'

/** A recorded sound; places are counted in frames from the beginning of all recordings. */
export interface Sample {
  readonly name: string
  readonly start: number
  /** The first frame that does not belong to it. */
  readonly end: number
  readonly loopStart: number
  readonly loopEnd: number
  /** Frames per second. */
  readonly rate: number
  /** The key at which it sounds as it was recorded. */
  readonly rootKey: number
  /** Cents that it must be raised to be in tune. */
  readonly correction: number
  readonly kind: number
}

interface Instrument {
  readonly name: string
  /** Their targets are samples. */
  readonly zones: readonly Zone[]
}

/** What a program of MIDI chooses. */
export interface Preset {
  readonly name: string
  readonly bank: number
  readonly program: number
  /** Their targets are instruments. */
  readonly zones: readonly Zone[]
  /** How many zones its instruments have, each counted as often as it is used: what a search looks at. */
  readonly regions: number
}

/** A SoundFont 2 file: what it offers, and the recordings behind it. */
export interface SoundFont {
  readonly name: string
  /** At least one. */
  readonly presets: readonly Preset[]
  readonly instruments: readonly Instrument[]
  readonly samples: readonly Sample[]
  readonly frames: Frames
}

/** All recordings, one after the other. */
export interface Frames {
  readonly count: number
  /** From -1 to 1; there must be such a frame. */
  readonly at: (index: number) => number
}

/** The version that this reader is for; later ones hold compressed recordings. */
const VERSION = 2
const INSTRUMENT_ID = 41
const SAMPLE_ID = 53
const FRAME_BYTES = 2
const FULL_SCALE = 0x8000
/** Programs of all banks that MIDI can name, and those for drums. */
const MOST_PRESETS = 129 * 128
/** Of all presets together. */
const MOST_REGIONS = 1 << 17

/**
 * Reads a SoundFont 2 file. A table that points nowhere is refused, so that no later step needs to ask. Where a sample
 * lies is asked when it is played: files have damaged ones that nothing plays.
 */
export function readSoundFont(bytes: Uint8Array): SoundFont {
  const lists = readRiff(bytes, 'sfbk')
  const facts = readChunks(listOf(lists, 'INFO'))
  checkVersion(facts.get('ifil'))
  const frames = readChunks(listOf(lists, 'sdta')).get('smpl') ?? new Uint8Array()
  const chunks = readChunks(listOf(lists, 'pdta'))
  const samples = openTable(chunks, 'shdr')
  const instruments = readInstruments(chunks, samples)
  return {
    name: toText(facts.get('INAM') ?? new Uint8Array()),
    presets: readPresets(chunks, instruments),
    instruments,
    samples: Array.from({ length: samples.count }, (_, index) => readSample(samples, index)),
    frames: toFrames(frames),
  }
}

function listOf(lists: ReadonlyMap<string, Uint8Array>, name: string): Uint8Array {
  const list = lists.get(name)
  if (list === undefined) throw new StudioError(`the SoundFont has no list ${name}`)
  return list
}

function checkVersion(chunk: Uint8Array | undefined): void {
  if (chunk === undefined || chunk.length < 4)
    throw new StudioError('the SoundFont does not say its version: chunk ifil is missing or short')
  const major = toView(chunk).getUint16(0, true)
  if (major !== VERSION)
    throw new StudioError(
      `the SoundFont is of version ${major}; convert it to version ${VERSION}, with 16-bit samples that are not compressed`,
    )
}

function readInstruments(
  chunks: ReadonlyMap<string, Uint8Array>,
  samples: Table,
): readonly Instrument[] {
  const headers = openTable(chunks, 'inst')
  const bags = openTable(chunks, 'ibag')
  const generators = openTable(chunks, 'igen')
  const tables = { headers, bags, generators, targetId: SAMPLE_ID, bagAt: 20, targets: samples }
  return Array.from({ length: headers.count }, (_, index) => ({
    name: headers.title(index),
    zones: readZones(tables, index),
  }))
}

function readPresets(
  chunks: ReadonlyMap<string, Uint8Array>,
  instruments: readonly Instrument[],
): readonly Preset[] {
  const headers = openTable(chunks, 'phdr')
  if (headers.count === 0) throw new StudioError('the SoundFont has no presets')
  if (headers.count > MOST_PRESETS)
    throw new StudioError(
      `the SoundFont has ${headers.count} presets; MIDI can choose among ${MOST_PRESETS}`,
    )
  const bags = openTable(chunks, 'pbag')
  const generators = openTable(chunks, 'pgen')
  const targets = openTable(chunks, 'inst')
  const tables = { headers, bags, generators, targetId: INSTRUMENT_ID, bagAt: 24, targets }
  const sizeOf = ({ target }: Zone): number => instruments[target]?.zones.length ?? 0
  const presets = Array.from({ length: headers.count }, (_, index) => {
    const zones = readZones(tables, index)
    return {
      name: headers.title(index),
      program: headers.word(index, 20),
      bank: headers.word(index, 22),
      zones,
      regions: zones.reduce((sum, zone) => sum + sizeOf(zone), 0),
    }
  })
  const regions = presets.reduce((sum, preset) => sum + preset.regions, 0)
  if (regions > MOST_REGIONS)
    throw new StudioError(
      `the presets of the SoundFont have ${regions} regions; at most ${MOST_REGIONS} are searched`,
    )
  return presets
}

function readSample(table: Table, index: number): Sample {
  const rootKey = table.byte(index, 40)
  return {
    name: table.title(index),
    start: table.long(index, 20),
    end: table.long(index, 24),
    loopStart: table.long(index, 28),
    loopEnd: table.long(index, 32),
    rate: table.long(index, 36),
    // 255 stands for a sound without a pitch.
    rootKey: rootKey > 127 ? MIDDLE_C : rootKey,
    correction: (table.byte(index, 41) << 24) >> 24,
    kind: table.word(index, 44),
  }
}

/** Frames are 16 bits each, the lower byte first. */
function toFrames(bytes: Uint8Array): Frames {
  const view = toView(bytes)
  return {
    count: Math.floor(bytes.length / FRAME_BYTES),
    at: (index) => view.getInt16(index * FRAME_BYTES, true) / FULL_SCALE,
  }
}
