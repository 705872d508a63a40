import * as z from 'zod'
import { makeSchemas } from './make-schemas.ts'

/** With zod as it is installed. */
export const SCHEMAS = makeSchemas(z)
