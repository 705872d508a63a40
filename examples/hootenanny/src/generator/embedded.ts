import { setTimeout as sleep } from 'node:timers/promises'
import { compose } from '../music/compose.ts'
import type { Plan } from '../music/compose.ts'
import { parseKey } from '../music/key.ts'
import { toMaterial } from '../music/material.ts'
import type { Material } from '../music/material.ts'
import { readMidi } from '../music/midi-reader.ts'
import { writeMidi } from '../music/midi-writer.ts'
import type { Piece } from '../music/piece.ts'
import { STYLES } from '../music/style.ts'
import type { GenerationContext, GenerationRequest, Generator, Variation } from './generator.ts'

/** What the model behind Orpheus spends on a note: when, what and how long. */
const TOKENS_PER_NOTE = 3

const PARTS_BY_MODEL = {
  base: 'all',
  bridge: 'all',
  children: 'tune and chords',
  mono_melodies: 'tune',
} as const

/**
 * A composer that needs no network and no model. `barMs` makes it write as slowly as a real one, for those who want to
 * see what happens meanwhile.
 */
export function createEmbeddedGenerator({
  barMs = 0,
}: { readonly barMs?: number } = {}): Generator {
  return {
    name: 'embedded',
    async generate(request, { signal, progress }: GenerationContext) {
      const total = request.bars * request.variations
      const variations: Variation[] = []
      for (let index = 0; index < request.variations; index += 1) {
        const written = index * request.bars
        const piece = await finish(compose(toPlan(request, index)), async (bars) => {
          progress(written + bars, total)
          await sleep(barMs, undefined, { signal })
        })
        const notes = piece.tracks.reduce((sum, track) => sum + track.notes.length, 0)
        variations.push({ midi: writeMidi(piece), tokens: notes * TOKENS_PER_NOTE })
      }
      return variations
    },
  }
}

async function finish(
  writing: globalThis.Generator<number, Piece>,
  afterBar: (bars: number) => Promise<void>,
): Promise<Piece> {
  for (;;) {
    const step = writing.next()
    if (step.done === true) return step.value
    await afterBar(step.value)
  }
}

function toPlan(request: GenerationRequest, index: number): Plan {
  const [from, to] = request.inputs.map((midi) => toMaterial(readMidi(midi)))
  const style = request.style ?? from?.style ?? 'folk'
  const key = parseKey(request.key ?? '') ?? from?.key ?? { tonic: 0, mode: STYLES[style].mode }
  return {
    seed: `${request.seed}/${index}`,
    style,
    key,
    tempo: request.tempo ?? from?.tempo ?? STYLES[style].tempo,
    bars: request.bars,
    sampling: { temperature: request.temperature, topP: request.topP },
    parts: PARTS_BY_MODEL[request.model],
    maxNotes: Math.floor(request.maxTokens / TOKENS_PER_NOTE),
    ...(request.task === 'loop' && { isLoop: true }),
    ...(from !== undefined && toDirections(request, from, to)),
  }
}

/** How new music follows from what is there. */
function toDirections(
  { task }: GenerationRequest,
  from: Material,
  to: Material | undefined,
): Partial<Plan> {
  const motif = from.motif && { motif: from.motif }
  if (task === 'generate_seeded') return { ...motif, fromPitch: from.firstPitch }
  if (task === 'continue') return { ...motif, fromPitch: from.lastPitch }
  // A bridge without a second side leads back to where the first began.
  const target = to ?? from
  return { fromPitch: from.lastPitch, to: { pitch: target.firstPitch, key: target.key } }
}
