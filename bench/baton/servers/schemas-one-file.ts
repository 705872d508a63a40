import * as z from '@waymark/baton/zod'
import { makeSchemas } from './make-schemas.ts'

/** With zod as baton hands it on. */
export const SCHEMAS = makeSchemas(z)
