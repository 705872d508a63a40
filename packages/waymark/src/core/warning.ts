import * as z from 'zod'

/** Something that did not stop a call but that its caller should know. */
export const warningView = z.object({ code: z.string(), message: z.string() })
export type Warning = z.output<typeof warningView>

export function warning(code: string, message: string): Warning {
  return { code, message }
}
