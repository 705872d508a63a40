import type { CallContext } from '@waymark/baton'

type Arguments = Readonly<Record<string, unknown>>

/** The names of the idempotency key, in all dialects. */
const NAMES = ['idempotency_key', 'idempotencyKey'] as const

/** Removes the key from the arguments of a call: tools do not have it in their schema. */
export function takeIdempotencyKey(
  args: Arguments,
  { meta }: Pick<CallContext, 'meta'>,
): { readonly idempotencyKey?: string; readonly rest: Arguments } {
  const found = NAMES.map((name) => args[name] ?? meta[name]).find((key) => key !== undefined)
  if (found === undefined) return { rest: args }
  const rest = Object.entries(args).filter(([name]) => !NAMES.some((known) => known === name))
  // A key that is not a string is refused where all keys are validated.
  return {
    idempotencyKey: typeof found === 'string' ? found : '',
    rest: Object.fromEntries(rest),
  }
}
