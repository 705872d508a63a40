import { SIGNATURES, type Verification } from '../git/objects/verification.ts'

/** How a remote text arrived. Recorded by this clone, never taken from the sender. */
export interface Received extends Partial<Verification> {
  readonly via: 'sync' | 'import' | 'repair'
  /** Absent if this clone's log had it already. */
  readonly remote?: string
}

/** The parts of an entity with separate provenance. `author`: origin, creator, creation time and type. */
type Part = 'author' | 'title' | 'content'

/** Provenance of the parts of an entity that came from another clone since the last local write. */
export interface Arrival extends Received {
  /** Parts unchanged since they arrived. Empty if only other parts of the entity changed. */
  readonly parts: readonly Part[]
}

/** Combines two arrivals: the newer remote, the weaker signature. */
export function joinArrivals(before: Arrival | null, next: Arrival): Arrival {
  if (before === null) return next
  const weaker = weakest([before, next].map(verificationOf))
  const { signature: _signature, signer: _signer, ...rest } = next
  return { ...rest, ...weaker, parts: [...new Set([...before.parts, ...next.parts])] }
}

/** The weakest of several verifications; of equal ones the last. Undefined where nothing was verified. */
export function weakest(given: Iterable<Verification | undefined>): Verification | undefined {
  let found: Verification | undefined
  for (const each of given) {
    if (each !== undefined && (found === undefined || rank(each) <= rank(found))) found = each
  }
  return found
}

function rank({ signature }: Verification): number {
  return SIGNATURES.indexOf(signature)
}

function verificationOf({ signature, signer }: Received): Verification | undefined {
  if (signature === undefined) return undefined
  return { signature, ...(signer !== undefined && { signer }) }
}

/** The arrival without locally rewritten parts, or null if none is left. The `author` part stays. */
export function withoutWritten(arrival: Arrival, written: readonly Part[]): Arrival | null {
  if (written.length === 0) return arrival
  const parts = arrival.parts.filter((part) => !written.includes(part))
  return parts.length === 0 ? null : { ...arrival, parts }
}

export function toReceived(arrival: Arrival): Received {
  const { parts: _, ...received } = arrival
  return received
}

/** A damaged value is still read as "from another clone". */
export function parseArrival(text: string | null): Arrival | null {
  if (text === null) return null
  try {
    return JSON.parse(text) as Arrival
  } catch {
    return { via: 'repair', parts: ['author'] }
  }
}
