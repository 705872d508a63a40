import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads'
import { createContext } from '../../core/context.ts'
import { Failure, toFailureReport } from '../../core/error.ts'
import { SILENT } from '../../support/logger.ts'
import { runWith } from '../../core/execute.ts'
import type { Operation } from '../../core/operation.ts'
import { verifyAnnotations } from '../../annotation/rewrite/verify.ts'
import { checkHealth } from '../../health/operations.ts'
import { checkStore } from '../../integrity/operations.ts'
import { rebuildCache } from '../../project/cache.ts'
import { runSync } from '../../sync/operations.ts'
import { loadConfig } from '../../core/project/config.ts'
import { openProject } from '../../core/project/project.ts'
import { SemanticIndex } from '../../search/semantic/semantic-index.ts'
import { createEmbedder } from '../../search/semantic/settings.ts'
import type { OperationCall, OperationNews } from '../../core/worker/operation-call.ts'

const OPERATIONS: readonly Operation[] = [
  checkStore,
  checkHealth,
  verifyAnnotations,
  runSync,
  rebuildCache,
]

const call = workerData as OperationCall
const cancelled = new AbortController()

// Any message means that the call was cancelled. While the operation runs, the queue is read by `progress`.
parentPort?.on('message', () => cancelled.abort())
post(await run())
parentPort?.close()

async function run(): Promise<OperationNews> {
  const operation = OPERATIONS.find(({ name }) => name === call.operation)
  if (operation === undefined) throw new Error(`no worker runs ${call.operation}`)
  try {
    await using project = await openProject(call.root)
    const config = loadConfig(project.root, process.env)
    const context = createContext({
      store: project.store,
      code: { ...project.code, ...call.noteRefs },
      project: { root: project.root, state: project.state },
      agent: call.agent,
      logger: SILENT,
      semantic: new SemanticIndex(createEmbedder(config.embedding, process.env)),
      coordination: config.coordination,
      allowedSecrets: config.allowedSecrets,
      signal: cancelled.signal,
      progress,
    })
    const { repeatable } = call
    const repeated = repeatable === undefined ? context : { ...context, repeatable }
    return { output: await runWith(repeated, operation, operation.input.parse(call.input)) }
  } catch (error) {
    if (error instanceof Failure) return { failure: toFailureReport(error) }
    throw error
  }
}

function progress(...step: readonly [number, number, string]): void {
  post({ progress: step })
  // The operation may not return to the event loop for a long time.
  if (parentPort !== null && receiveMessageOnPort(parentPort) !== undefined) cancelled.abort()
}

function post(news: OperationNews): void {
  parentPort?.postMessage(news)
}
