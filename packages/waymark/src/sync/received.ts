import * as z from 'zod'
import { SIGNATURES } from '../git/objects/verification.ts'

export const receivedFields = {
  remote: z.string().optional().describe('Remote that it was synced from'),
  signature: z
    .enum(SIGNATURES)
    .optional()
    .describe('Of the commit that brought it; good: signed with a key that you trust'),
  signer: z.string().optional().describe('Who signed that commit'),
}

/** How a remote text arrived. */
export const received = z
  .object({ via: z.enum(['sync', 'import', 'repair']), ...receivedFields })
  .describe('How it came here; absent for what was written here')
