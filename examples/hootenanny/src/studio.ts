import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Generator } from './generator/generator.ts'
import { createGenerationWork } from './jobs/generation.ts'
import { JobRunner } from './jobs/job-runner.ts'
import { JobStore } from './jobs/job-store.ts'
import { Artifacts } from './store/artifacts.ts'
import { AudioGraph } from './store/audio-graph.ts'
import { Contents } from './store/contents.ts'
import { openStudioDatabase } from './store/database.ts'
import { lockState } from './store/state-lock.ts'

/** What a studio is made of; nothing in it knows of MCP or HTTP. */
export interface Studio extends AsyncDisposable {
  readonly graph: AudioGraph
  readonly artifacts: Artifacts
  readonly contents: Contents
  readonly jobs: JobRunner
  readonly generator: Generator
  /** The only folder that `upload_file` reads from. */
  readonly uploadsFolder: string
  /** All of the changes, or none. */
  readonly transaction: <T>(change: () => T) => T
}

export interface StudioOptions {
  /** Where everything is kept. */
  readonly stateFolder: string
  readonly generator: Generator
  readonly uploadsFolder?: string | undefined
  /** Most bytes of one content. */
  readonly contentLimit?: number | undefined
  /** Epoch milliseconds. */
  readonly now?: () => number
}

const DEFAULT_CONTENT_LIMIT = 128 * 1024 * 1024

/** Opens a studio; `jobs.start()` then goes on with what was left unfinished. */
export async function openStudio(options: StudioOptions): Promise<Studio> {
  const { stateFolder, generator, now = Date.now } = options
  const { uploadsFolder = join(stateFolder, 'inbox') } = options
  for (const folder of [stateFolder, uploadsFolder])
    mkdirSync(folder, { recursive: true, mode: 0o700 })
  const lock = lockState(join(stateFolder, 'studio.lock'))
  const database = await openStudioDatabase(join(stateFolder, 'studio.db')).catch((error) => {
    lock[Symbol.dispose]()
    throw error
  })
  const limit = options.contentLimit ?? DEFAULT_CONTENT_LIMIT
  const contents = new Contents(join(stateFolder, 'cas'), limit, database)
  const artifacts = new Artifacts(database, now)
  const work = createGenerationWork({ generator, contents, artifacts })
  const jobs = new JobRunner({ store: new JobStore(database, now), work })
  return {
    graph: new AudioGraph(database, now),
    artifacts,
    contents,
    jobs,
    generator,
    uploadsFolder,
    transaction: (change) => database.transaction(change),
    async [Symbol.asyncDispose]() {
      await jobs[Symbol.asyncDispose]()
      database.close()
      lock[Symbol.dispose]()
    },
  }
}
