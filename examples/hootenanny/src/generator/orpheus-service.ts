import { setTimeout as sleep } from 'node:timers/promises'
import * as z from 'zod'
import { StudioError } from '../error.ts'
import { readMidi } from '../music/midi-reader.ts'
import type {
  GenerationContext,
  GenerationKind,
  GenerationRequest,
  Generator,
} from './generator.ts'

const MAX_ATTEMPTS = 10
const DEFAULT_WAIT_SECONDS = 5
const LONGEST_WAIT_SECONDS = 60

const Prediction = z.object({
  variations: z.array(z.object({ midi_base64: z.base64(), num_tokens: z.int().min(0) })).min(1),
})

/** The Orpheus model behind its HTTP service. */
export function createOrpheusService(baseUrl: string): Generator {
  const url = new URL('/predict', baseUrl)
  return {
    name: 'orpheus',
    refusal,
    async generate(request, context) {
      const reason = refusal({ task: request.task, inputs: request.inputs.length })
      if (reason !== undefined) throw new StudioError(reason)
      const answer = await predict(url, toBody(request, context.jobId), context)
      context.progress(1, 1)
      return Prediction.parse(answer).variations.map(({ midi_base64, num_tokens }) => {
        const midi = new Uint8Array(Buffer.from(midi_base64, 'base64'))
        // What a service calls MIDI is believed only after it could be read.
        readMidi(midi)
        return { midi, tokens: num_tokens }
      })
    },
  }
}

/** The service takes one MIDI file, and knows nothing of loops. */
function refusal({ task, inputs }: GenerationKind): string | undefined {
  if (task === 'loop') return 'the Orpheus service makes no loops; the embedded generator does'
  if (inputs > 1)
    return 'the Orpheus service bridges from one section only; leave section_b_hash out, or use the embedded generator'
  return undefined
}

/** Asks again for as long as the service says that it is busy. */
async function predict(url: URL, body: object, { signal }: GenerationContext): Promise<unknown> {
  for (let attempt = 1; ; attempt += 1) {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      redirect: 'error',
      signal,
    })
    if (response.ok) return await response.json()
    await response.body?.cancel()
    if (response.status !== 429 || attempt === MAX_ATTEMPTS)
      throw new Error(`the Orpheus service answered with status ${response.status}`)
    await sleep(toWait(response.headers.get('retry-after')) * 1000, undefined, { signal })
  }
}

function toWait(retryAfter: string | null): number {
  const seconds = Number(retryAfter ?? DEFAULT_WAIT_SECONDS)
  return Number.isFinite(seconds) && seconds >= 0
    ? Math.min(seconds, LONGEST_WAIT_SECONDS)
    : DEFAULT_WAIT_SECONDS
}

function toBody(request: GenerationRequest, jobId: string): object {
  const [input] = request.inputs
  return {
    model: request.model,
    task: request.task,
    temperature: request.temperature,
    top_p: request.topP,
    max_tokens: request.maxTokens,
    num_variations: request.variations,
    client_job_id: jobId,
    ...(input !== undefined && { midi_input: Buffer.from(input).toString('base64') }),
  }
}
