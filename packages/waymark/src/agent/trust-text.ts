import type { Signature } from '../git/objects/verification.ts'
import { type Block, field, textField } from '../core/show.ts'
import { toTitle, toVisibleJson } from '../support/text/visible-text.ts'

/** Provenance of a text, with the field names that the different views use. */
export interface TrustFacts extends Means {
  readonly by?: string | undefined
  readonly remote?: string | undefined
  readonly signature?: Signature | undefined
  readonly signer?: string | undefined
  /** The sender's claim about a synced text. */
  readonly claimed?: Means | undefined
  readonly changed_by?: string | undefined
  readonly superseded_by?: number | undefined
  readonly code?: string | undefined
}

interface Means {
  readonly via?: string | undefined
  readonly model?: string | undefined
  readonly imported_from?: string | undefined
  readonly imported_author?: string | undefined
}

/**
 * Provenance as text. The transport comes first, then the sender's claims: `synced from origin, unsigned`, `says it is
 * by ada via mcp`, `superseded by #7`, `code drifted`.
 */
export function describeTrust(facts: TrustFacts): readonly string[] {
  const { by, changed_by, superseded_by, code } = facts
  const received = describeReceived(facts)
  const { via, model, imported_from, imported_author } =
    received.length === 0 ? withoutVia(facts) : (facts.claimed ?? {})
  const means = [via, model]
    .filter((part) => part !== undefined)
    .map(toTitle)
    .join(' ')
  const author = [by && `by ${toTitle(by)}`, means && `via ${means}`].filter(Boolean).join(' ')
  return [
    ...received,
    author && received.length > 0 ? `says it is ${author}` : author,
    imported_from && `imported from ${toTitle(imported_from)}`,
    imported_author && `author in ${toTitle(imported_from ?? '')}: ${toTitle(imported_author)}`,
    changed_by && `changed by ${toTitle(changed_by)}`,
    superseded_by !== undefined && `superseded by #${superseded_by}`,
    code && `code ${code}`,
  ].filter((part): part is string => typeof part === 'string' && part !== '')
}

/** The surface that a local text came through matters only beside the model that it came from. */
function withoutVia({ via, model, imported_from, imported_author }: TrustFacts): Means {
  return { via: model === undefined ? undefined : via, model, imported_from, imported_author }
}

/** Provenance as fields, for a model. Ids of agents are left out. */
export function showProvenance(facts: TrustFacts = {}): readonly Block[] {
  const isLocal = describeReceived(facts).length === 0
  return [
    ...field('via', isLocal ? withoutVia(facts).via : facts.via),
    ...textField('remote', facts.remote),
    ...field('signature', facts.signature),
    ...textField('signer', facts.signer),
    ...field('claimed', facts.claimed && toVisibleJson(facts.claimed)),
    ...textField('model', facts.model),
    ...textField('imported_from', facts.imported_from),
    ...textField('imported_author', facts.imported_author),
    ...textField('changed_by', facts.changed_by),
    ...field('superseded_by', facts.superseded_by),
    ...field('code', facts.code),
  ]
}

/** How a synced text arrived; empty for a local one. */
export function describeReceived({
  via,
  remote,
  signature,
  signer,
}: TrustFacts): readonly string[] {
  if (via === 'import') return ['imported from a file']
  if (via === 'repair') return ['recovered by a repair']
  if (via !== 'sync') return []
  return [
    remote === undefined ? 'synced' : `synced from ${toTitle(remote)}`,
    ...(signature === undefined ? [] : [describeSignature(signature, signer)]),
  ]
}

function describeSignature(signature: Signature, signer: string | undefined): string {
  const by = signer === undefined ? '' : ` by ${toTitle(signer)}`
  switch (signature) {
    case 'good':
      return `signed${by}`
    case 'untrusted':
      return `signed with a key you do not trust${by && ` (${toTitle(signer ?? '')})`}`
    case 'bad':
      return 'with a bad signature'
    case 'unsigned':
      return 'unsigned'
  }
}
