import type * as z from 'zod'

/**
 * A string or number that only the function beside its noun makes, or a schema with `.brand()`, so that ids of two nouns
 * cannot be mixed up. At run time and in JSON it is the bare value.
 */
export type Brand<T extends string | number, Name extends string> = T & z.core.$brand<Name>
