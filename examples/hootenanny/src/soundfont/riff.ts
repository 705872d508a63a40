import { StudioError } from '../error.ts'

const HEADER_BYTES = 8
const NAME_BYTES = 4
/** No SoundFont needs more; without a limit a file of nothing but headers would fill the memory. */
const MOST_CHUNKS = 1000

/** The chunks of a RIFF file of one kind, by name. */
export function readRiff(bytes: Uint8Array, kind: string): ReadonlyMap<string, Uint8Array> {
  if (bytes.length < HEADER_BYTES + NAME_BYTES || nameAt(bytes, 0) !== 'RIFF')
    throw new StudioError('the content is no SoundFont: it does not begin with RIFF')
  const found = nameAt(bytes, HEADER_BYTES)
  if (found !== kind)
    throw new StudioError(`the content is no SoundFont: it is a RIFF file of kind ${found}`)
  const content = contentAt(bytes, 0, 'RIFF')
  return readChunks(content.subarray(NAME_BYTES))
}

/** The chunks that stand side by side. A list has the name of its kind; of two with one name the first counts. */
export function readChunks(bytes: Uint8Array): ReadonlyMap<string, Uint8Array> {
  const chunksByName = new Map<string, Uint8Array>()
  let at = 0
  for (let count = 0; at < bytes.length; count += 1) {
    if (count === MOST_CHUNKS)
      throw new StudioError(`the SoundFont has more than ${MOST_CHUNKS} chunks side by side`)
    if (at + HEADER_BYTES > bytes.length)
      throw new StudioError('the SoundFont is cut short within the header of a chunk')
    const plain = nameAt(bytes, at)
    const content = contentAt(bytes, at, plain)
    const isList = plain === 'LIST' && content.length >= NAME_BYTES
    const name = isList ? nameAt(content, 0) : plain
    if (!chunksByName.has(name))
      chunksByName.set(name, isList ? content.subarray(NAME_BYTES) : content)
    // Chunks begin at even places.
    at += HEADER_BYTES + content.length + (content.length % 2)
  }
  return chunksByName
}

/** What the header at a place announces; all of it must be there. */
function contentAt(bytes: Uint8Array, at: number, name: string): Uint8Array {
  const size = toView(bytes).getUint32(at + NAME_BYTES, true)
  const left = bytes.length - at - HEADER_BYTES
  if (size > left)
    throw new StudioError(
      `the SoundFont is cut short: chunk ${name} says that it has ${size} bytes, and ${left} are left`,
    )
  return bytes.subarray(at + HEADER_BYTES, at + HEADER_BYTES + size)
}

function nameAt(bytes: Uint8Array, at: number): string {
  return toText(bytes.subarray(at, at + NAME_BYTES))
}

/** Text up to its first zero, without what a terminal would obey. */
export function toText(bytes: Uint8Array): string {
  const end = bytes.indexOf(0)
  const text = new TextDecoder().decode(end === -1 ? bytes : bytes.subarray(0, end))
  return text.replaceAll(/\p{Cc}/gu, '').trim()
}

export function toView(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}
