import { type EmbeddingSettings, readEmbeddingSettings } from '../../search/semantic/settings.ts'
import type { LogLevel } from '../../support/logger.ts'
import type { Coordination } from './coordination.ts'
import { readProjectSettings, type Settings } from './project-settings.ts'
import type { Environment } from './setting.ts'
import { PROJECT_SETTINGS, readSetting } from './settings.ts'

export interface Config {
  readonly logLevel: LogLevel
  /** How long one MCP request may take before it is stopped. */
  readonly requestTimeoutMs: number
  /** How many MCP requests of one connection run at the same time; more of them wait. */
  readonly maxConcurrentRequests: number
  /** How many operations one batch may hold. */
  readonly maxBatchSize: number
  /** How large an artifact may be. */
  readonly maxArtifactBytes: number
  /** Who grants claims: this clone, or the Git remote for all clones. */
  readonly coordination: Coordination
  /** Name written beside changes; when absent, git's user.name or the client's name. */
  readonly actor?: string
  /** Rules and fingerprints of text that looks like a secret and may be stored all the same. */
  readonly allowedSecrets: ReadonlySet<string>
  /** What the project is about, for agents that are new to it. */
  readonly description?: string
  /** The model that judges what texts mean; when absent, a local one. */
  readonly embedding?: EmbeddingSettings
}

/** Every key that the file may have. */
export const SETTING_NAMES = Object.keys(PROJECT_SETTINGS)

/** Keys of the file that this version does not know: misspelt, or settings of a newer one, so they are no error. */
export function unknownSettings(root: string): readonly string[] {
  return readProjectSettings(root).unknown
}

/** Settings of the file that are not taken as they stand, because a project may not set them; each with the remedy. */
export function ignoredSettings(root: string): readonly string[] {
  return readProjectSettings(root).ignored
}

/** Defaults, then `.waymark/config.json` in the tree, then the environment, then flags. */
export function loadConfig(
  root: string | undefined,
  env: Environment,
  flags: { readonly [K in keyof Config]?: Config[K] | undefined } = {},
): Config {
  const file: Settings = root === undefined ? {} : readProjectSettings(root).settings
  const read = <K extends keyof Config>(name: K) =>
    readSetting(name, flags[name] === undefined ? { env, file: file[name] } : toSource(flags[name]))
  const embedding = readEmbeddingSettings(env)
  const [actor, description] = [read('actor'), read('description')]
  return Object.freeze({
    logLevel: read('logLevel'),
    requestTimeoutMs: read('requestTimeoutMs'),
    maxConcurrentRequests: read('maxConcurrentRequests'),
    maxBatchSize: read('maxBatchSize'),
    maxArtifactBytes: read('maxArtifactBytes'),
    coordination: read('coordination'),
    // Those of the environment are added to those of the project.
    allowedSecrets: new Set([
      ...readSetting('allowedSecrets', { env: {}, file: file['allowedSecrets'] }),
      ...readSetting('allowedSecrets', { env }),
    ]),
    ...(description !== undefined && { description }),
    ...(actor !== undefined && actor !== '' && { actor }),
    ...(embedding !== undefined && { embedding }),
  })
}

/** A flag that is parsed already, so that an error names the setting. */
function toSource(file: unknown): { env: Environment; file: unknown } {
  return { env: {}, file }
}
