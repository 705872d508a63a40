import type { Server } from '@waymark/baton'
import * as z from 'zod'
import { StudioError } from '../error.ts'
import { drumKeysOf, isDrumKit } from '../soundfont/drum-map.ts'
import { regionsOf, rootKeyOf, toStretch } from '../soundfont/region.ts'
import type { Region } from '../soundfont/region.ts'
import { readSoundFont } from '../soundfont/soundfont.ts'
import type { Preset, SoundFont } from '../soundfont/soundfont.ts'
import { SOUNDFONT } from '../store/contents.ts'
import type { Studio } from '../studio.ts'
import { ContentHash } from './fields.ts'

/** Regions that are shown of one preset; more would only fill the reader's memory. */
const MOST_SHOWN = 200
/** Drum kits whose keys are shown, for the same reason; files have some ten. */
const MOST_KITS = 32
const READ_ONLY = { annotations: { readOnlyHint: true } }

const PRESET_FIELDS = { bank: z.int(), program: z.int(), name: z.string() }
const Range = z.object({ low: z.int(), high: z.int() })

/** Looking into SoundFonts before playing with one. */
export function addSoundFontTools(server: Server, { contents }: Studio): void {
  const open = async (hash: string): Promise<SoundFont> =>
    readSoundFont(await contents.readAs(SOUNDFONT, hash))

  server.tool({
    name: 'soundfont_inspect',
    description: 'Lists the presets of a SoundFont, and what the keys of its drum kits strike',
    inputSchema: z.strictObject({
      soundfont_hash: ContentHash,
      include_drum_map: z.boolean().default(false),
    }),
    outputSchema: z.object({
      soundfont_hash: z.string(),
      name: z.string(),
      preset_count: z.int(),
      presets: z.array(z.object(PRESET_FIELDS)),
      has_drum_presets: z.boolean(),
      drum_map: z
        .array(
          z.object({
            ...PRESET_FIELDS,
            keys: z.array(
              z.object({ key: z.int(), name: z.string().optional(), sample: z.string() }),
            ),
          }),
        )
        .optional()
        .describe(`Of the first ${MOST_KITS} kits`),
      drum_kits_left_out: z
        .int()
        .optional()
        .describe('How many kits drum_map does not show; soundfont_preset_inspect does'),
    }),
    ...READ_ONLY,
    async run({ soundfont_hash, include_drum_map }) {
      const font = await open(soundfont_hash)
      const presets = font.presets
        .map(({ bank, program, name }) => ({ bank, program, name }))
        .toSorted((one, other) => one.bank - other.bank || one.program - other.program)
      const kits = font.presets.filter(isDrumKit)
      return {
        structuredContent: {
          soundfont_hash,
          name: font.name,
          preset_count: presets.length,
          presets,
          has_drum_presets: kits.length > 0,
          ...(include_drum_map && toDrumMap(font, kits)),
        },
      }
    },
  })

  server.tool({
    name: 'soundfont_preset_inspect',
    description: 'Says which samples a preset of a SoundFont plays, for which keys and velocities',
    inputSchema: z.strictObject({
      soundfont_hash: ContentHash,
      bank: z.int().min(0).max(0xffff).describe('128 for drum kits'),
      program: z.int().min(0).max(127),
    }),
    outputSchema: z.object({
      soundfont_hash: z.string(),
      ...PRESET_FIELDS,
      region_count: z.int(),
      regions: z
        .array(
          z.object({
            instrument: z.string(),
            sample: z.string(),
            keys: Range,
            velocities: Range,
            root_key: z.int(),
            sample_rate: z.int(),
            duration_secs: z.number(),
            is_looped: z.boolean(),
          }),
        )
        .describe(`The first ${MOST_SHOWN}`),
    }),
    ...READ_ONLY,
    async run({ soundfont_hash, bank, program }) {
      const font = await open(soundfont_hash)
      const preset = font.presets.find((one) => one.bank === bank && one.program === program)
      if (preset === undefined)
        throw new StudioError(
          `the SoundFont has no program ${program} in bank ${bank}; soundfont_inspect lists its presets`,
        )
      const regions: ReturnType<typeof toInfo>[] = []
      let count = 0
      for (const region of regionsOf(font, preset)) {
        if (count < MOST_SHOWN) regions.push(toInfo(font, region))
        count += 1
      }
      return {
        structuredContent: {
          soundfont_hash,
          bank,
          program,
          name: preset.name,
          region_count: count,
          regions,
        },
      }
    },
  })
}

function toDrumMap(font: SoundFont, kits: readonly Preset[]): object {
  const leftOut = Math.max(0, kits.length - MOST_KITS)
  return {
    drum_map: kits.slice(0, MOST_KITS).map((kit) => {
      const { bank, program, name } = kit
      return { bank, program, name, keys: drumKeysOf(font, kit) }
    }),
    ...(leftOut > 0 && { drum_kits_left_out: leftOut }),
  }
}

function toInfo({ frames }: SoundFont, region: Region) {
  const { instrument, sample, keys, velocities } = region
  const { start, end, loop } = toStretch(region, frames)
  return {
    instrument,
    sample: sample.name,
    keys,
    velocities,
    root_key: rootKeyOf(region),
    sample_rate: sample.rate,
    duration_secs: (end - start) / sample.rate,
    is_looped: loop !== undefined,
  }
}
