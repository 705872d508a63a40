import type { LoroModule, PeerId } from './loro.ts'

/** Operation counts by author. */
export type VersionMap = ReadonlyMap<string, number>

/** Encodes a version vector. */
export function toVersion(loro: LoroModule, heard: VersionMap): Uint8Array {
  const version = loro.VersionVector.parseJSON(heard as Map<`${number}`, number>)
  try {
    return version.encode()
  } finally {
    version.free()
  }
}

/** The union of a version and these counts. */
export function withHeard(
  loro: LoroModule,
  version: Uint8Array | null,
  added: VersionMap,
): Uint8Array {
  const known = new Map<string, number>(version === null ? [] : decodeVersion(loro, version))
  for (const [peer, end] of added) known.set(peer, Math.max(known.get(peer) ?? 0, end))
  return toVersion(loro, known)
}

/** Operation counts of an encoded version vector. */
export function decodeVersion(loro: LoroModule, version: Uint8Array): Map<PeerId, number> {
  const decoded = loro.VersionVector.decode(version)
  try {
    return decoded.toJSON()
  } finally {
    decoded.free()
  }
}
