import { openStore } from '../core/store/open.ts'
import {
  createEmbedder,
  type EmbeddingSettings,
  readEmbeddingSettings,
} from '../search/semantic/settings.ts'
import type { FoundProject } from '../core/project/found-project.ts'
import { type Check, check } from './check.ts'

const PATIENCE_MS = 5_000

/** Whether the embedding model answers and has seen the texts. Says nothing where none is configured. */
export async function checkModel(
  { stateDir }: FoundProject,
  env: NodeJS.ProcessEnv = process.env,
): Promise<readonly Check[]> {
  const embedding = settingsIn(env)
  if (embedding === undefined) return []
  return [
    await check('embedding model', async () => {
      const embedder = createEmbedder(embedding, env)
      const { model } = embedder
      try {
        await embedder.embed(['waymark'], AbortSignal.timeout(PATIENCE_MS))
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error)
        return {
          status: 'warning',
          message: `${model} does not answer (${reason}); search goes by words alone`,
          fix: 'start the service, or check WAYMARK_EMBEDDING_URL and WAYMARK_EMBEDDING_MODEL',
        }
      }
      const store = await openStore(stateDir)
      const pending = await store.vectors.pending(model)
      await store.close()
      if (pending === 0) return { status: 'ok', message: `${model} answers and has seen all texts` }
      return {
        status: 'warning',
        message: `${model} answers; ${pending} texts wait for it`,
        fix: 'waymark cache rebuild, or leave it to a running waymark serve',
      }
    }),
  ]
}

/** Settings that make no sense are reported by a check of their own. */
function settingsIn(env: NodeJS.ProcessEnv): EmbeddingSettings | undefined {
  try {
    return readEmbeddingSettings(env)
  } catch {
    return undefined
  }
}
