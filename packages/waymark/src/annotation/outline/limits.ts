/** Longer files are generated, and have no use for anchors. */
export const LARGEST_TEXT = 2_000_000

/** Two million characters of real code take up to 1.3 s. */
export const LONGEST_PARSE_MS = 5_000

/**
 * Two million characters of real code take 40 MB, of which 32 MB are allocated at the start; ambiguous input of a tenth
 * of that size can take 2 GB.
 */
export const LARGEST_MEMORY = 128 * 1024 * 1024

/** The largest real header files declare 10,000. */
export const MOST_UNITS = 20_000

/** The whole outline as JSON, in characters. The main thread parses it, which takes 20 ms at this size. */
export const LARGEST_OUTLINE = 4_000_000
