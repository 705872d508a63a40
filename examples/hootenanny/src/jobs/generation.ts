import * as z from 'zod'
import { GENERATION_TASKS, MODELS } from '../generator/generator.ts'
import type { Generator } from '../generator/generator.ts'
import { STYLE_NAMES } from '../music/style.ts'
import type { Artifacts } from '../store/artifacts.ts'
import { MIDI } from '../store/contents.ts'
import type { Contents } from '../store/contents.ts'
import type { Work } from './job-runner.ts'

/** What a generation job is stored with: all that decides its outcome, its seed included. */
const StoredInput = z.object({
  task: z.enum(GENERATION_TASKS),
  model: z.enum(MODELS),
  temperature: z.number(),
  top_p: z.number(),
  max_tokens: z.int(),
  num_variations: z.int(),
  seed: z.int(),
  bars: z.int(),
  style: z.enum(STYLE_NAMES).optional(),
  key: z.string().optional(),
  tempo: z.number().optional(),
  input_hashes: z.array(z.string()),
  parent_id: z.string().optional(),
  variation_set_id: z.string(),
  tags: z.array(z.string()),
  creator: z.string(),
})
export type GenerationInput = z.infer<typeof StoredInput>

/** What a finished generation job gives. */
export const GenerationResult = z.object({
  status: z.literal('complete'),
  output_hashes: z.array(z.string()),
  artifact_ids: z.array(z.string()),
  summary: z.string(),
  variation_set_id: z.string(),
  variation_indices: z.array(z.int()),
})

/** Makes music and puts every variation on the shelf as an artifact. */
export function createGenerationWork(parts: {
  readonly generator: Generator
  readonly contents: Contents
  readonly artifacts: Artifacts
}): Work {
  const { generator, contents, artifacts } = parts
  return async (job, { signal, progress }) => {
    const input = StoredInput.parse(job.input)
    const variations = await generator.generate(
      {
        ...input,
        topP: input.top_p,
        maxTokens: input.max_tokens,
        variations: input.num_variations,
        inputs: await Promise.all(input.input_hashes.map((hash) => contents.readAs(MIDI, hash))),
      },
      { jobId: job.id, signal, progress },
    )
    const stored: { readonly hash: string; readonly tokens: number }[] = []
    for (const { midi, tokens } of variations) {
      const { hash } = await contents.put(midi, MIDI, { signal })
      stored.push({ hash, tokens })
    }
    return () => {
      const added = stored.map(({ hash, tokens }) =>
        artifacts.add({
          hash,
          parentId: input.parent_id,
          variationSetId: input.variation_set_id,
          tags: ['type:midi', 'phase:generation', `tool:${job.tool}`, ...input.tags],
          creator: input.creator,
          data: { hash, tokens, generator: generator.name, job_id: job.id, ...toFacts(input) },
        }),
      )
      return {
        status: 'complete',
        output_hashes: stored.map(({ hash }) => hash),
        artifact_ids: added.map(({ id }) => id),
        summary: `${stored.length} of ${input.num_variations} variations by the ${generator.name} generator`,
        variation_set_id: input.variation_set_id,
        variation_indices: added.map(({ variation_index }) => variation_index ?? 0),
      } satisfies z.infer<typeof GenerationResult>
    }
  }
}

/** Provenance of an artifact: the inputs needed to reproduce it. */
function toFacts(input: GenerationInput): object {
  const { task, model, temperature, top_p, seed, bars, style, key, tempo } = input
  return { task, model, temperature, top_p, seed, bars, style, key, tempo }
}
