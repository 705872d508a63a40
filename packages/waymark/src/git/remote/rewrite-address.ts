import { Failure } from '../../error.ts'
import { hideCredentials, splitKey } from '../config/config-values.ts'
import type { Setting } from '../config/parse-config.ts'

/** What git makes of addresses by `url.<base>.insteadOf` and `pushInsteadOf` of the person who runs us. */
export interface AddressRules {
  /** Where git would fetch from. */
  forFetch(this: void, urls: readonly string[]): readonly string[]
  /** Where git would push to: addresses that were set up for that alone, otherwise those for fetching. */
  forPush(this: void, urls: readonly string[], pushUrls: readonly string[]): readonly string[]
  /** Keeps git from rewriting an address again that is the result of rewriting. */
  keep(this: void, address: string): readonly Setting[]
}

interface Rule {
  readonly base: string
  readonly prefix: string
}

export function readAddressRules(user: readonly Setting[]): AddressRules {
  const rules = readRules(user, 'insteadof')
  const pushRules = readRules(user, 'pushinsteadof')
  const forFetch = (urls: readonly string[]) => urls.map((url) => rewrite(rules, url) ?? url)
  return {
    forFetch,
    forPush: (urls, pushUrls) => {
      if (pushUrls.length > 0) return forFetch(pushUrls)
      const rewritten = urls
        .map((url) => rewrite(pushRules, url))
        .filter((url) => url !== undefined)
      return rewritten.length > 0 ? rewritten : forFetch(urls)
    },
    keep: (address) => {
      if (rewrite(rules, address) === undefined) return []
      // The longest rule wins, and of equally long ones the first, which would not be ours.
      if (rules.some(({ prefix }) => prefix === address)) throw rewrittenTwice(address)
      return [{ key: `url.${address}.insteadof`, value: address }]
    },
  }
}

/** In the order of their bases, as git has them. */
function readRules(user: readonly Setting[], wanted: string): readonly Rule[] {
  const prefixesByBase = new Map<string, string[]>()
  for (const { key, value } of user) {
    const { section, subsection: base, name } = splitKey(key)
    if (section !== 'url' || base === undefined || name !== wanted) continue
    prefixesByBase.set(base, [...(prefixesByBase.get(base) ?? []), value])
  }
  return [...prefixesByBase].flatMap(([base, prefixes]) =>
    prefixes.map((prefix) => ({ base, prefix })),
  )
}

function rewrite(rules: readonly Rule[], address: string): string | undefined {
  let best: Rule | undefined
  for (const rule of rules) {
    if (!address.startsWith(rule.prefix)) continue
    if (best === undefined || best.prefix.length < rule.prefix.length) best = rule
  }
  return best === undefined ? undefined : `${best.base}${address.slice(best.prefix.length)}`
}

function rewrittenTwice(address: string): Failure {
  return new Failure(
    'conflict',
    `${hideCredentials(address).slice(0, 200)} is both the result and the start of a url.<base>.insteadOf in your own Git settings; name the address you mean in the remote`,
    { details: { reason: 'rewritten_twice' } },
  )
}
