import { fileURLToPath } from 'node:url'
import { Failure } from '../../core/error.ts'
import type { ObjectFormat } from '../objects/pack-stream.ts'
import type { Setting } from './parse-config.ts'

/**
 * Stand-ins for GIT_COMMON_DIR, from which git takes the repository's configuration. Each holds a `config` with nothing
 * but the storage format, an empty `refs` without which git does not accept the folder, and a `config.lock` that keeps
 * git from writing the file. The same three steps up from here and from the bundle's chunks.
 */
const FORMATS = new URL('../../../git-formats/', import.meta.url)

/** Extensions without effect on the commands that we run. */
const WITHOUT_EFFECT: ReadonlySet<string> = new Set([
  'noop',
  'noop-v1',
  'partialclone',
  'preciousobjects',
  'relativeworktrees',
  'worktreeconfig',
])

const OBJECT_FORMAT = /^sha(?:1|256)$/

/** The stand-in for a repository with these settings. */
export function formatFolder(settings: readonly Setting[]): string {
  let [version, refs] = ['0', 'files']
  let unknown: Setting | undefined
  for (const setting of settings) {
    const { key, value } = setting
    const extension = key.startsWith('extensions.') ? key.slice('extensions.'.length) : undefined
    if (key === 'core.repositoryformatversion') version = value
    else if (extension === 'objectformat' && OBJECT_FORMAT.test(value)) continue
    else if (extension === 'refstorage' && /^(?:files|reftable)$/.test(value)) refs = value
    else if (extension !== undefined && !WITHOUT_EFFECT.has(extension)) unknown ??= setting
  }
  if (!/^[01]$/.test(version)) throw unknownFormat('core.repositoryformatversion', version)
  // Version 0 has no extensions but a few that git has always known.
  if (version === '1' && unknown !== undefined) throw unknownFormat(unknown.key, unknown.value)
  return fileURLToPath(new URL(`${objectFormatIn(settings)}-${refs}`, FORMATS))
}

export function objectFormatIn(settings: readonly Setting[]): ObjectFormat {
  const named = settings.findLast(
    ({ key, value }) => key === 'extensions.objectformat' && OBJECT_FORMAT.test(value),
  )
  return named?.value === 'sha256' ? 'sha256' : 'sha1'
}

function unknownFormat(key: string, value: string): Failure {
  return new Failure(
    'storage_unavailable',
    `unknown repository format: ${key} = ${value.slice(0, 100)} in the Git configuration; install a newer version of Waymark`,
    { details: { reason: 'git_config', key } },
  )
}
