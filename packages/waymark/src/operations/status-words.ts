import * as z from 'zod'
import { toStatus } from '../domain/search/query.ts'

/** Statuses to look for, any of which will do; as forgiving as those that can be given. */
export const statuses = z.array(z.string().overwrite((word) => toStatus(word.trim()))).max(10)
