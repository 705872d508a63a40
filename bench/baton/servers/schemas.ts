import * as z from 'zod'

/** The schemas of every contender that validates with zod. */
export const ECHO_INPUT = z.object({ text: z.string() })

export const BIG_INPUT = z.object({})

export const BIG_OUTPUT = z.object({
  rows: z.array(
    z.object({
      key: z.string(),
      title: z.string(),
      owner: z.string(),
      count: z.number().int(),
      share: z.number(),
      open: z.boolean(),
    }),
  ),
})
