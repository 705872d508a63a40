const encoder = new TextEncoder()

/** Size of a message in bytes of UTF-8. */
export function toByteLength(data: string): number {
  return encoder.encode(data).byteLength
}
