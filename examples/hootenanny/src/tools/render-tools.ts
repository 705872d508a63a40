import type { Server } from '@waymark/baton'
import * as z from 'zod'
import { render } from '../audio/render.ts'
import { readMidi } from '../music/midi-reader.ts'
import { readSoundFont } from '../soundfont/soundfont.ts'
import { MIDI, SOUNDFONT, WAV } from '../store/contents.ts'
import type { Studio } from '../studio.ts'
import { ARTIFACT_FIELDS, ContentHash } from './fields.ts'

/** Making music audible. */
export function addRenderTools(server: Server, studio: Studio): void {
  const { contents, artifacts } = studio
  server.tool({
    name: 'midi_to_wav',
    description: 'Plays a MIDI file into a WAV file, with a SoundFont or the built-in synthesiser',
    inputSchema: z.strictObject({
      input_hash: ContentHash,
      soundfont_hash: ContentHash.optional().describe(
        'A SoundFont 2 file, stored as audio/x-soundfont; the synthesiser plays if absent',
      ),
      sample_rate: z.int().min(8000).max(96_000).default(44_100),
      ...ARTIFACT_FIELDS,
    }),
    outputSchema: z.object({
      artifact_id: z.string(),
      hash: z.string(),
      size_bytes: z.int(),
      duration_secs: z.number(),
      sample_rate: z.int(),
    }),
    async run({ input_hash, soundfont_hash, sample_rate, ...input }, { signal, progress }) {
      const piece = readMidi(await contents.readAs(MIDI, input_hash))
      const soundFont =
        soundfont_hash === undefined
          ? undefined
          : readSoundFont(await contents.readAs(SOUNDFONT, soundfont_hash))
      const recording = await render(piece, {
        sampleRate: sample_rate,
        soundFont,
        limit: contents.limit,
        signal,
        progress,
      })
      const { hash, size } = await contents.put(recording.wav, WAV, { signal })
      const artifact = studio.transaction(() =>
        artifacts.add({
          hash,
          parentId: input.parent_id ?? artifacts.ofContent(input_hash)?.id,
          variationSetId: input.variation_set_id,
          tags: ['type:audio', 'phase:rendering', 'tool:midi_to_wav', ...input.tags],
          creator: input.creator,
          data: {
            hash,
            input_hash,
            ...(soundfont_hash !== undefined && { soundfont_hash }),
            sample_rate,
            duration_secs: recording.seconds,
          },
        }),
      )
      server.notify.resourceUpdated('artifacts://recent')
      server.notify.resourceUpdated('artifacts://summary')
      return {
        structuredContent: {
          artifact_id: artifact.id,
          hash,
          size_bytes: size,
          duration_secs: recording.seconds,
          sample_rate,
        },
      }
    },
  })
}
