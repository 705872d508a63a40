import type { Preset, SoundFont } from './soundfont.ts'

/** The bank that SoundFonts keep for drums. */
export const DRUM_BANK = 128

/**
 * The preset with a number, or the nearest that there is: drums for drums if possible, then the nearest program, for its
 * neighbours are of its family, then the nearest bank.
 */
export function choosePreset(
  { presets }: SoundFont,
  { bank, program }: Pick<Preset, 'bank' | 'program'>,
): Preset | undefined {
  const isOfOtherKind = (preset: Preset): boolean =>
    (preset.bank === DRUM_BANK) !== (bank === DRUM_BANK)
  const distances = (preset: Preset): readonly number[] => [
    Number(isOfOtherKind(preset)),
    Math.abs(preset.program - program),
    Math.abs(preset.bank - bank),
  ]
  const [first, ...others] = presets
  if (first === undefined) return undefined
  return others.reduce(
    (best, preset) => (isLess(distances(preset), distances(best)) ? preset : best),
    first,
  )
}

/** The first difference decides. */
function isLess(one: readonly number[], other: readonly number[]): boolean {
  const at = one.findIndex((value, index) => value !== other[index])
  return (one[at] ?? 0) < (other[at] ?? 0)
}
