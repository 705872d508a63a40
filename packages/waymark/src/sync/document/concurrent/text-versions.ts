import type { TextVersions } from './concurrent.ts'
import { isTrap, type LoroDoc, type LoroModule, type PeerId } from '../loro.ts'
import type { Statement } from './statements.ts'

type Version = Parameters<LoroDoc['checkout']>[0]

/** The text of this container after each statement, and around them. Leaves the document at the version that it had. */
export function readTextVersions(
  loro: LoroModule,
  doc: LoroDoc,
  name: string,
  statements: readonly Statement[],
): TextVersions | undefined {
  const isDetached = doc.isDetached()
  const before = doc.frontiers()
  const textAt = (version: Version): string => {
    doc.checkout(version)
    const text: unknown = (doc.toJSON() as Readonly<Record<string, unknown>>)[name]
    return typeof text === 'string' ? text : ''
  }
  try {
    const heads = toHeads(doc, statements)
    if (heads === undefined) return undefined
    const base = textAt(findCommon(loro, doc, heads))
    return { base, texts: heads.map((head) => textAt([head])), merged: textAt(heads) }
  } catch (error) {
    // Statements come from other clones: they may name versions that do not belong together.
    if (isTrap(error)) throw error
    return undefined
  } finally {
    if (isDetached) doc.checkout(before)
    else doc.checkoutToLatest()
  }
}

/** The last operation of each; undefined if the document has none of one. */
function toHeads(doc: LoroDoc, statements: readonly Statement[]): Version | undefined {
  const version = doc.oplogVersion()
  try {
    const heads = statements.map(({ peer }) => {
      const counter = (version.get(peer as PeerId) ?? 0) - 1
      return { peer: peer as PeerId, counter }
    })
    return heads.every(({ counter }) => counter >= 0) ? heads : undefined
  } finally {
    version.free()
  }
}

/** The newest version that is part of all of these. */
function findCommon(loro: LoroModule, doc: LoroDoc, heads: Version): Version {
  const [first = new Map<PeerId, number>(), ...others] = heads.map((head) => toMap(doc, head))
  const common = new Map<PeerId, number>()
  for (const [peer, end] of first) {
    const least = Math.min(end, ...others.map((ends) => ends.get(peer) ?? 0))
    if (least > 0) common.set(peer, least)
  }
  const version = new loro.VersionVector(common)
  try {
    return doc.vvToFrontiers(version)
  } finally {
    version.free()
  }
}

function toMap(doc: LoroDoc, head: Version[number]): Map<PeerId, number> {
  const version = doc.frontiersToVV([head])
  try {
    return version.toJSON()
  } finally {
    version.free()
  }
}
