/** One red pixel. */
export const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=='

/** A moment of silence. */
export const WAV = 'UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAAAAA=='

/** A piece of text as content. */
export function text(value: string): { type: 'text'; text: string } {
  return { type: 'text', text: value }
}

/** A tool's result that is one piece of text. */
export function say(value: string): { content: { type: 'text'; text: string }[] } {
  return { content: [text(value)] }
}

/** A form with one field that must be filled in. */
export function askFor(
  field: string,
  message: string,
  type = 'string',
): {
  message: string
  requestedSchema: {
    type: 'object'
    properties: Record<string, { type: string }>
    required: string[]
  }
} {
  return {
    message,
    requestedSchema: { type: 'object', properties: { [field]: { type } }, required: [field] },
  }
}

export function pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds)
    signal?.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })
}
