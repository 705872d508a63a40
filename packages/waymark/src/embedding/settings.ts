import { violation } from '../parse.ts'
import { createEndpointEmbedder } from './endpoint.ts'
import type { Embedder } from './embedder.ts'
import { SUBWORD } from './subword.ts'

/** Where a real model is found. The key itself is never a setting, only the name of the variable that holds it. */
export interface EmbeddingSettings {
  readonly url: string
  readonly model: string
  readonly keyVariable: string
}

type Environment = Readonly<Record<string, string | undefined>>

/**
 * Reads the settings from the environment, which is the user's own. A project's file comes with a clone: it cannot say
 * where the texts and the key are sent, not even on this machine, where anything may listen.
 */
export function readEmbeddingSettings(env: Environment): EmbeddingSettings | undefined {
  const url = env['WAYMARK_EMBEDDING_URL']
  if (url === undefined || url === '') return undefined
  const model = env['WAYMARK_EMBEDDING_MODEL'] ?? ''
  if (model === '') {
    throw violation('WAYMARK_EMBEDDING_MODEL', 'required', 'is needed beside WAYMARK_EMBEDDING_URL')
  }
  const keyVariable = env['WAYMARK_EMBEDDING_KEY_VARIABLE'] ?? 'WAYMARK_EMBEDDING_KEY'
  return { url: checkedAddress(url, 'WAYMARK_EMBEDDING_URL'), model, keyVariable }
}

function checkedAddress(value: string, field: string): string {
  const url = URL.canParse(value) ? new URL(value) : undefined
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return value
  throw violation(field, 'bad_format', 'must be an http or https address')
}

/** The model that the settings name, or the one that needs none. */
export function createEmbedder(
  settings: EmbeddingSettings | undefined,
  env: Environment,
): Embedder {
  if (settings === undefined) return SUBWORD
  const { url, model, keyVariable } = settings
  return createEndpointEmbedder({ url, model, key: env[keyVariable] })
}
