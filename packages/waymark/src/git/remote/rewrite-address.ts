import { Failure } from '../../error.ts'
import { hideCredentials, splitKey } from '../config/config-values.ts'
import type { Setting } from '../config/parse-config.ts'

/** Applies `url.<base>.insteadOf` and `pushInsteadOf` of the user's own settings as git does. */
export interface AddressRules {
  /** The addresses that git would fetch from. */
  forFetch(this: void, urls: readonly string[]): readonly string[]
  /** The addresses that git would push to: `pushurl` if there is any, `url` otherwise. */
  forPush(this: void, urls: readonly string[], pushUrls: readonly string[]): readonly string[]
  /** Settings that keep git from rewriting an address, which is already rewritten, once more. */
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
      // The longest prefix wins; of two equal ones the first, which is the user's.
      if (rules.some(({ prefix }) => prefix === address)) throw rewrittenTwice(address)
      return [{ key: `url.${address}.insteadof`, value: address }]
    },
  }
}

/** Grouped by base, in the order in which git tries them. */
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
