import { fromSignature, guessKey } from './key.ts'
import type { Key } from './key.ts'
import { ByteReader } from './byte-reader.ts'
import { createProgramMap } from './program-map.ts'
import type { ProgramChange, ProgramMap } from './program-map.ts'
import { createTempoMap } from './tempo-map.ts'
import type { TempoChange } from './tempo-map.ts'
import { pitchedNotes, TICKS_PER_BAR, TICKS_PER_BEAT } from './piece.ts'
import type { Note, Piece, Track } from './piece.ts'

/** Bytes that are no MIDI file, or one of a kind that the studio does not play. */
export class MidiError extends Error {
  override name = 'MidiError'
}

/** The controller that chooses among sets of instruments. */
const BANK_SELECT = 0
/** What a channel plays with before anything is said. */
const FIRST_PROGRAM = { bank: 0, program: 0 }

const PITCHES = 128

/** Notes that have begun, by channel and pitch in one number. */
type Sounding = Map<number, { readonly start: number; readonly velocity: number }>

/** What one chunk of the file says; times are the file's own ticks. */
interface RawTrack {
  name: string
  /** Chosen with a controller, for the next change of program. */
  readonly banksByChannel: Map<number, number>
  readonly programs: ProgramChange[]
  readonly notes: RawNote[]
}

type RawNote = Note & { readonly channel: number }

interface FileFacts {
  readonly tempi: TempoChange[]
  key: Key | undefined
}

/** Reads a Standard MIDI File of any tempo and resolution into a piece at its first tempo. */
export function readMidi(bytes: Uint8Array): Piece {
  try {
    return toPiece(new ByteReader(bytes))
  } catch (error) {
    if (error instanceof RangeError) throw new MidiError('the MIDI file is cut short')
    throw error
  }
}

function toPiece(reader: ByteReader): Piece {
  if (reader.text(4) !== 'MThd') throw new MidiError('the content is no MIDI file')
  const header = reader.part(reader.number(4))
  const format = header.number(2)
  const trackCount = header.number(2)
  const ticksPerBeat = header.number(2)
  if (format > 1) throw new MidiError(`MIDI format ${format} is not supported, only 0 and 1`)
  if (ticksPerBeat === 0 || ticksPerBeat >= 0x8000)
    throw new MidiError('the MIDI file counts frames, not beats, which is not supported')

  const facts: FileFacts = { tempi: [], key: undefined }
  const raw: RawTrack[] = []
  while (raw.length < trackCount && !reader.isAtEnd) {
    const name = reader.text(4)
    const chunk = reader.part(reader.number(4))
    if (name === 'MTrk') raw.push(readTrack(chunk, facts))
  }
  const { tempo, toBeats } = createTempoMap(facts.tempi, ticksPerBeat)
  const programAt = createProgramMap(raw.flatMap(({ programs }) => programs))
  const toTicks = (tick: number): number => toBeats(tick) * TICKS_PER_BEAT
  const tracks = raw.flatMap((track) => toTracks(track, programAt, toTicks))
  return finish({ tempo, tracks, key: facts.key })
}

function finish({
  tempo,
  tracks,
  key,
}: Pick<Piece, 'tempo' | 'tracks'> & { key: Key | undefined }): Piece {
  const ends = tracks.flatMap(({ notes }) => notes.map(({ start, length }) => start + length))
  const end = ends.reduce((latest, tick) => Math.max(latest, tick), 0)
  // A note that is held a hair longer than its bar does not make another one.
  const bars = Math.max(1, Math.ceil((end - 1) / TICKS_PER_BAR))
  const piece = { tempo, tracks, bars, key: key ?? { tonic: 0, mode: 'major' } } as const
  return key === undefined ? { ...piece, key: guessKey(pitchedNotes(piece)) } : piece
}

function readTrack(reader: ByteReader, facts: FileFacts): RawTrack {
  const track: RawTrack = { name: '', banksByChannel: new Map(), programs: [], notes: [] }
  const sounding: Sounding = new Map()
  let tick = 0
  let status = 0
  while (!reader.isAtEnd) {
    tick += reader.quantity()
    // A byte without its highest bit continues with the status of the event before.
    if (reader.peek() >= 0x80) status = reader.number(1)
    if (status === 0xff) readMeta(reader, tick, { track, facts })
    else if (status === 0xf0 || status === 0xf7) reader.part(reader.quantity())
    else if (status >= 0x80 && status < 0xf0)
      readChannelEvent(reader, { status, tick }, { track, sounding })
    else throw new MidiError('the MIDI file has an event of an unknown kind')
  }
  // Nothing sounds beyond the end of its chunk, whether or not a key was let go.
  for (const voice of sounding.keys()) endNote(track, sounding, { voice, tick })
  return track
}

function readMeta(
  reader: ByteReader,
  tick: number,
  { track, facts }: { track: RawTrack; facts: FileFacts },
): void {
  const kind = reader.number(1)
  const content = reader.part(reader.quantity())
  if (kind === 0x03 && track.name === '') track.name = content.text(content.length)
  if (kind === 0x51) facts.tempi.push({ tick, microsecondsPerBeat: content.number(3) })
  if (kind === 0x59 && facts.key === undefined)
    facts.key = fromSignature((content.number(1) << 24) >> 24, content.number(1) === 1)
}

function readChannelEvent(
  reader: ByteReader,
  { status, tick }: { status: number; tick: number },
  { track, sounding }: { track: RawTrack; sounding: Sounding },
): void {
  const channel = status & 0x0f
  const kind = status >> 4
  const first = reader.number(1) & 0x7f
  if (kind === 0xc) {
    const bank = track.banksByChannel.get(channel) ?? 0
    track.programs.push({ tick, channel, program: first, bank })
    return
  }
  if (kind === 0xd) return
  const second = reader.number(1) & 0x7f
  if (kind === 0xb && first === BANK_SELECT) track.banksByChannel.set(channel, second)
  if (kind !== 8 && kind !== 9) return
  const voice = channel * PITCHES + first
  endNote(track, sounding, { voice, tick })
  if (kind === 9 && second > 0) sounding.set(voice, { start: tick, velocity: second })
}

/** Writes a note down whose key is let go. */
function endNote(
  { notes }: RawTrack,
  sounding: Sounding,
  { voice, tick }: { voice: number; tick: number },
): void {
  const begun = sounding.get(voice)
  if (begun === undefined) return
  sounding.delete(voice)
  const [channel, pitch] = [Math.floor(voice / PITCHES), voice % PITCHES]
  notes.push({ ...begun, length: tick - begun.start, pitch, channel })
}

/**
 * What each instrument of a chunk plays; a channel that changes its program is several. A chunk follows its own changes,
 * and those of others where it has none.
 */
function toTracks(
  { name, programs, notes }: RawTrack,
  programOfAll: ProgramMap,
  toTicks: (tick: number) => number,
): Track[] {
  const programAt = createProgramMap(programs)
  const tracksByVoice = new Map<string, Track & { readonly notes: Note[] }>()
  for (const { channel, start, length, ...note } of notes) {
    const { bank, program } =
      programAt(channel, start) ?? programOfAll(channel, start) ?? FIRST_PROGRAM
    const voice = `${channel} ${bank} ${program}`
    const track = tracksByVoice.get(voice) ?? { name, channel, bank, program, notes: [] }
    tracksByVoice.set(voice, track)
    const from = toTicks(start)
    track.notes.push({ ...note, start: from, length: toTicks(start + length) - from })
  }
  return [...tracksByVoice.values()].map((track) => ({
    ...track,
    notes: track.notes.toSorted((one, other) => one.start - other.start),
  }))
}
