import { toSignature } from './key.ts'
import { DRUM_CHANNEL, TICKS_PER_BEAT } from './piece.ts'
import type { Piece, Track } from './piece.ts'

/** Something that happens at a tick; of two at the same tick the one with the lower order comes first. */
interface TimedEvent {
  readonly tick: number
  readonly order: number
  readonly bytes: readonly number[]
}

const MICROSECONDS_PER_MINUTE = 60_000_000
const MANY_TRACKS = 1
const END_OF_TRACK = [0xff, 0x2f, 0]

/** Spells a piece as a Standard MIDI File: a track with tempo and key, then one for each instrument. */
export function writeMidi(piece: Piece): Uint8Array {
  const tracks = [toConductorTrack(piece), ...piece.tracks.map(toTrackEvents)]
  const header = toChunk('MThd', [
    ...toBytes(MANY_TRACKS, 2),
    ...toBytes(tracks.length, 2),
    ...toBytes(TICKS_PER_BEAT, 2),
  ])
  return Uint8Array.from(
    [header, ...tracks.map((events) => toChunk('MTrk', toDeltas(events)))].flat(),
  )
}

function toConductorTrack({ tempo, key }: Piece): TimedEvent[] {
  const signature = toSignature(key) & 0xff
  const atStart = { tick: 0, order: 0 }
  return [
    { ...atStart, bytes: [0xff, 0x58, 4, 4, 2, 24, 8] },
    {
      ...atStart,
      bytes: [0xff, 0x51, 3, ...toBytes(Math.round(MICROSECONDS_PER_MINUTE / tempo), 3)],
    },
    { ...atStart, bytes: [0xff, 0x59, 2, signature, key.mode === 'minor' ? 1 : 0] },
  ]
}

function toTrackEvents({ name, channel, bank = 0, program, notes }: Track): TimedEvent[] {
  const text = [...new TextEncoder().encode(name)]
  const start = [{ tick: 0, order: 0, bytes: [0xff, 0x03, ...toQuantity(text.length), ...text] }]
  if (bank > 0) start.push({ tick: 0, order: 0, bytes: [0xb0 | channel, 0, bank] })
  if (channel !== DRUM_CHANNEL) start.push({ tick: 0, order: 0, bytes: [0xc0 | channel, program] })
  const played = notes.flatMap(({ start: from, length, pitch, velocity }) => [
    // A note that ends where the same one begins must end first, or it would silence it.
    { tick: Math.round(from + length), order: 1, bytes: [0x80 | channel, pitch, 0] },
    { tick: Math.round(from), order: 2, bytes: [0x90 | channel, pitch, velocity] },
  ])
  return [...start, ...played].toSorted(
    (one, other) => one.tick - other.tick || one.order - other.order,
  )
}

function toDeltas(events: readonly TimedEvent[]): number[] {
  let now = 0
  const bytes = events.flatMap((event) => {
    const delta = toQuantity(event.tick - now)
    now = event.tick
    return [...delta, ...event.bytes]
  })
  return [...bytes, 0, ...END_OF_TRACK]
}

function toChunk(name: string, bytes: readonly number[]): number[] {
  return [...new TextEncoder().encode(name), ...toBytes(bytes.length, 4), ...bytes]
}

function toBytes(value: number, size: number): number[] {
  return Array.from({ length: size }, (_, index) => (value >>> (8 * (size - 1 - index))) & 0xff)
}

/** MIDI's numbers of variable length: seven bits in each byte, the highest bit says that more follow. */
function toQuantity(value: number): number[] {
  const bytes = [value & 0x7f]
  for (let rest = value >>> 7; rest > 0; rest >>>= 7) bytes.unshift((rest & 0x7f) | 0x80)
  return bytes
}
