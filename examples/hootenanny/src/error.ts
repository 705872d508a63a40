/** Something that a caller asked for and cannot have; the message says why, and what would help. */
export class StudioError extends Error {
  override name = 'StudioError'
}
