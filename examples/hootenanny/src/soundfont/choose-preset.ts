import type { Preset, SoundFont } from './soundfont.ts'

/** The bank that SoundFonts keep for drums. */
export const DRUM_BANK = 128

/** Banks and programs are numbers of 16 bits, so that a difference in the one is never outweighed by the other. */
const PROGRAM_WEIGHT = 2 ** 16
const KIND_WEIGHT = 2 ** 32

/**
 * The preset with a number, or the nearest that there is: drums for drums if possible, then the nearest program, for its
 * neighbours are of its family, then the nearest bank.
 */
export function choosePreset(
  { presets }: SoundFont,
  { bank, program }: Pick<Preset, 'bank' | 'program'>,
): Preset {
  const distance = (preset: Preset): number => {
    const isOfOtherKind = (preset.bank === DRUM_BANK) !== (bank === DRUM_BANK)
    return (
      (isOfOtherKind ? KIND_WEIGHT : 0) +
      Math.abs(preset.program - program) * PROGRAM_WEIGHT +
      Math.abs(preset.bank - bank)
    )
  }
  return presets.reduce((best, preset) => (distance(preset) < distance(best) ? preset : best))
}
