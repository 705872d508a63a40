import { violation } from '../../core/input/parse.ts'
import type { Environment } from '../../core/project/setting.ts'
import { readSetting } from '../../core/project/settings.ts'
import { createEndpointEmbedder } from './endpoint.ts'
import type { Embedder } from './embedder.ts'
import { SUBWORD } from './subword.ts'

/** Where a real model is found. The key itself is never a setting, only the name of the variable that holds it. */
export interface EmbeddingSettings {
  readonly url: string
  readonly model: string
  readonly keyVariable: string
  readonly rerank?: { readonly url: string; readonly model: string }
}

/** Undefined unless the environment names the address of a model. */
export function readEmbeddingSettings(env: Environment): EmbeddingSettings | undefined {
  const url = readSetting('embeddingUrl', { env })
  if (url === undefined) return undefined
  const model = readSetting('embeddingModel', { env })
  if (model === undefined)
    throw violation('WAYMARK_EMBEDDING_MODEL', 'required', 'is needed beside WAYMARK_EMBEDDING_URL')
  const rerankUrl = readSetting('rerankUrl', { env })
  const rerankModel = readSetting('rerankModel', { env })
  if (rerankUrl !== undefined && rerankModel === undefined)
    throw violation('WAYMARK_RERANK_MODEL', 'required', 'is needed beside WAYMARK_RERANK_URL')
  return {
    url,
    model,
    keyVariable: readSetting('embeddingKeyVariable', { env }),
    ...(rerankUrl !== undefined &&
      rerankModel !== undefined && { rerank: { url: rerankUrl, model: rerankModel } }),
  }
}

/** The model that the settings name, or the one that needs none. */
export function createEmbedder(
  settings: EmbeddingSettings | undefined,
  env: Environment,
): Embedder {
  if (settings === undefined) return SUBWORD
  const { url, model, keyVariable, rerank } = settings
  const key = env[keyVariable]
  if (rerank === undefined) return createEndpointEmbedder({ url, model, key })
  // A key is meant for the service that issued it.
  const shared = new URL(rerank.url).origin === new URL(url).origin ? key : undefined
  const rerankKey = readSetting('rerankKey', { env }) ?? shared
  return createEndpointEmbedder({ url, model, key, rerank: { ...rerank, key: rerankKey } })
}
