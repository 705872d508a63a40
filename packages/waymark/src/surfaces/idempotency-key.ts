import type { CallContext } from '@waymark/baton'

type Arguments = Readonly<Record<string, unknown>>

/** The names of the idempotency key, in all dialects. */
const NAMES = ['idempotency_key', 'idempotencyKey'] as const

/** Takes the key out of a call: the tools themselves know nothing of it. */
export function takeIdempotencyKey(
  args: Arguments,
  { meta }: Pick<CallContext, 'meta'>,
): { readonly idempotencyKey?: string; readonly rest: Arguments } {
  const found = NAMES.map((name) => args[name] ?? meta[name]).find((key) => key !== undefined)
  if (found === undefined) return { rest: args }
  const rest = Object.entries(args).filter(([name]) => !NAMES.some((known) => known === name))
  // What is no text is refused where every key is checked.
  return {
    idempotencyKey: typeof found === 'string' ? found : '',
    rest: Object.fromEntries(rest),
  }
}
