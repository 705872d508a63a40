import { describe, expect, it } from 'vitest'
import { parseKey } from '../src/music/key.ts'
import { writeMidi } from '../src/music/midi-writer.ts'
import { BAND, LOOPED, SINE, toSineFont, writeSoundFont } from './soundfont-file.ts'
import { base64, fetchContent, filesIn, startStudio } from './support.ts'
import type { TestStudio } from './support.ts'

const NOTE = { start: 0, length: 960, pitch: 69, velocity: 100 }
const TRACK = { name: 'Tune', channel: 0, program: 73, notes: [NOTE] }
const TUNE = writeMidi({ tempo: 120, key: parseKey('C')!, bars: 1, tracks: [TRACK] })

async function store(studio: TestStudio, bytes: Uint8Array, mime_type: string): Promise<string> {
  const { hash } = await studio.call('cas_store', { content_base64: base64(bytes), mime_type })
  return hash ?? ''
}

const storeFont = (studio: TestStudio, bytes: Uint8Array): Promise<string> =>
  store(studio, bytes, 'audio/x-soundfont')

describe('a SoundFont', () => {
  it('is looked into, preset by preset, before it is played [soundfont-tools-looked-preset]', async () => {
    await using studio = await startStudio()
    const soundfont_hash = await storeFont(studio, writeSoundFont(BAND))
    const presets = [
      { bank: 0, program: 73, name: 'Flute' },
      { bank: 128, program: 0, name: 'Kit' },
    ]
    const facts = { soundfont_hash, name: 'Test Band', preset_count: 2, presets }
    expect(await studio.call('soundfont_inspect', { soundfont_hash })).toEqual({
      ...facts,
      has_drum_presets: true,
    })
    expect(
      await studio.call('soundfont_inspect', { soundfont_hash, include_drum_map: true }),
    ).toEqual({
      ...facts,
      has_drum_presets: true,
      drum_map: [
        {
          ...presets[1],
          keys: [
            { key: 36, name: 'Bass Drum 1', sample: 'Noise' },
            { key: 37, name: 'Side Stick', sample: 'Noise' },
            { key: 38, name: 'Acoustic Snare', sample: 'Noise' },
          ],
        },
      ],
    })
    const flute = { soundfont_hash, bank: 0, program: 73 }
    expect(await studio.call('soundfont_preset_inspect', flute)).toEqual({
      ...flute,
      name: 'Flute',
      region_count: 1,
      regions: [
        {
          instrument: 'Sine',
          sample: 'Sine',
          keys: { low: 0, high: 127 },
          velocities: { low: 0, high: 127 },
          root_key: 69,
          sample_rate: 44_000,
          duration_secs: 400 / 44_000,
          is_looped: true,
        },
      ],
    })
    expect(await studio.refusal('soundfont_preset_inspect', { ...flute, program: 5 })).toContain(
      'no program 5 in bank 0; soundfont_inspect lists its presets',
    )
  })

  it('with more drum kits than anybody reads shows some, and says how many there are besides', async () => {
    await using studio = await startStudio()
    const kit = BAND.presets[1]!
    const presets = Array.from({ length: 40 }, (_, program) => ({ ...kit, program }))
    const soundfont_hash = await storeFont(studio, writeSoundFont({ ...BAND, presets }))
    const shown = (await studio.call('soundfont_inspect', {
      soundfont_hash,
      include_drum_map: true,
    })) as Record<string, unknown>
    expect(shown).toMatchObject({ preset_count: 40, drum_kits_left_out: 8 })
    expect(shown['drum_map']).toHaveLength(32)
    expect(await studio.call('soundfont_inspect', { soundfont_hash })).not.toHaveProperty(
      'drum_kits_left_out',
    )
  })

  it('plays a MIDI file instead of the synthesiser, and the artifact says so', async () => {
    await using studio = await startStudio()
    const input_hash = await store(studio, TUNE, 'audio/midi')
    const soundfont_hash = await storeFont(studio, writeSoundFont(BAND))
    const input = { input_hash, sample_rate: 8000 }
    const played = await studio.call('midi_to_wav', { ...input, soundfont_hash })
    const synthesised = await studio.call('midi_to_wav', input)
    expect(played).toMatchObject({ duration_secs: 3, sample_rate: 8000, size_bytes: 96_044 })
    expect(synthesised).toMatchObject({ duration_secs: 3, size_bytes: 96_044 })
    expect(played['hash']).not.toBe(synthesised['hash'])
    const wav = new Int16Array(
      (await fetchContent(studio.url, played['hash'] ?? '')).slice(44).buffer,
    )
    expect(wav.reduce((loudest, value) => Math.max(loudest, value), 0)).toBeGreaterThan(0x7000)
    const { chain } = (await studio.read(`artifacts://lineage/${played['artifact_id']}`)) as {
      chain: { data: object }[]
    }
    expect(chain[0]?.data).toMatchObject({ input_hash, soundfont_hash, sample_rate: 8000 })
  })

  it('that is damaged, or is something else, is refused, and nothing is left behind', async () => {
    await using studio = await startStudio()
    const input_hash = await store(studio, TUNE, 'audio/midi')
    const band = writeSoundFont(BAND)
    const cut = await storeFont(studio, band.subarray(0, band.length - 100))
    const looped = toSineFont([LOOPED], { ...SINE, loop: [7, 7] })
    const empty = await storeFont(studio, writeSoundFont(looped))
    const files = await filesIn(studio.folder)
    const reasons: [hash: string, reason: string][] = [
      [cut, 'the SoundFont is cut short: chunk RIFF says'],
      [empty, 'the loop of sample “Sine” of the SoundFont reaches from frame 7 to 7'],
      [input_hash, 'is audio/midi, not audio/x-soundfont'],
      ['f'.repeat(64), 'there is no content'],
      ['../studio.db', 'soundfont_hash'],
    ]
    for (const [soundfont_hash, reason] of reasons)
      expect(await studio.refusal('midi_to_wav', { input_hash, soundfont_hash })).toContain(reason)
    expect(await studio.refusal('soundfont_inspect', { soundfont_hash: cut })).toContain(
      'cut short',
    )
    expect(
      await studio.refusal('soundfont_preset_inspect', {
        soundfont_hash: empty,
        bank: 0,
        program: 73,
      }),
    ).toContain('from frame 7 to 7')
    expect(
      await studio.refusal('cas_store', {
        content_base64: base64(Buffer.from('RIFF')),
        mime_type: 'audio/x-soundfont',
      }),
    ).toContain('not audio/x-soundfont')
    expect(await filesIn(studio.folder)).toEqual(files)
    expect(await studio.read('artifacts://summary')).toMatchObject({ total: 0 })
  })
})
