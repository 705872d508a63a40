/** Session ids name something valuable: 256 random bits. */
export function createSessionId(): string {
  return randomBase64Url(32)
}

/** Whoever knows the id of a task can ask for its result, so it is as hard to guess. */
export function createTaskId(): string {
  return randomBase64Url(32)
}

/** Event tags need to be unique, not secret: 96 random bits. */
export function createEventTag(): string {
  return randomBase64Url(12)
}

function randomBase64Url(bytes: number): string {
  const random = crypto.getRandomValues(new Uint8Array(bytes))
  const base64 = btoa(String.fromCharCode(...random))
  return base64.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}
