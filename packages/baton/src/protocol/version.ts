/**
 * How a message is served: `legacy` revisions open with `initialize` and keep state,
 * `modern` ones carry everything in each request.
 */
export type Era = 'legacy' | 'modern'

/** Every protocol revision that baton speaks, oldest first. */
export const PROTOCOL_VERSIONS = [
  '2024-11-05',
  '2025-03-26',
  '2025-06-18',
  '2025-11-25',
  '2026-07-28',
] as const

/** A protocol revision that baton speaks. */
export type ProtocolVersion = (typeof PROTOCOL_VERSIONS)[number]

/** The revision of the modern era. */
const MODERN_VERSION: ProtocolVersion = '2026-07-28'

/** The revision that an `initialize` with an unknown version is answered with. */
export const NEWEST_LEGACY_VERSION: ProtocolVersion = '2025-11-25'

/** The only revision whose frames may be JSON-RPC batches. */
export const BATCH_VERSION: ProtocolVersion = '2025-03-26'

/** The revisions that open with `initialize`. */
export const LEGACY_VERSIONS: readonly ProtocolVersion[] = PROTOCOL_VERSIONS.filter(
  (version) => version !== MODERN_VERSION,
)

/** The revisions that a request may name in its `_meta`. */
export const MODERN_VERSIONS: readonly ProtocolVersion[] = [MODERN_VERSION]
