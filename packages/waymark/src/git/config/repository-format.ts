import { fileURLToPath } from 'node:url'
import { Failure } from '../../error.ts'
import type { Setting } from './parse-config.ts'

/**
 * Folders that take the place of a repository's shared Git folder where git looks for the configuration. Each holds a
 * configuration that says how objects and refs are stored and nothing else, a folder without which git would not take
 * it for one, and a lock that keeps git from changing it. The same three steps up from here and from the bundle's
 * chunks.
 */
const FORMATS = new URL('../../../git-formats/', import.meta.url)

/** Extensions that need no mention: what they are about does not concern what we let git do. */
const WITHOUT_EFFECT: ReadonlySet<string> = new Set([
  'noop',
  'noop-v1',
  'partialclone',
  'preciousobjects',
  'relativeworktrees',
  'worktreeconfig',
])

/** The folder with the configuration that says how this repository is stored. */
export function formatFolder(settings: readonly Setting[]): string {
  let [version, objects, refs] = ['0', 'sha1', 'files']
  let unknown: Setting | undefined
  for (const setting of settings) {
    const { key, value } = setting
    const extension = key.startsWith('extensions.') ? key.slice('extensions.'.length) : undefined
    if (key === 'core.repositoryformatversion') version = value
    else if (extension === 'objectformat' && /^sha(?:1|256)$/.test(value)) objects = value
    else if (extension === 'refstorage' && /^(?:files|reftable)$/.test(value)) refs = value
    else if (extension !== undefined && !WITHOUT_EFFECT.has(extension)) unknown ??= setting
  }
  if (!/^[01]$/.test(version)) throw unknownFormat('core.repositoryformatversion', version)
  // In the first version extensions mean nothing, but for a few that git has always known.
  if (version === '1' && unknown !== undefined) throw unknownFormat(unknown.key, unknown.value)
  return fileURLToPath(new URL(`${objects}-${refs}`, FORMATS))
}

function unknownFormat(key: string, value: string): Failure {
  return new Failure(
    'storage_unavailable',
    `this repository is stored in a way that this version of Waymark does not know: ${key} = ${value.slice(0, 100)} in its Git configuration; install a newer version of Waymark`,
    { details: { reason: 'git_config', key } },
  )
}
