import type * as zod from 'zod'

/** The schemas of every contender that validates with zod, however it is loaded. */
export function makeSchemas(z: Omit<typeof zod, 'default'>) {
  const row = z.object({
    key: z.string(),
    title: z.string(),
    owner: z.string(),
    count: z.number().int(),
    share: z.number(),
    open: z.boolean(),
  })
  return {
    echoInput: z.object({ text: z.string() }),
    bigInput: z.object({}),
    bigOutput: z.object({ rows: z.array(row) }),
  }
}

export type Schemas = ReturnType<typeof makeSchemas>
