import { basename } from 'node:path'
import type { SessionStore } from '@waymark/baton/http'
import { type Config, ignoredSettings, loadConfig } from '../../../core/project/config.ts'
import { startEmbedding } from '../../../search/semantic/background.ts'
import { SemanticIndex } from '../../../search/semantic/semantic-index.ts'
import { createEmbedder } from '../../../search/semantic/settings.ts'
import type { Context, HostedInfo } from '../../../core/context.ts'
import { Failure } from '../../../core/error.ts'
import type { Remote } from '../../../core/remote.ts'
import { remoteOf } from '../../join/team-client.ts'
import { startSync } from '../background-sync.ts'
import type { Logger } from '../../../support/logger.ts'
import { once } from '../../../support/once.ts'
import type { StoredProject } from '../../../core/project/project.ts'
import { type ProjectPool, toReal } from '../../../core/project/project-pool.ts'
import { locateProject } from '../../../core/project/locate-project.ts'
import { readMarker } from '../../../core/store/state-folder.ts'

/** A project that is open, with all that its requests share. */
export interface Engine {
  readonly project: StoredProject
  readonly config: Config
  readonly semantic: SemanticIndex
  /** The name that git knows the person by, asked once. */
  readonly userName: StoredProject['userName']
  /** Of a project that is only in a database. */
  readonly hosted?: HostedInfo
  /** The sessions of an endpoint, where they are not kept in the state folder. */
  readonly openSharedSessions?: (endpoint: string) => Promise<SessionStore>
  /** The team server that its clone has joined by now. */
  readonly joined?: () => { readonly remote?: Remote }
}

/** A project and its name in URLs. It is opened by its first request, and stays open. */
export interface HostedProject extends AsyncDisposable {
  readonly name: string
  /** Absent for a project that is only in a database. */
  readonly folder?: string
  open(): Promise<Engine>
  /** The id of the project, without opening it; undefined where none can be read. */
  readonly readId: () => string | undefined
}

export interface HostingOptions {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly flags: Partial<Config>
  readonly isReadOnly: boolean
  readonly logger: Logger
  /** Of the tracer, where there is one. */
  readonly span?: Context['span']
}

export interface FolderOptions extends HostingOptions {
  readonly projects: ProjectPool
  /** Keep the clones current too. */
  readonly syncs?: boolean
}

/** Each folder under the name of its last part; one that is taken already gets a number. */
export function hostProjects(
  folders: readonly string[],
  options: FolderOptions,
): readonly HostedProject[] {
  const names: string[] = []
  const roots = [...new Set(folders.map(toReal))]
  for (const folder of roots) {
    const wanted = toName(folder)
    let name = wanted
    for (let number = 2; names.includes(name); number += 1) name = `${wanted}-${number}`
    names.push(name)
  }
  return roots.map((folder, at) => hostProject(names[at] ?? '', folder, options))
}

function hostProject(name: string, folder: string, options: FolderOptions): HostedProject {
  const { projects, env, flags, isReadOnly, syncs, logger } = options
  let syncing: AsyncDisposable | undefined
  const engine = openOnce(options, async () => {
    const project = await projects.open(folder)
    for (const message of ignoredSettings(project.root)) logger.warn(message, { project: name })
    const config = loadConfig(project.root, env, flags)
    if (syncs === true && !isReadOnly) syncing ??= startSync({ project, config, logger })
    return { project, config, joined: () => remoteOf(project.state, env) }
  })
  return {
    name,
    folder,
    readId: () => readProjectId(folder),
    open: () => engine.open(),
    async [Symbol.asyncDispose]() {
      await syncing?.[Symbol.asyncDispose]()
      await engine[Symbol.asyncDispose]()
    },
  }
}

type Opened = Pick<Engine, 'project' | 'config' | 'hosted' | 'openSharedSessions' | 'joined'>

/** The engine of a project that is opened by the first request. Errors are not cached: the next request tries again. */
export function openOnce(
  { env, isReadOnly, logger }: Omit<HostingOptions, 'flags'>,
  open: () => Promise<Opened>,
): Pick<HostedProject, 'open'> & AsyncDisposable {
  const embeddings: AsyncDisposable[] = []
  let opening: Promise<Engine> | undefined
  const openEngine = async (): Promise<Engine> => {
    const opened = await open()
    const { project, config } = opened
    const semantic = new SemanticIndex(createEmbedder(config.embedding, env))
    if (!isReadOnly && !semantic.embedder.isApproximate)
      embeddings.push(startEmbedding({ store: project.store, semantic, logger }))
    return { ...opened, semantic, userName: once(() => project.userName()) }
  }
  return {
    async open() {
      opening ??= openEngine()
      try {
        return await opening
      } catch (error) {
        opening = undefined
        throw error
      }
    },
    async [Symbol.asyncDispose]() {
      for (const embedding of embeddings) await embedding[Symbol.asyncDispose]()
    },
  }
}

function readProjectId(folder: string): string | undefined {
  try {
    const project = locateProject(folder)
    return project === undefined ? undefined : readMarker(project.stateDir)?.projectId
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    return undefined
  }
}

/** Characters that URLs hold unescaped. */
function toName(folder: string): string {
  return basename(folder).replaceAll(/[^\w.-]+/g, '-') || 'project'
}
