/** A session id: 256 random bits, because it is a bearer credential. */
export function createSessionId(): string {
  return randomBase64Url(32)
}

/** A task id: as hard to guess as a session id, because it gives access to the result. */
export function createTaskId(): string {
  return randomBase64Url(32)
}

/** An event tag: 96 random bits, because it must be unique but is not secret. */
export function createEventTag(): string {
  return randomBase64Url(12)
}

function randomBase64Url(bytes: number): string {
  const random = crypto.getRandomValues(new Uint8Array(bytes))
  const base64 = btoa(String.fromCharCode(...random))
  return base64.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}
