import type { Cue, Gains, Stage } from '../audio/stage.ts'
import { orElse, rootKeyOf, toStretch } from './region.ts'
import type { Region } from './region.ts'
import type { Frames } from './soundfont.ts'
import { createLevels, toGain, toVolume } from './volume.ts'

const CENTS_PER_OCTAVE = 1200
const LOUDEST = 127
/** The sound cards that the format was made for took this share of what a file says, and files are balanced for it. */
const ATTENUATION_SHARE = 0.4

/** Adds what one region plays for a note, and says how many samples that were. */
export function addVoice(
  { left, right, sampleRate }: Stage,
  cue: Cue,
  { region, frames }: { readonly region: Region; readonly frames: Frames },
): number {
  const { start, length } = cue
  const { loop, leavesLoop, ...stretch } = toStretch(region, frames)
  const pitch = orElse(region.setting('forcedKey'), cue.pitch)
  const volume = toVolume(region, pitch, sampleRate)
  const nextLevel = createLevels(volume, length)
  const step = toStep(region, pitch, sampleRate)
  const gains = toGains(region, orElse(region.setting('forcedVelocity'), cue.velocity))
  const end = Math.min(left.length, start + length + volume.release)
  let position = stretch.start
  let at = start
  for (; at < end; at += 1) {
    const isLooping = loop !== undefined && (!leavesLoop || at < start + length)
    // The rest and not a difference: a step may be longer than the loop.
    if (isLooping && position >= loop.end)
      position = loop.start + ((position - loop.start) % (loop.end - loop.start))
    if (!isLooping && position >= stretch.end) break
    const last = (isLooping ? loop.end : stretch.end) - 1
    const index = Math.min(last, Math.floor(position))
    const here = frames.at(index)
    const next = index < last ? frames.at(index + 1) : isLooping ? frames.at(loop.start) : 0
    const value = (here + (next - here) * (position - index)) * nextLevel()
    left[at] = (left[at] ?? 0) + value * gains.left
    right[at] = (right[at] ?? 0) + value * gains.right
    position += step
  }
  return at - start
}

/** How far a sample of the recording goes in the frames of the region. */
function toStep(region: Region, pitch: number, sampleRate: number): number {
  const { sample, setting } = region
  const cents =
    (pitch - rootKeyOf(region)) * setting('scaleTuning') +
    setting('coarseTune') * 100 +
    setting('fineTune') +
    sample.correction
  return (sample.rate / sampleRate) * 2 ** (cents / CENTS_PER_OCTAVE)
}

/** How loud a region is on both sides; together they have the same power wherever it stands. */
function toGains({ setting }: Region, velocity: number): Gains {
  const angle = ((setting('pan') + 500) / 1000) * (Math.PI / 2)
  const loudness = (velocity / LOUDEST) ** 2 * toGain(setting('attenuation') * ATTENUATION_SHARE)
  return { left: loudness * Math.cos(angle), right: loudness * Math.sin(angle) }
}
