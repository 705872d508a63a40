import { SIGNATURES, type Verification } from '../git/objects/verification.ts'

/** How a text came here that was written elsewhere. Recorded by this clone, never taken from the sender. */
export interface Received extends Partial<Verification> {
  readonly via: 'sync' | 'import' | 'repair'
  /** Absent where the log of this clone had it already. */
  readonly remote?: string
}

/** The parts of an entity that a reader goes by. `author`: its origin, who created it and when, and its type. */
type Part = 'author' | 'title' | 'content'

/** What of an entity came from elsewhere since it was last written here. */
export interface Arrival extends Received {
  /** Parts that are as they came. Without any, something else of the entity has changed. */
  readonly parts: readonly Part[]
}

/** Both in one: the newer remote, the weaker of two signatures. */
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

/** What is left of an arrival after these parts were written here; null for nothing. The author stays what came. */
export function withoutWritten(arrival: Arrival, written: readonly Part[]): Arrival | null {
  if (written.length === 0) return arrival
  const parts = arrival.parts.filter((part) => !written.includes(part))
  return parts.length === 0 ? null : { ...arrival, parts }
}

export function toReceived(arrival: Arrival): Received {
  const { parts: _, ...received } = arrival
  return received
}

/** Only this program writes the column; a damaged value still says that the text came from elsewhere. */
export function parseArrival(text: string | null): Arrival | null {
  if (text === null) return null
  try {
    return JSON.parse(text) as Arrival
  } catch {
    return { via: 'repair', parts: ['author'] }
  }
}
