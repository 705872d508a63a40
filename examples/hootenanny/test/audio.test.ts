import { expect, it } from 'vitest'
import { render, TAIL_SECONDS } from '../src/audio/render.ts'
import type { Recording } from '../src/audio/render.ts'
import { parseKey } from '../src/music/key.ts'
import { TICKS_PER_BEAT } from '../src/music/piece.ts'
import type { Piece } from '../src/music/piece.ts'

const RATE = 8000
const SIGNAL = new AbortController().signal
const LIMIT = 2 ** 30
const NOTE = { start: 0, length: 2 * TICKS_PER_BEAT, pitch: 69, velocity: 100 }

function toPiece(changes: Partial<Piece> = {}): Piece {
  const tracks = [{ name: 'Lead', channel: 0, program: 73, notes: [NOTE] }]
  return { tempo: 120, key: parseKey('C')!, bars: 1, tracks, ...changes }
}

async function record(piece: Piece, sampleRate = RATE): Promise<Recording & { left: Int16Array }> {
  const recording = await render(piece, {
    sampleRate,
    signal: SIGNAL,
    limit: LIMIT,
    progress: () => {},
  })
  const all = new Int16Array(recording.wav.slice(44).buffer)
  return { ...recording, left: all.filter((_, index) => index % 2 === 0) }
}

function rms(samples: Int16Array): number {
  return Math.sqrt(samples.reduce((sum, value) => sum + (value / 0x8000) ** 2, 0) / samples.length)
}

it('a recording is a stereo WAV file of exactly the length of the piece and its tail', async () => {
  const { wav, seconds } = await record(toPiece())
  const view = new DataView(wav.buffer, wav.byteOffset)
  expect(seconds).toBe(2 + TAIL_SECONDS)
  expect(Buffer.from(wav.subarray(0, 4)).toString()).toBe('RIFF')
  expect(view.getUint32(4, true)).toBe(wav.length - 8)
  expect([view.getUint16(20, true), view.getUint16(22, true), view.getUint16(34, true)]).toEqual([
    1, 2, 16,
  ])
  expect(view.getUint32(24, true)).toBe(RATE)
  expect(view.getUint32(40, true)).toBe(seconds * RATE * 4)
  expect(wav.length).toBe(44 + seconds * RATE * 4)
})

it('it is heard while the note sounds, at its pitch, and silent when it has faded [audio-heard-note]', async () => {
  const { left } = await record(toPiece())
  const sounding = left.subarray(RATE * 0.2, RATE * 0.9)
  expect(rms(sounding)).toBeGreaterThan(0.1)
  expect(rms(left.subarray(RATE * 2.5))).toBe(0)
  const rising = sounding.filter((value, at) => value >= 0 && (sounding[at - 1] ?? 0) < 0).length
  expect(rising / 0.7).toBeGreaterThan(430)
  expect(rising / 0.7).toBeLessThan(450)
})

it('the loudest moment is as loud as it may be, and nothing is clipped', async () => {
  const loud = [0, 4, 7, 11, 14].map((above) => ({ ...NOTE, pitch: 60 + above }))
  const chord = toPiece({ tracks: [{ name: '', channel: 0, program: 0, notes: loud }] })
  const { wav } = await record(chord)
  const samples = new Int16Array(wav.slice(44).buffer)
  const peak = samples.reduce((loudest, value) => Math.max(loudest, Math.abs(value)), 0) / 0x8000
  expect(peak).toBeGreaterThan(0.85)
  expect(peak).toBeLessThan(0.95)
})

it('drums are heard, and every instrument of General MIDI sounds', async () => {
  const drums = toPiece({
    tracks: [{ name: '', channel: 9, program: 0, notes: [{ ...NOTE, pitch: 36 }] }],
  })
  expect(rms((await record(drums)).left.subarray(0, RATE / 4))).toBeGreaterThan(0.05)
  for (let program = 0; program < 128; program += 8) {
    const piece = toPiece({ tracks: [{ name: '', channel: 0, program, notes: [NOTE] }] })
    expect(rms((await record(piece)).left)).toBeGreaterThan(0.02)
  }
})

it('nothing to play is silence, and too much is refused', async () => {
  expect(rms((await record(toPiece({ tracks: [] }))).left)).toBe(0)
  await expect(record(toPiece({ bars: 1000 }))).rejects.toThrow('at most 600 can be rendered')
  const crowd = Array.from({ length: 1000 }, () => ({ ...NOTE, length: 1000 * TICKS_PER_BEAT }))
  await expect(
    record(toPiece({ tracks: [{ name: '', channel: 0, program: 0, notes: crowd }] })),
  ).rejects.toThrow('too many notes sound at once')
  // Before anything is done: to compute 800 million samples would take half a minute.
  const choir = crowd.slice(0, 200)
  await expect(
    record(toPiece({ tracks: [{ name: '', channel: 0, program: 0, notes: choir }] })),
  ).rejects.toThrow('too many notes sound at once')
  const limit = 44 + 3 * RATE * 4
  const options = { sampleRate: RATE, signal: SIGNAL, progress: () => {} }
  await expect(render(toPiece(), { ...options, limit: limit - 1 })).rejects.toThrow('sample_rate')
  await render(toPiece(), { ...options, limit })
})

it('whoever does not wait any more stops the rendering', async () => {
  const notes = Array.from({ length: 500 }, () => NOTE)
  const piece = toPiece({ tracks: [{ name: '', channel: 0, program: 0, notes }] })
  const controller = new AbortController()
  const progress = (): void => controller.abort()
  await expect(
    render(piece, { sampleRate: RATE, limit: LIMIT, signal: controller.signal, progress }),
  ).rejects.toThrow()
})
