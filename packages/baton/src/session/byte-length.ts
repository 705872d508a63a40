const encoder = new TextEncoder()

/** Size of a message as it goes over the wire. */
export function toByteLength(data: string): number {
  return encoder.encode(data).byteLength
}
