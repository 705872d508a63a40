const ID = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/

/** Whether a text is the whole id of an object, of either hash. */
export function isObjectId(text: unknown): text is string {
  return typeof text === 'string' && ID.test(text)
}
