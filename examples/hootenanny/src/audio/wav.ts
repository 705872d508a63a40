const HEADER_BYTES = 44
const BYTES_PER_SAMPLE = 2
const CHANNELS = 2
const FRAME_BYTES = BYTES_PER_SAMPLE * CHANNELS
const PCM = 1

/** How many bytes a WAV file of so many samples on each side has. */
export function wavBytes(length: number): number {
  return HEADER_BYTES + length * FRAME_BYTES
}

/** Spells stereo sound as a WAV file with 16 bits for each sample. */
export function writeWav(left: Float32Array, right: Float32Array, sampleRate: number): Uint8Array {
  const bytes = new Uint8Array(wavBytes(left.length))
  const dataBytes = bytes.length - HEADER_BYTES
  const view = new DataView(bytes.buffer)
  const encoder = new TextEncoder()
  const text = (at: number, value: string): void => bytes.set(encoder.encode(value), at)
  text(0, 'RIFF')
  view.setUint32(4, HEADER_BYTES - 8 + dataBytes, true)
  text(8, 'WAVEfmt ')
  view.setUint32(16, 16, true)
  view.setUint16(20, PCM, true)
  view.setUint16(22, CHANNELS, true)
  view.setUint32(24, sampleRate, true)
  view.setUint32(28, sampleRate * FRAME_BYTES, true)
  view.setUint16(32, FRAME_BYTES, true)
  view.setUint16(34, BYTES_PER_SAMPLE * 8, true)
  text(36, 'data')
  view.setUint32(40, dataBytes, true)
  for (let frame = 0; frame < left.length; frame += 1) {
    const at = HEADER_BYTES + frame * FRAME_BYTES
    view.setInt16(at, toSample(left[frame] ?? 0), true)
    view.setInt16(at + BYTES_PER_SAMPLE, toSample(right[frame] ?? 0), true)
  }
  return bytes
}

function toSample(value: number): number {
  return Math.round(Math.max(-1, Math.min(1, value)) * 0x7fff)
}
