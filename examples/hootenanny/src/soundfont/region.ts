import { StudioError } from '../error.ts'
import type { SettingName } from './setting.ts'
import { settle } from './setting.ts'
import type { Frames, Preset, Sample, SoundFont } from './soundfont.ts'
import { isWithin, overlap } from './zone.ts'
import type { Range, Zone } from './zone.ts'

/** A sample as a preset plays it, for some keys and velocities. */
export interface Region {
  readonly instrument: string
  readonly sample: Sample
  readonly keys: Range
  readonly velocities: Range
  readonly setting: (name: SettingName) => number
}

/** A part of the recordings, and the part of it that is repeated. */
export interface Stretch {
  readonly start: number
  readonly end: number
  readonly loop: { readonly start: number; readonly end: number } | undefined
  /** Whether the loop is left, and the rest heard, when the key is let go. */
  readonly leavesLoop: boolean
}

/** What one stroke of a key may set going at once; instruments have some layers, not hundreds. */
const MOST_VOICES = 64
const LOOP = 1
const LOOP_UNTIL_RELEASE = 3
const IN_ROM = 0x8000
const COMPRESSED = 0x10
/** A coarse shift counts in these. */
const COARSE = 32_768

/** Everything that a preset can play, as far as its zones are wanted. */
export function* regionsOf(
  { instruments, samples }: SoundFont,
  preset: Preset,
  isWanted: (zone: Zone) => boolean = () => true,
): Iterable<Region> {
  for (const outer of preset.zones) {
    if (!isWanted(outer)) continue
    const instrument = instruments[outer.target]
    for (const inner of instrument?.zones ?? []) {
      if (!isWanted(inner)) continue
      const sample = samples[inner.target]
      const keys = overlap(outer.keys, inner.keys)
      const velocities = overlap(outer.velocities, inner.velocities)
      if (!instrument || !sample || !keys || !velocities) continue
      const setting = (name: SettingName): number => settle(name, inner.said, outer.said)
      yield { instrument: instrument.name, sample, keys, velocities, setting }
    }
  }
}

/** What a key sets going when it is struck. */
export function soundingRegions(
  font: SoundFont,
  preset: Preset,
  { pitch, velocity }: { readonly pitch: number; readonly velocity: number },
): readonly Region[] {
  const isStruck = ({ keys, velocities }: Zone): boolean =>
    isWithin(keys, pitch) && isWithin(velocities, velocity)
  const found: Region[] = []
  for (const region of regionsOf(font, preset, isStruck)) {
    found.push(region)
    if (found.length > MOST_VOICES)
      throw new StudioError(
        `preset “${preset.name}” of the SoundFont plays more than ${MOST_VOICES} samples for key ${pitch} at once`,
      )
  }
  return found
}

/** Which frames a region plays; all of them must be there. */
export function toStretch({ sample, setting }: Region, frames: Frames): Stretch {
  const { name, kind, rate } = sample
  const named = `sample “${name}” of the SoundFont`
  if ((kind & IN_ROM) !== 0) throw new StudioError(`${named} is in the memory of a sound card`)
  if ((kind & COMPRESSED) !== 0)
    throw new StudioError(`${named} is compressed; convert the file to 16-bit samples`)
  if (rate === 0) throw new StudioError(`${named} has no frames per second`)
  const start = sample.start + setting('startShift') + COARSE * setting('startShiftCoarse')
  const end = sample.end + setting('endShift') + COARSE * setting('endShiftCoarse')
  checkSpan(`${named} reaches`, { start, end }, frames)
  const mode = setting('loopMode')
  if (mode !== LOOP && mode !== LOOP_UNTIL_RELEASE)
    return { start, end, loop: undefined, leavesLoop: false }
  const loop = {
    start: sample.loopStart + setting('loopStartShift') + COARSE * setting('loopStartShiftCoarse'),
    end: sample.loopEnd + setting('loopEndShift') + COARSE * setting('loopEndShiftCoarse'),
  }
  checkSpan(`the loop of ${named} reaches`, loop, frames)
  return { start, end, loop, leavesLoop: mode === LOOP_UNTIL_RELEASE }
}

/** The key at which a region sounds as it was recorded. */
export function rootKeyOf({ sample, setting }: Region): number {
  return orElse(setting('rootKey'), sample.rootKey)
}

/** A setting that replaces a value, unless it is not set. */
export function orElse(setting: number, value: number): number {
  return setting === -1 ? value : setting
}

function checkSpan(
  what: string,
  { start, end }: { readonly start: number; readonly end: number },
  { count }: Frames,
): void {
  if (start >= 0 && start < end && end <= count) return
  throw new StudioError(
    `${what} from frame ${start} to ${end}; it must be a part of the ${count} frames that there are, and not empty`,
  )
}
