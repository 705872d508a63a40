import { join } from 'node:path'
import { loadConfig } from '../../../core/project/config.ts'
import { Failure } from '../../../core/error.ts'
import { openPool, openPostgres } from '../../../core/postgres/open.ts'
import { toFailure } from '../../../core/postgres/failures.ts'
import type { Pool } from '../../../core/postgres/pool.ts'
import { traceEngine } from '../../../core/store/traced-engine.ts'
import { createStore } from '../../../core/store/store.ts'
import type { HostedInfo } from '../../../core/context.ts'
import { openContents } from '../../../artifact/content/store.ts'
import { ContentRefs } from '../../../team/content-refs.ts'
import { listProjects, type TeamProject } from '../../../team/projects.ts'
import { LATEST_TEAM_VERSION, readTeamVersion } from '../../../team/schema.ts'
import { KnownQuotas } from '../../../team/quotas.ts'
import { RequestMeter } from '../../../team/request-meter.ts'
import { createRoom } from '../../../team/room.ts'
import { findToken } from '../../../team/tokens.ts'
import { withTeamTokens } from '../../http/team/team-authentication.ts'
import { createTeamDirectory } from '../../http/team/team-directory.ts'
import { type HostedProject, type HostingOptions, openOnce } from './hosted-project.ts'
import type { Hosting } from './hosting.ts'
import type { DatabaseSettings } from '../http-settings.ts'
import { openTeamSessions } from './team-sessions.ts'

/** All projects of a database, also those that are created while it is served. */
export async function hostDatabase(
  settings: DatabaseSettings,
  options: HostingOptions,
): Promise<Hosting> {
  const shared = openPool(settings.url, settings.connections)
  const { pool } = shared
  const quotas = new KnownQuotas(pool)
  const meter = new RequestMeter(pool, quotas)
  const artifacts = await openArtifacts(settings, { env: options.env, pool })
  const hosted = new Map<string, HostedProject>()
  const stores: AsyncDisposable[] = [shared]
  const host = (project: TeamProject): HostedProject => {
    const known =
      hosted.get(project.id) ??
      hostProject(project, { settings, options, stores, quotas, artifacts, pool })
    hosted.set(project.id, known)
    return known
  }
  const dispose = async (): Promise<void> => {
    for (const one of [...hosted.values(), ...stores.toReversed()]) await one[Symbol.asyncDispose]()
  }
  try {
    await assertPrepared(pool)
    return {
      directory: createTeamDirectory({ pool, host, quotas, meter, roleClaim: settings.roleClaim }),
      withTokens: (authentication) =>
        withTeamTokens(authentication, (token) => findToken(pool, token)),
      projects: (await listProjects(pool)).map(({ name }) => ({ name })),
      [Symbol.asyncDispose]: dispose,
    }
  } catch (error) {
    await dispose()
    throw toFailure(error)
  }
}

interface Surroundings {
  readonly settings: DatabaseSettings
  readonly options: HostingOptions
  /** Closed with the server. */
  readonly stores: AsyncDisposable[]
  readonly quotas: KnownQuotas
  readonly artifacts: ((projectId: string) => OpenContents) | undefined
  readonly pool: Pool
}

function hostProject(
  { id, name }: TeamProject,
  { settings: { url }, options, stores, quotas, artifacts, pool }: Surroundings,
): HostedProject {
  return {
    name,
    readId: () => id,
    ...openOnce(options, async () => {
      const opened = await openPostgres(id, url)
      const engine = options.span === undefined ? opened : traceEngine(opened, options.span)
      const store = createStore(engine)
      stores.push(store)
      const project = {
        store,
        userName: async () => null,
        [Symbol.asyncDispose]: () => store.close(),
      }
      const config = loadConfig(undefined, options.env, options.flags)
      const contents = artifacts === undefined ? {} : { contents: artifacts(id) }
      return {
        project,
        config,
        hosted: { name, ...contents, admit: createRoom(id, engine, quotas) },
        openSharedSessions: (endpoint) => openTeamSessions(pool, id, endpoint),
      }
    }),
  }
}

type OpenContents = NonNullable<HostedInfo['contents']>

/** In a folder that all replicas share, or in a bucket. */
async function openArtifacts(
  { artifacts }: DatabaseSettings,
  { env, pool }: { readonly env: HostingOptions['env']; readonly pool: Pool },
): Promise<((projectId: string) => OpenContents) | undefined> {
  if (artifacts === undefined) return undefined
  if (!artifacts.startsWith('s3://'))
    return (projectId) => (limit) => openContents(join(artifacts, projectId), limit)
  const { Bucket, parseBucket } = await import('../../../artifact/s3/bucket.ts')
  const { createSharedContents } = await import('../../../artifact/s3/s3-contents.ts')
  const bucket = new Bucket(parseBucket(artifacts, env))
  return (projectId) => {
    const refs = new ContentRefs(pool, projectId)
    return (limit) => createSharedContents({ bucket, refs, projectId, limit })
  }
}

async function assertPrepared(pool: Pool): Promise<void> {
  const version = await pool.use((client) => readTeamVersion(client))
  if (version === undefined)
    throw new Failure('not_initialised', 'the database has no projects; run `waymark admin init`')
  if (version < LATEST_TEAM_VERSION)
    throw new Failure('storage_unavailable', 'the database is older; run `waymark admin migrate`')
}
