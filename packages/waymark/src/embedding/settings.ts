import { violation } from '../parse.ts'
import { createEndpointEmbedder } from './endpoint.ts'
import type { Embedder } from './embedder.ts'
import { SUBWORD } from './subword.ts'

/** Where a real model is found. The key itself is never a setting, only the name of the variable that holds it. */
export interface EmbeddingSettings {
  readonly url: string
  readonly model: string
  readonly keyVariable?: string
}

type Environment = Readonly<Record<string, string | undefined>>

/**
 * Reads the settings. The environment is the user's own. The file comes with the repository, from anywhere: it may
 * name a model on this machine, but it cannot send the project's texts, or a key, to somebody else.
 */
export function readEmbeddingSettings(
  file: unknown,
  env: Environment,
): EmbeddingSettings | undefined {
  const url = env['WAYMARK_EMBEDDING_URL']
  if (url === undefined || url === '') return fromFile(file, env)
  const model = env['WAYMARK_EMBEDDING_MODEL'] ?? ''
  if (model === '') {
    throw violation('WAYMARK_EMBEDDING_MODEL', 'required', 'is needed beside WAYMARK_EMBEDDING_URL')
  }
  const keyVariable = env['WAYMARK_EMBEDDING_KEY_VARIABLE'] ?? 'WAYMARK_EMBEDDING_KEY'
  return { url: checkedAddress(url, 'WAYMARK_EMBEDDING_URL'), model, keyVariable }
}

function fromFile(file: unknown, env: Environment): EmbeddingSettings | undefined {
  if (file === undefined) return undefined
  const { url, model } =
    typeof file === 'object' && file !== null ? ({ ...file } as Record<string, unknown>) : {}
  if (typeof url !== 'string' || typeof model !== 'string' || model === '') {
    throw violation('embedding', 'wrong_type', 'must be an object with url and model')
  }
  const address = checkedAddress(url, 'embedding.url')
  if (!LOOPBACK.test(new URL(address).hostname)) {
    throw violation(
      'embedding.url',
      'not_one_of',
      'may only name this machine; for another one set WAYMARK_EMBEDDING_URL and WAYMARK_EMBEDDING_MODEL in the environment',
    )
  }
  return { url: address, model: env['WAYMARK_EMBEDDING_MODEL'] ?? model }
}

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/

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
  return createEndpointEmbedder({
    url,
    model,
    key: keyVariable === undefined ? undefined : env[keyVariable],
  })
}
