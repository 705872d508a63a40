import type { Server } from '@waymark/baton'
import { createHttpServer } from '@waymark/baton/http'
import type { HttpServer, SessionStore } from '@waymark/baton/http'
import { complete } from './completion.ts'
import { isOver } from './jobs/job.ts'
import { addMusicPrompts } from './prompts/music-prompts.ts'
import { addStudioPrompts } from './prompts/studio-prompts.ts'
import { addArtifactResources } from './resources/artifact-resources.ts'
import { addContentResources } from './resources/content-resources.ts'
import { addGraphResources } from './resources/graph-resources.ts'
import type { Studio } from './studio.ts'
import { addContentTools } from './tools/content-tools.ts'
import { addGenerationTools, waitForJob } from './tools/generation-tools.ts'
import { addGraphTools } from './tools/graph-tools.ts'
import { toJobInfo } from './tools/job-info.ts'
import { addJobTools } from './tools/job-tools.ts'
import { addRenderTools } from './tools/render-tools.ts'
import { addSoundFontTools } from './tools/soundfont-tools.ts'

export const VERSION = '0.1.0'

/** What the server needs from its surroundings. */
export interface StudioServerOptions {
  /** Where sessions are kept, and tasks, which must live as long as the jobs behind them. */
  readonly sessions: SessionStore
  /** The names under which the studio may be called. */
  readonly allowedHosts: readonly string[]
  /** Where a content is served. */
  readonly urlOf: (hash: string) => string
  /** Milliseconds until a task counts as abandoned whose process is gone. */
  readonly leaseMs?: number | undefined
}

/** Offers a studio to MCP clients: this is all that the application says to baton. */
export function createStudioServer(studio: Studio, options: StudioServerOptions): HttpServer {
  const { sessions, allowedHosts, urlOf, leaseMs } = options
  const server = createHttpServer({
    name: 'hootenanny',
    version: VERSION,
    instructions:
      'A music studio. Describe the devices with graph_bind, graph_tag and graph_connect. Make music with the ' +
      'orpheus tools, wait for it with poll, and play it with midi_to_wav. Everything made is under artifacts://.',
    // No authentication: the server listens on loopback only.
    http: { authenticator: 'none', store: sessions, allowedHosts },
    tasks: {
      records: sessions.records,
      resume: (jobId, signal) => waitForJob(studio, jobId, signal),
      ...(leaseMs !== undefined && { leaseMs }),
    },
  })
  addGraphTools(server, studio)
  addContentTools(server, studio, urlOf)
  addGenerationTools(server, studio)
  addRenderTools(server, studio)
  addSoundFontTools(server, studio)
  addJobTools(server, studio)
  addGraphResources(server, studio)
  addArtifactResources(server, studio)
  addContentResources(server, studio, urlOf)
  addMusicPrompts(server, studio)
  addStudioPrompts(server, studio)
  server.completion((request) => complete(studio, request))
  tellOfJobs(server, studio)
  return server
}

/** Lets clients hear of jobs that begin and end, and of what they leave behind. */
function tellOfJobs(server: Server, { jobs }: Studio): void {
  jobs.watch((job) => {
    // Progress is for those who wait for a job; see `poll`.
    if (job.progress !== undefined) return
    server.notify.log('info', toJobInfo(job), 'jobs')
    if (!isOver(job)) return
    server.notify.resourceUpdated('artifacts://recent')
    server.notify.resourceUpdated('artifacts://summary')
  })
}
