/**
 * The era of a protocol revision: `legacy` revisions are stateful and start with `initialize`,
 * `modern` ones are stateless and carry version and capabilities in each request.
 */
export type Era = 'legacy' | 'modern'

/** Every supported protocol revision, oldest first. */
export const PROTOCOL_VERSIONS = [
  '2024-11-05',
  '2025-03-26',
  '2025-06-18',
  '2025-11-25',
  '2026-07-28',
] as const

/** A supported protocol revision. */
export type ProtocolVersion = (typeof PROTOCOL_VERSIONS)[number]

/** The revision of the modern era. */
const MODERN_VERSION: ProtocolVersion = '2026-07-28'

/** The revision in the response to an `initialize` with an unknown version. */
export const NEWEST_LEGACY_VERSION: ProtocolVersion = '2025-11-25'

/** The only revision whose frames may be JSON-RPC batches. */
export const BATCH_VERSION: ProtocolVersion = '2025-03-26'

/** The revisions that start with `initialize`. */
export const LEGACY_VERSIONS: readonly ProtocolVersion[] = PROTOCOL_VERSIONS.filter(
  (version) => version !== MODERN_VERSION,
)

/** The revisions that a request may declare in its `_meta`. */
export const MODERN_VERSIONS: readonly ProtocolVersion[] = [MODERN_VERSION]
