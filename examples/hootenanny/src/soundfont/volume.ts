import { MIDDLE_C } from '../music/piece.ts'
import type { Region } from './region.ts'
import type { SettingName } from './setting.ts'

/** How loud a region is while a key is held and after; times are in samples. */
export interface Volume {
  readonly delay: number
  readonly attack: number
  readonly hold: number
  readonly decay: number
  /** Share of the peak that is held. */
  readonly sustain: number
  readonly release: number
}

/** A sound that falls for the whole of its time has lost 100 decibels. */
const FALL = 10 ** (-100 / 20)

/** What a region says about its volume, for one key. */
export function toVolume({ setting }: Region, pitch: number, sampleRate: number): Volume {
  const time = (name: SettingName, stretched = 0): number =>
    Math.round(2 ** ((setting(name) + stretched) / 1200) * sampleRate)
  // Short strings fade sooner: keys above the middle may shorten a time, keys below lengthen it.
  const byKey = (name: SettingName): number => setting(name) * (MIDDLE_C - pitch)
  return {
    delay: time('delay'),
    attack: time('attack'),
    hold: time('hold', byKey('holdByKey')),
    decay: time('decay', byKey('decayByKey')),
    sustain: toGain(setting('sustain')),
    release: time('release'),
  }
}

/** Loudness as a factor; it comes in tenths of a decibel below the peak. */
export function toGain(attenuation: number): number {
  return 10 ** (-attenuation / 200)
}

/** The level of each sample in turn, for a key that is held for so many. */
export function createLevels(volume: Volume, held: number): () => number {
  const { delay, hold, sustain } = volume
  const attack = Math.max(1, volume.attack)
  const peakUntil = delay + attack + hold
  const fall = FALL ** (1 / Math.max(1, volume.decay))
  const fade = FALL ** (1 / Math.max(1, volume.release))
  let at = -1
  let level = 0
  return () => {
    at += 1
    if (at >= held) level *= fade
    else if (at < delay) level = 0
    else if (at < delay + attack) level = (at - delay + 1) / attack
    else if (at < peakUntil) level = 1
    else level = Math.max(sustain, level * fall)
    return level
  }
}
