import { DRUM_BANK } from './choose-preset.ts'
import { regionsOf } from './region.ts'
import type { Preset, SoundFont } from './soundfont.ts'

/** What a key of a drum kit strikes. */
export interface DrumKey {
  readonly key: number
  /** What General MIDI has there. */
  readonly name?: string
  /** What the kit has there. */
  readonly sample: string
}

const FIRST_KEY = 35
/** From key 35 on. */
const DRUM_NAMES: readonly string[] = (
  'Acoustic Bass Drum, Bass Drum 1, Side Stick, Acoustic Snare, Hand Clap, Electric Snare, ' +
  'Low Floor Tom, Closed Hi-Hat, High Floor Tom, Pedal Hi-Hat, Low Tom, Open Hi-Hat, ' +
  'Low-Mid Tom, Hi-Mid Tom, Crash Cymbal 1, High Tom, Ride Cymbal 1, Chinese Cymbal, ' +
  'Ride Bell, Tambourine, Splash Cymbal, Cowbell, Crash Cymbal 2, Vibraslap, ' +
  'Ride Cymbal 2, Hi Bongo, Low Bongo, Mute Hi Conga, Open Hi Conga, Low Conga, ' +
  'High Timbale, Low Timbale, High Agogo, Low Agogo, Cabasa, Maracas, Short Whistle, ' +
  'Long Whistle, Short Guiro, Long Guiro, Claves, Hi Wood Block, Low Wood Block, ' +
  'Mute Cuica, Open Cuica, Mute Triangle, Open Triangle'
).split(', ')

export function isDrumKit({ bank }: Preset): boolean {
  return bank === DRUM_BANK
}

/** The keys of a drum kit that strike something; where several samples sound the first is named. */
export function drumKeysOf(font: SoundFont, kit: Preset): readonly DrumKey[] {
  const samplesByKey = new Map<number, string>()
  for (const { keys, sample } of regionsOf(font, kit))
    for (let key = keys.low; key <= Math.min(keys.high, 127); key += 1)
      if (!samplesByKey.has(key)) samplesByKey.set(key, sample.name)
  return [...samplesByKey]
    .toSorted(([one], [other]) => one - other)
    .map(([key, sample]) => {
      const name = DRUM_NAMES[key - FIRST_KEY]
      return { key, ...(name !== undefined && { name }), sample }
    })
}
