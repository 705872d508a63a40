import { type EmbeddingSettings, readEmbeddingSettings } from '../../search/semantic/settings.ts'
import { Failure } from '../error.ts'
import { LOG_LEVELS, type LogLevel } from '../../support/logger.ts'
import { PROJECT_RULES, readProjectSettings, type Settings } from './project-settings.ts'

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
  /** Name written beside changes; when absent, git's user.name or the client's name. */
  readonly actor?: string
  /** Rules and fingerprints of what looks like a secret and may be stored all the same. */
  readonly allowedSecrets: ReadonlySet<string>
  /** What the project is about, for agents that are new to it. */
  readonly description?: string
  /** The model that judges what texts mean; when absent, one that needs nothing. */
  readonly embedding?: EmbeddingSettings
}

type Environment = Readonly<Record<string, string | undefined>>

export const DEFAULTS = {
  logLevel: 'info',
  requestTimeoutMs: 30_000,
  maxConcurrentRequests: 128,
  maxBatchSize: 100,
  maxArtifactBytes: 2 ** 30,
} as const

/** Each setting with its variables, the first one set wins. The MEDULLA_ names are those of the medulla dialect. */
export const VARIABLES = {
  logLevel: ['WAYMARK_LOG_LEVEL', 'MEDULLA_LOG_LEVEL'],
  requestTimeoutMs: ['WAYMARK_REQUEST_TIMEOUT_MS', 'MEDULLA_REQUEST_TIMEOUT_MS'],
  maxConcurrentRequests: ['WAYMARK_MAX_CONCURRENT_REQUESTS', 'TASKY_MCP_MAX_CONCURRENT_REQUESTS'],
  maxBatchSize: ['WAYMARK_MAX_BATCH_SIZE', 'MEDULLA_MAX_BATCH_SIZE'],
  maxArtifactBytes: ['WAYMARK_MAX_ARTIFACT_BYTES'],
  actor: ['WAYMARK_ACTOR'],
  allowedSecrets: ['WAYMARK_ALLOWED_SECRETS'],
} as const

/** A timer that is set for longer fires at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1

/** The one that is not in milliseconds. */
const TIMEOUT_SECONDS = 'TASKY_MCP_TIMEOUT_SECONDS'

/** Every key that the file may have. */
export const SETTING_NAMES = Object.keys(PROJECT_RULES) as readonly (keyof typeof PROJECT_RULES)[]

/** Keys of the file that mean nothing to this version: misspelt, or settings of a newer one, so they are no error. */
export function unknownSettings(root: string): readonly string[] {
  return readProjectSettings(root).unknown
}

/** Settings of the file that are not taken as they stand, because a project may not set them; each with the remedy. */
export function ignoredSettings(root: string): readonly string[] {
  return readProjectSettings(root).ignored
}

function isSet(value: string | undefined): value is string {
  return value !== undefined && value !== ''
}

/** Defaults, then `.waymark/config.json` in the tree, then the environment, then flags. */
export function loadConfig(
  root: string | undefined,
  env: Environment,
  flags: { readonly [K in keyof Config]?: Config[K] | undefined } = {},
): Config {
  const file: Settings = root === undefined ? {} : readProjectSettings(root).settings
  const settings = { ...file, ...fromEnvironment(env), ...withoutUndefined(flags) }
  const embedding = readEmbeddingSettings(env)
  try {
    const allowedSecrets = new Set([...toAllowedSecrets(file['allowedSecrets']), ...listed(env)])
    const checked = check({ ...settings, allowedSecrets })
    return Object.freeze({ ...checked, ...(embedding !== undefined && { embedding }) })
  } catch (error) {
    throw error instanceof Failure ? naming(error, env, flags) : error
  }
}

/** Names the environment variable in the error instead of the setting that it sets. */
function naming(failure: Failure, env: Environment, flags: Settings): Failure {
  const field = String(failure.details['field'])
  if (flags[field] !== undefined) return failure
  const names: readonly string[] = [
    ...(Object.hasOwn(VARIABLES, field) ? VARIABLES[field as keyof typeof VARIABLES] : []),
    ...(field === 'requestTimeoutMs' ? [TIMEOUT_SECONDS] : []),
  ]
  const name = names.find((name) => isSet(env[name]))
  if (name === undefined) return failure
  const { code, message, details } = failure
  return new Failure(code, `${message} (${name} is ${JSON.stringify(env[name]?.slice(0, 100))})`, {
    details: { ...details, variable: name },
  })
}

function fromEnvironment(env: Environment): Settings {
  const settings: Record<string, unknown> = {}
  for (const [setting, names] of Object.entries(VARIABLES)) {
    const value = names.map((name) => env[name]).find(isSet)
    if (value !== undefined && setting !== 'allowedSecrets')
      settings[setting] = setting === 'logLevel' ? value.toLowerCase() : value
  }
  const seconds = env[TIMEOUT_SECONDS]
  if (isSet(seconds)) {
    settings['requestTimeoutMs'] ??= String(Number(seconds) * 1000)
  }
  return settings
}

/** Entries of the environment, which are added to those of the project. */
function listed(env: Environment): readonly string[] {
  const [name] = VARIABLES.allowedSecrets
  const entries = (env[name] ?? '').split(',').map((entry) => entry.trim())
  return entries.filter((entry) => entry !== '')
}

function check(settings: Settings & Pick<Config, 'allowedSecrets'>): Config {
  const level = settings['logLevel'] ?? DEFAULTS.logLevel
  if (!LOG_LEVELS.includes(level as LogLevel)) {
    throw new Failure('invalid_input', `logLevel: must be one of ${LOG_LEVELS.join(', ')}`, {
      details: { field: 'logLevel', value: level, valid: LOG_LEVELS },
    })
  }
  const { actor, description, allowedSecrets } = settings
  return {
    logLevel: level as LogLevel,
    requestTimeoutMs: Math.min(positive(settings, 'requestTimeoutMs'), LONGEST_TIMER_MS),
    maxConcurrentRequests: positive(settings, 'maxConcurrentRequests'),
    maxBatchSize: positive(settings, 'maxBatchSize'),
    allowedSecrets,
    maxArtifactBytes: positive(settings, 'maxArtifactBytes'),
    ...(typeof description === 'string' && { description: description.slice(0, 2000) }),
    ...(typeof actor === 'string' && actor.trim() !== '' && { actor: actor.trim().slice(0, 100) }),
  }
}

function toAllowedSecrets(given: unknown = []): readonly string[] {
  if (Array.isArray(given) && given.every((each) => typeof each === 'string')) return given
  throw new Failure(
    'invalid_input',
    'allowedSecrets: must be a list of fingerprints, as the errors name them',
    { details: { field: 'allowedSecrets' } },
  )
}

function positive(
  settings: Settings,
  field: 'requestTimeoutMs' | 'maxConcurrentRequests' | 'maxBatchSize' | 'maxArtifactBytes',
): number {
  const value = Number(settings[field] ?? DEFAULTS[field])
  if (Number.isSafeInteger(value) && value > 0) return value
  throw new Failure('invalid_input', `${field}: must be a whole number above 0`, {
    details: { field, value: settings[field] },
  })
}

function withoutUndefined(settings: Settings): Settings {
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined))
}
