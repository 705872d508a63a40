import { accessSync, constants, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { hasCode } from '../system-error.ts'
import { toOwnPath } from './regular-file.ts'

/** Says which path of the state folder this user may not use, whose it is and what to do. */
export function describeDenied(path: string): string {
  const place = firstDenied([dirname(path), path]) ?? path
  const name = toOwnPath(place)
  if (isReadOnlyDisk(place)) return `${name} is on a disk that is mounted read-only`
  const [owner, me] = [ownerOf(place), process.geteuid?.()]
  if (owner === undefined || me === undefined || owner === me) {
    return `${name} cannot be written; check its owner and permissions`
  }
  return `${name} cannot be used: its owner is uid ${owner} and you are uid ${me}; run this as its owner, or change owner and permissions: sudo chown -R ${me} ${name}`
}

function firstDenied(paths: readonly string[]): string | undefined {
  return paths.find((path) => {
    const code = codeOf(path)
    return code !== undefined && code !== 'ENOENT'
  })
}

function isReadOnlyDisk(path: string): boolean {
  return codeOf(path) === 'EROFS'
}

function codeOf(path: string): string | undefined {
  try {
    accessSync(path, constants.W_OK)
    return undefined
  } catch (error) {
    return ['EROFS', 'ENOENT'].find((code) => hasCode(error, [code])) ?? 'EACCES'
  }
}

/** Of the path, or of the folder that hides or lacks it. */
function ownerOf(path: string): number | undefined {
  try {
    return statSync(path).uid
  } catch {
    return dirname(path) === path ? undefined : ownerOf(dirname(path))
  }
}
