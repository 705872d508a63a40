import type { StyleName } from '../music/style.ts'

/** What kind of music is asked for. */
export const GENERATION_TASKS = [
  'generate',
  'generate_seeded',
  'continue',
  'bridge',
  'loop',
] as const
type GenerationTask = (typeof GENERATION_TASKS)[number]

export const MODELS = ['base', 'children', 'mono_melodies', 'bridge'] as const
type Model = (typeof MODELS)[number]

/** A request for music. With the same seed an embedded generator gives the same answer. */
export interface GenerationRequest {
  readonly task: GenerationTask
  readonly model: Model
  readonly temperature: number
  readonly topP: number
  readonly maxTokens: number
  readonly variations: number
  readonly seed: number
  readonly style?: StyleName | undefined
  readonly key?: string | undefined
  readonly tempo?: number | undefined
  readonly bars: number
  /** MIDI files to go on from: the one to continue, or the two sides of a bridge. */
  readonly inputs: readonly Uint8Array[]
}

/** One answer to a request. */
export interface Variation {
  readonly midi: Uint8Array
  readonly tokens: number
}

/** What a generator needs to know about the job it works for. */
export interface GenerationContext {
  readonly jobId: string
  readonly signal: AbortSignal
  readonly progress: (done: number, total: number) => void
}

/** What is known of a request before its inputs are read. */
export interface GenerationKind {
  readonly task: GenerationTask
  /** How many MIDI files it goes on from. */
  readonly inputs: number
}

/** Something that makes music. */
export interface Generator {
  readonly name: string
  /** Why it cannot do what is asked; undefined if it can. */
  refusal?(kind: GenerationKind): string | undefined
  generate(request: GenerationRequest, context: GenerationContext): Promise<readonly Variation[]>
}
