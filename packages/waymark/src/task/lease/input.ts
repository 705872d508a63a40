import * as z from 'zod'

export const fence = z
  .int()
  .min(1)
  .optional()
  .describe('Number of the lease, as claim gave it: refuses the write if the task was lost since')
