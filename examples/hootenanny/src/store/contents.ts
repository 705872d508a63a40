import { createContentStore, detectMime } from '@waymark/cas'
import type { ContentSource, ContentStore, PutOptions, StoredContent } from '@waymark/cas'
import { StudioError } from '../error.ts'
import { MidiError, readMidi } from '../music/midi-reader.ts'
import type { Database } from './database.ts'

/** A content and what its sender calls it. */
export interface ContentInfo {
  readonly hash: string
  readonly size: number
  readonly mimeType: string
}

export const MIDI = 'audio/midi'
export const WAV = 'audio/wav'
export const SOUNDFONT = 'audio/x-soundfont'
const LARGEST_MIDI = 4 * 1024 * 1024
const MIDI_NAMES: ReadonlySet<string> = new Set([MIDI, 'audio/x-midi', 'audio/mid'])

/** Bytes by their hash, with the type that they were stored under; the first sender decides it. */
export class Contents {
  readonly store: ContentStore
  /** Most bytes of one content. */
  readonly limit: number
  readonly #database: Database

  constructor(folder: string, limit: number, database: Database) {
    this.store = createContentStore({ folder, limit })
    this.limit = limit
    this.#database = database
  }

  /** Stores a content once it has proved to be what it is called; what is refused leaves nothing behind. */
  async put(
    source: ContentSource,
    mimeType: string,
    options: PutOptions = {},
  ): Promise<StoredContent & ContentInfo> {
    const isMidi = MIDI_NAMES.has(mimeType)
    const checked = isMidi ? await toMidi(source) : source
    await using upload = await this.store.stage(checked, options)
    if (!isMidi) refuseDisguise(upload.mime, mimeType)
    const stored = await upload.keep()
    this.#database.run(
      'INSERT OR IGNORE INTO content (hash, mime_type) VALUES (?, ?)',
      stored.hash,
      isMidi ? MIDI : mimeType,
    )
    return { ...stored, mimeType: this.#typeOf(stored.hash) ?? mimeType }
  }

  /** What is known of a content; there must be one. */
  async inspect(hash: string): Promise<ContentInfo> {
    const facts = await this.store.stat(hash)
    if (facts === undefined)
      throw new StudioError(`there is no content ${hash}; cas_store or upload_file puts one there`)
    return { hash, size: facts.size, mimeType: this.#typeOf(hash) ?? facts.mime }
  }

  /** The bytes, checked against their hash. */
  async read(hash: string): Promise<Uint8Array> {
    await this.inspect(hash)
    return await this.store.read(hash)
  }

  /** The bytes of a content of one type. */
  async readAs(wanted: typeof MIDI | typeof SOUNDFONT, hash: string): Promise<Uint8Array> {
    const { mimeType } = await this.inspect(hash)
    if (mimeType !== wanted) throw new StudioError(`content ${hash} is ${mimeType}, not ${wanted}`)
    return await this.store.read(hash)
  }

  #typeOf(hash: string): string | undefined {
    return this.#database.get<{ mime_type: string }>(
      'SELECT mime_type FROM content WHERE hash = ?',
      hash,
    )?.mime_type
  }
}

/** Types that a content proves by its first bytes, so that it cannot be called anything else. */
function refuseDisguise(found: string, claimed: string): void {
  const isVague =
    found === 'application/octet-stream' ||
    found.startsWith('text/') ||
    found === 'application/json'
  const isAudioClaim = claimed === WAV || claimed === SOUNDFONT
  if (found === claimed || (isVague && !isAudioClaim)) return
  throw new StudioError(`the content is ${found}, not ${claimed}; send it under its own type`)
}

/** MIDI files are small, so they are read whole before anything is stored. */
async function toMidi(source: ContentSource): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of source instanceof Uint8Array ? [source] : source) {
    size += chunk.byteLength
    if (size > LARGEST_MIDI)
      throw new StudioError(`a MIDI file has at most ${LARGEST_MIDI} bytes; send a smaller one`)
    chunks.push(chunk)
  }
  const bytes = Buffer.concat(chunks)
  try {
    readMidi(bytes)
    return bytes
  } catch (error) {
    if (!(error instanceof MidiError)) throw error
    throw new StudioError(`${error.message}; its first bytes look like ${detectMime(bytes)}`)
  }
}
