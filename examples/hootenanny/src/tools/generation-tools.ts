import { randomInt, randomUUID } from 'node:crypto'
import type { CallContext, ErrorResult, Server, StructuredResult } from '@waymark/baton'
import * as z from 'zod'
import { StudioError } from '../error.ts'
import type { GenerationInput } from '../jobs/generation.ts'
import { KEY_PATTERN } from '../music/key.ts'
import { STYLE_NAMES } from '../music/style.ts'
import { MIDI } from '../store/contents.ts'
import type { Studio } from '../studio.ts'
import { ARTIFACT_FIELDS, ContentHash } from './fields.ts'
import { JobInfo, toJobInfo, toJobResult } from './job-info.ts'

const Model = z.enum(['base', 'children', 'mono_melodies'])

/** How freely the generator chooses, as language models are told. */
const SAMPLING_FIELDS = {
  temperature: z.number().min(0).max(2).default(1),
  top_p: z.number().min(0).max(1).default(0.95),
  max_tokens: z.int().min(1).max(100_000).default(1024).describe('About three for each note'),
  seed: z
    .int()
    .min(0)
    .optional()
    .describe('The same seed gives the same music; chosen by chance if absent'),
}

/** What the music should be like; only the embedded generator listens to these. */
const MUSIC_FIELDS = {
  style: z.enum(STYLE_NAMES).optional(),
  key: z.string().regex(KEY_PATTERN, 'must be a key such as C, F# minor or Bbm').optional(),
  tempo: z.number().min(20).max(300).optional().describe('Beats per minute'),
  bars: z.int().min(1).max(512).default(8),
}

const VARIATIONS = { num_variations: z.int().min(1).max(16).default(1) }
const COMMON_FIELDS = { ...SAMPLING_FIELDS, ...MUSIC_FIELDS, ...ARTIFACT_FIELDS }
const GENERATE_FIELDS = { model: Model.default('base'), ...VARIATIONS, ...COMMON_FIELDS }

/** What a tool asks for; what it leaves out is chosen here. */
type Request = Omit<GenerationInput, 'seed' | 'variation_set_id'> & {
  readonly tool: string
  readonly seed?: number | undefined
  readonly variation_set_id?: string | undefined
}

/** Making music. It takes its time, so every tool here starts a job. */
export function addGenerationTools(server: Server, studio: Studio): void {
  server.tool({
    name: 'orpheus_generate',
    description: 'Starts a job that makes new music as MIDI files',
    inputSchema: z.strictObject(GENERATE_FIELDS),
    outputSchema: JobInfo,
    run: (input, context) =>
      start(studio, context, {
        ...input,
        tool: 'orpheus_generate',
        task: 'generate',
        input_hashes: [],
      }),
  })

  server.tool({
    name: 'orpheus_generate_seeded',
    description: 'Starts a job that makes new music from the idea of a MIDI file',
    inputSchema: z.strictObject({ seed_hash: ContentHash, ...GENERATE_FIELDS }),
    outputSchema: JobInfo,
    run({ seed_hash, ...input }, context) {
      const kind = { tool: 'orpheus_generate_seeded', task: 'generate_seeded' } as const
      return start(studio, context, { ...input, ...kind, input_hashes: [seed_hash] })
    },
  })

  server.tool({
    name: 'orpheus_continue',
    description: 'Starts a job that goes on with a MIDI file; the result has the new bars only',
    inputSchema: z.strictObject({ input_hash: ContentHash, ...GENERATE_FIELDS }),
    outputSchema: JobInfo,
    run({ input_hash, ...input }, context) {
      const kind = { tool: 'orpheus_continue', task: 'continue' } as const
      return start(studio, context, { ...input, ...kind, input_hashes: [input_hash] })
    },
  })

  server.tool({
    name: 'orpheus_bridge',
    description:
      'Starts a job that leads from one MIDI file to another, or back to its own beginning',
    inputSchema: z.strictObject({
      section_a_hash: ContentHash,
      section_b_hash: ContentHash.optional(),
      model: z.literal('bridge').default('bridge'),
      ...COMMON_FIELDS,
    }),
    outputSchema: JobInfo,
    run({ section_a_hash, section_b_hash, ...input }, context) {
      const kind = { tool: 'orpheus_bridge', task: 'bridge', num_variations: 1 } as const
      const input_hashes = [section_a_hash, section_b_hash].filter((hash) => hash !== undefined)
      return start(studio, context, { ...input, ...kind, input_hashes })
    },
  })

  server.tool({
    name: 'orpheus_loops',
    description: 'Starts a job that makes music whose end leads back to its beginning',
    inputSchema: z.strictObject(GENERATE_FIELDS),
    outputSchema: JobInfo,
    run: (input, context) =>
      start(studio, context, { ...input, tool: 'orpheus_loops', task: 'loop', input_hashes: [] }),
  })
}

/**
 * Starts a job and answers with it. A client that knows tasks gets a task instead, whose result is the finished job;
 * the job's id is its ticket, so that the task outlives this process as the job does.
 */
async function start(
  studio: Studio,
  { becomeTask, signal }: CallContext,
  { tool, ...request }: Request,
): Promise<StructuredResult<JobInfo> | ErrorResult> {
  const { task, input_hashes } = request
  const reason = studio.generator.refusal?.({ task, inputs: input_hashes.length })
  if (reason !== undefined) throw new StudioError(reason)
  for (const hash of input_hashes) await studio.contents.readAs(MIDI, hash)
  const job = studio.jobs.submit(tool, {
    ...request,
    seed: request.seed ?? randomInt(2 ** 32),
    variation_set_id: request.variation_set_id ?? randomUUID(),
    parent_id: findParent(studio, request),
  } satisfies GenerationInput)
  try {
    if (await becomeTask({ ticket: job.id })) return await waitForJob(studio, job.id, signal)
  } catch (error) {
    studio.jobs.cancel(job.id)
    throw error
  }
  const message = 'poll waits for the job, get_job_status tells how far it is'
  return { structuredContent: toJobInfo(job, message) }
}

/** The artifact that the music is made from: the one that was named, or the latest with the same content. */
function findParent(
  { artifacts }: Studio,
  { parent_id, input_hashes: [source] }: Pick<GenerationInput, 'parent_id' | 'input_hashes'>,
): string | undefined {
  if (parent_id !== undefined) return artifacts.get(parent_id).id
  return source === undefined ? undefined : artifacts.ofContent(source)?.id
}

/** Waits for a job on behalf of a task; cancelling the task cancels the job. */
export async function waitForJob(
  { jobs }: Studio,
  id: string,
  signal: AbortSignal,
): Promise<StructuredResult<JobInfo> | ErrorResult> {
  try {
    return toJobResult(await jobs.finished(id, signal))
  } catch (error) {
    if (signal.aborted) jobs.cancel(id)
    throw error
  }
}
